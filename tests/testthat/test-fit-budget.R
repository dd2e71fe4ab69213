test_that("the default rule spends more where likelihoods are cheap", {
  budget <- function(...) unlist(adaptive_budget(...))
  cheap <- budget(30, 10)
  dear <- budget(1500, 10)
  expect_true(all(cheap[c("effective", "most", "keep")] > dear[c("effective", "most", "keep")]))
  expect_equal(dear[["most"]], 1500)
  expect_equal(dear[["effective"]], 300)
  expect_lte(cheap[["most"]], 5000)
})

test_that("models of an average share the nodes of one, but for cheap ones", {
  of <- function(rows, share) unlist(adaptive_budget(rows, 5, share))
  expect_equal(of(500, 0.5)[["effective"]], of(500, 1)[["effective"]] / 2)
  expect_lt(of(500, 0.2)[["keep"]], of(500, 1)[["keep"]])
  expect_gt(min(of(20, 0.2) / of(20, 1)), 0.9)
})

test_that("what a user says of the rule holds", {
  design <- list(inputs = matrix(0, 50, 2))
  problem <- list(hyperparameters = list(a = list(prior = btg_dist("normal", mean = 0, sd = 1))))
  given <- budgeted_rule(quad_adaptive(nodes = 11, effective = 7, keep = Inf, seed = 3), design,
                         problem)
  expect_equal(given$options[c("nodes", "effective", "keep", "seed")],
               list(nodes = 11, effective = 7, keep = Inf, seed = 3))
  expect_gt(given$options$most, 0)
  expect_identical(budgeted_rule(quad_sobol(), design, problem), quad_sobol())
})
