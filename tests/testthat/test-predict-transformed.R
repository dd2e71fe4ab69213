test_that("the transformed response has the mean and sd of the response, at every node", {
  for (transform in list("sinharcsinh", "boxcox", c("softplus", "arcsinh"))) {
    case <- oracle_case(transform)
    y <- case$data$y
    at <- seq(0.1, 6, length.out = 9)
    found <- transformed_response(case$fit, at)
    expect_identical(dim(found), c(9L, nrow(nodes(case$fit))))
    # The fit's own order of nodes is that of its posterior, not of nodes().
    order <- order(case$fit$models[[1]]$posterior$weight, decreasing = TRUE)
    for (i in seq_along(order)) {
      layers <- naive_layers(transform, case$model$nodes[i, ])
      g <- function(y) naive_forward((y - case$model$y_center) / case$model$y_scale, layers)
      expected <- mean(y) + sd(y) * (g(at) - mean(g(y))) / sd(g(y))
      expect_close(found[, order[i]], expected, 1e-9)
    }
  }
  identity <- oracle_case("identity")$fit
  expect_close(transformed_response(identity, c(-1, 2)), rep(c(-1, 2), nrow(nodes(identity))))
  expect_true(all(is.nan(transformed_response(oracle_case("boxcox")$fit, -1))))
})
