wavy <- function(n = 40) {
  x <- seq(0, 1, length.out = n)
  noise <- sin(seq_len(n)^2)
  data.frame(x = x, y = exp(sin(6 * x) + 0.3 * noise))
}

fit_wavy <- function(...) btg(y ~ x, wavy(), transform = "sinharcsinh", ...)

test_that("the default predicts from fewer nodes, with the posterior's moments", {
  fit <- fit_wavy()
  all <- nodes(fit)
  few <- nodes(fit, predictive = TRUE)
  expect_identical(nrow(few), fit$quadrature$nodes_predictive)
  expect_lte(nrow(few), 16 + 5 * 4^2)
  expect_gt(nrow(all), 3 * nrow(few))
  expect_gt(min(few$weight), 0)
  expect_equal(sum(few$weight), 1, tolerance = 1e-12)
  # Normal coordinates: logs of all but `a`, and of the noise only nearly so.
  for (name in c("lengthscale.x", "sinharcsinh.b")) {
    for (degree in 1:4) {
      expect_equal(sum(few$weight * log(few[[name]])^degree),
                   sum(all$weight * log(all[[name]])^degree), tolerance = 1e-8)
    }
  }
  expect_equal(sum(few$weight * few$sinharcsinh.a * log(few$lengthscale.x)^2),
               sum(all$weight * all$sinharcsinh.a * log(all$lengthscale.x)^2), tolerance = 1e-8)
  key <- function(nodes) do.call(paste, nodes[-1])
  expect_true(all(key(few) %in% key(all)))
})

test_that("predictions from fewer nodes are those from all, to a small share of their error", {
  fit <- fit_wavy()
  all <- fit_wavy(quadrature = quad_adaptive(keep = Inf))
  expect_identical(nodes(fit), nodes(all))
  expect_identical(nodes(all, predictive = TRUE), nodes(all))
  expect_identical(all$quadrature$nodes_predictive, nrow(nodes(all)))
  new <- data.frame(x = c(-0.1, 0.03, 0.5, 0.72, 1.2))
  found <- predict(fit, new, interval = "credible", quadrature_error = TRUE)
  expected <- predict(all, new, interval = "credible", quadrature_error = TRUE)
  expect_lt(max(abs(found$fit - expected$fit) / expected$quadrature_error), 0.3)
  expect_gt(max(abs(found$fit - expected$fit)), 0)
  # Standard errors are still those of all nodes that were drawn.
  expect_equal(found$quadrature_error, expected$quadrature_error, tolerance = 0.1)
  elpd <- function(fit) loocv(fit)$estimates["elpd", "estimate"]
  expect_lt(abs(elpd(fit) - elpd(all)), 0.1)
})

test_that("the nodes predicted from are those of nodes(predictive = TRUE)", {
  fit <- fit_wavy(quadrature = quad_adaptive(keep = 20))
  expect_identical(fit$quadrature$nodes_predictive, 20L)
  d <- wavy()
  model <- naive_model(fit, d["x"], cbind(rep(1, nrow(d))), d$y, "sinharcsinh",
                       nodes = nodes(fit, predictive = TRUE))
  latent <- naive_latent(model, cbind(0.33), cbind(1))
  mixture <- naive_mixture(model, latent$location[1, ], latent$scale[1, ])
  y <- c(0.5, 2, 3.1)
  expect_equal(as.vector(predict(fit, data.frame(x = 0.33), type = "cdf", at = y)),
               vapply(y, mixture$cdf, 0), tolerance = 1e-9)
})

test_that("print() says how many nodes predictions are from, if not all", {
  expect_output(print(fit_wavy()), "effective; 96 to predict from")
  shown <- capture.output(print(fit_wavy(quadrature = few_nodes())))
  expect_no_match(shown, "to predict from")
})

test_that("refine() pools nodes to predict from", {
  fit <- fit_wavy()
  more <- refine(fit)
  few <- nodes(more, predictive = TRUE)
  expect_identical(nrow(few), 2L * fit$quadrature$nodes_predictive)
  expect_equal(sum(few$weight), 1)
  expect_identical(more$quadrature$nodes_predictive, nrow(few))
})

test_that("an average predicts from the fewer nodes of its models", {
  fit <- btg(y ~ x, wavy(), averaging = "posterior")
  each <- lapply(single_fits(fit), nodes, predictive = TRUE)
  few <- nodes(fit, predictive = TRUE)
  used <- names(fit$model_weights)[fit$model_weights > 0]
  expect_identical(nrow(few), sum(vapply(each[used], nrow, 0L)))
  expect_identical(fit$quadrature$nodes_predictive, nrow(few))
  one <- fit
  one$model_weights[] <- c(1, rep(0, length(fit$models) - 1L))
  expect_identical(fit_quadrature(one)$nodes_predictive, nrow(each[[1L]]))
  expect_equal(tapply(few$weight, few$model, sum)[used], fit$model_weights[used],
               ignore_attr = TRUE)
})

test_that("standard errors grow where the tails of the weights are heavy and have much weight", {
  fit <- fit_wavy()
  expect_lt(fit$quadrature$k_hat, 0.5)
  heavy <- fit
  heavy$models[[1]]$quadrature$k_hat <- 0.8
  new <- data.frame(x = c(0.2, 0.9))
  se <- function(fit) predict(fit, new, quadrature_error = TRUE)$quadrature_error
  expect_identical(se(add_checksum(heavy)), se(fit))
  heavy$models[[1]]$quadrature$nodes_tried <- 10 * fit$quadrature$nodes_tried
  expect_equal(se(add_checksum(heavy)), fit$quadrature$effective_nodes^0.15 * se(fit))
})

test_that("`keep` is checked", {
  expect_error(quad_adaptive(keep = -1), class = "btg_error_argument")
  expect_error(quad_adaptive(keep = "all"), class = "btg_error_argument")
})
