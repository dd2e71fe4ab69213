test_that("kernels and transforms are listed as they can be given", {
  kernels <- btg_kernels()
  expect_setequal(kernels$name, names(naive_kernels))
  expect_false(is.unsorted(kernels$smoothness))
  expect_identical(kernels$smoothness[match(c("exponential", "matern32", "rbf"), kernels$name)],
                   c(0, 1, Inf))
  own <- kernels$parameters[kernels$name == "rational_quadratic"]
  expect_identical(own, "alpha: lognormal(meanlog = 0.5, sdlog = 1)")

  transforms <- btg_transforms()
  expect_setequal(transforms$name, names(naive_transforms))
  expect_identical(transforms$domain[match(c("identity", "boxcox", "logit"), transforms$name)],
                   c("any number", "positive", "between two bounds"))
  expect_match(transforms$parameters[transforms$name == "sinharcsinh"], "^a: .*; b: ")
  expect_identical(transforms$parameters[transforms$name == "identity"], "none")
  for (text in list(kernels$summary, transforms$summary)) expect_true(all(nzchar(text)))
})

# A surface is differentiable as often as its correlation is even at 0: the first odd power of r in
# the series of the correlation is one above twice the smoothness.
test_that("the stated smoothness is that of the correlation at 0", {
  kernels <- btg_kernels()
  h <- 0.02
  for (name in kernels$name[is.finite(kernels$smoothness)]) {
    k <- naive_kernels[[name]](h * (0:8))
    series <- solve(outer(0:8, 0:8, `^`), k) / h^(0:8)
    first_odd <- which(abs(series[c(2, 4, 6)]) > 0.01)[1]
    expect_equal(kernels$smoothness[kernels$name == name], first_odd - 1)
  }
})
