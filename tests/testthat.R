library(testthat)
library(btg)

test_check("btg")
