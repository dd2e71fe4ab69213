test_that("results do not depend on the number of threads, to the last bit", {
  d <- oracle_data()
  new <- data.frame(x = seq(0, 12, length.out = 40), w = 5500)
  results <- function(threads) {
    one <- btg(y ~ x + w, d, transform = "softplus", quadrature = few_nodes(), threads = threads)
    default <- btg(y ~ x + w, d, transform = "sinharcsinh",
                   quadrature = quad_adaptive(nodes = 64, most = 200), threads = threads)
    average <- btg(y ~ x + w, d, quadrature = few_nodes(), threads = threads)
    most_likely <- wgp(y ~ x + w, d, transform = "softplus", threads = threads)
    lapply(list(one, default, average, most_likely), function(fit) {
      list(nodes(fit), fit$model_weights,
           predict(fit, new, interval = "credible", threads = threads),
           predict(fit, new, type = "crps", at = 5, threads = threads),
           loocv(fit, threads = threads)$pointwise,
           loocv(fit, folds = 4, method = "naive", threads = threads)$pointwise,
           simulate(fit, 6, seed = 1, newdata = new, threads = threads))
    })
  }
  alone <- results(1)
  expect_identical(results(2), alone)
  skip_on_cran() # two are what it allows
  expect_identical(results(5), alone)
})

test_that("one thread is the default", {
  for (fun in list(btg.formula, btg.default, wgp.formula, wgp.default, predict.btg, loocv.btg,
                   simulate.btg, refine)) {
    expect_equal(formals(fun)$threads, 1)
  }
})
