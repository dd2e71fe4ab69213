test_that("what is to be done when a package is loaded is done if it is, and never fails", {
  done <- 0
  act <- function() done <<- done + 1
  when_loaded("stats", act)
  expect_identical(done, 1)
  when_loaded("a.package.that.is.not", act)
  expect_identical(done, 1)
  getHook(packageEvent("a.package.that.is.not", "onLoad"))[[1L]]()
  expect_identical(done, 2)
  expect_no_error(when_loaded("stats", function() stop("no")))
  for (package in c("stats", "a.package.that.is.not")) {
    setHook(packageEvent(package, "onLoad"), NULL, "replace")
  }
})

test_that("marginaleffects is told once, and what a user chose stays", {
  old <- options(marginaleffects_model_classes = NULL)
  on.exit(options(old))
  register_marginaleffects()
  expect_identical(getOption("marginaleffects_model_classes"), c("btg", "wgp"))
  options(marginaleffects_model_classes = "other")
  register_marginaleffects()
  expect_identical(getOption("marginaleffects_model_classes"), c("other", "btg", "wgp"))
})
