scores_of <- function(below, inside, lower, upper) {
  data.frame(y = 1, median = 1, log_score = 0, pit = below + inside / 2, mass = inside, lower,
             upper)
}

test_that("a censored response is covered by the share of its probability inside", {
  # An exact response, one below its limit and one between two.
  scores <- scores_of(c(0.3, 0, 0.05), c(0, 0.4, 0.5), c(1, -Inf, 0), c(1, 2, 3))
  expect_equal(is_covered(scores, 0.8), c(1, 0.3 / 0.4, 0.45 / 0.5))
  expect_equal(is_covered(scores, 0.2), c(0, 0, 0.15 / 0.5))
  # Averaged over places of the PIT in the interval, coverage is that of exact responses.
  place <- (seq_len(1e4) - 0.5) / 1e4
  expect_equal(mean(abs(0.05 + 0.5 * place - 0.5) < 0.4), is_covered(scores, 0.8)[3],
               tolerance = 1e-3)
})

test_that("PIT values in intervals are even if predictions are calibrated", {
  set.seed(1)
  n <- 2000
  mean <- runif(n, -1, 1)
  y <- rnorm(n, mean)
  censored <- y < 0.3
  below <- ifelse(censored, 0, pnorm(y, mean))
  inside <- ifelse(censored, pnorm(0.3, mean), 0)
  scores <- scores_of(below, inside, ifelse(censored, -Inf, y), ifelse(censored, 0.3, y))
  expect_gt(ks.test(pit_in_intervals(scores), "punif")$p.value, 0.01)
  expect_lt(suppressWarnings(ks.test(scores$pit, "punif"))$p.value, 1e-6)
})
