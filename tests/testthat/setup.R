# Most tests use few nodes on purpose.
options(btg.warn_quadrature = FALSE)
