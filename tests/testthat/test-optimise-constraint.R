constrained_data <- function() {
  d <- oracle_data()
  d$cost <- 2 + 0.1 * d$x + 0.3 * sin(d$x)
  d
}

constraint_rows <- data.frame(x = c(3.3, 11, 0.5, 7), w = c(5700, 5100, 5050, 5400))

# Location and scale of the t distribution that a fit without a transform predicts.
t_parts <- function(fit, rows, df) {
  ends <- predict(fit, rows, type = "quantile", probs = pt(c(0, 1), df), observation = FALSE)
  list(m = ends[, 1], s = ends[, 2] - ends[, 1])
}

test_that("the constrained improvement is the product of two closed forms", {
  d <- constrained_data()
  fit <- wgp(y ~ x + w, d, transform = "identity")
  cost <- wgp(cost ~ x + w, d, transform = "identity")
  df <- nrow(d) - 1
  y <- t_parts(fit, constraint_rows, df)
  k <- t_parts(cost, constraint_rows, df)
  improvement <- function(target) {
    u <- (target - y$m) / y$s
    y$s * (u * pt(u, df) + (df + u^2) / (df - 1) * dt(u, df))
  }
  holds <- function(at) pt((at - k$m) / k$s, df)
  at <- unname(quantile(d$cost, c(0.3, 0.7)))
  ask <- function(...) {
    unname(acquire(fit, constraint_rows, target = 1.4, constraints = btg_constraint(cost, ...)))
  }
  expect_equal(ask(below = at[1]), unname(improvement(1.4) * holds(at[1])), tolerance = 1e-6)
  expect_equal(ask(above = at[1]), unname(improvement(1.4) * (1 - holds(at[1]))), tolerance = 1e-6)
  expect_equal(ask(below = at[2], above = at[1]),
               unname(improvement(1.4) * (holds(at[2]) - holds(at[1]))), tolerance = 1e-6)
  both <- list(btg_constraint(cost, below = at[2]), btg_constraint(fit, above = 1))
  expect_equal(unname(acquire(fit, constraint_rows, target = 1.4, constraints = both)),
               unname(improvement(1.4) * holds(at[2]) * (1 - pt((1 - y$m) / y$s, df))),
               tolerance = 1e-6)
})

test_that("the target is the best among rows that probably satisfy the constraints", {
  d <- constrained_data()
  fit <- wgp(y ~ x + w, d, transform = "softplus")
  cost <- wgp(cost ~ x + w, d, transform = "identity")
  limit <- d$cost[which.min(d$y)] + 0.05
  k <- btg_constraint(cost, above = limit)
  holds <- drop(predict(cost, d, type = "exceedance", at = limit, observation = FALSE)) >= 0.5
  expect_true(any(holds) && !holds[which.min(d$y)])
  expect_equal(acquire(fit, constraint_rows, constraints = k),
               acquire(fit, constraint_rows, constraints = k, target = min(d$y[holds])))
  median <- predict(fit, observation = FALSE)
  expect_equal(acquire(fit, constraint_rows, target = "median", constraints = k),
               acquire(fit, constraint_rows, constraints = k, target = min(median[holds])))
})

test_that("without a feasible row the criterion is the probability of the constraints", {
  d <- constrained_data()
  fit <- wgp(y ~ x + w, d, transform = "softplus")
  cost <- wgp(cost ~ x + w, d, transform = "identity")
  k <- btg_constraint(cost, below = min(d$cost) - 0.2)
  expect_message(value <- acquire(fit, constraint_rows, constraints = k),
                 class = "btg_message_infeasible")
  expect_equal(unname(value), tolerance = 1e-8,
               unname(drop(predict(cost, constraint_rows, type = "cdf",
                                   at = min(d$cost) - 0.2, observation = FALSE))))
  expect_no_message(acquire(fit, constraint_rows, constraints = k, target = 1))
  expect_message(found <- suggest(fit, constraints = k), class = "btg_message_infeasible")
  grid <- expand.grid(x = seq(min(d$x), max(d$x), length.out = 30),
                      w = seq(min(d$w), max(d$w), length.out = 30))
  expect_gte(found$ei, max(suppressMessages(acquire(fit, grid, constraints = k))) * (1 - 1e-6))
})

test_that("gradients are those of differences, and suggestions the largest value", {
  d <- constrained_data()
  fit <- btg(y ~ x + w, d, transform = "softplus", quadrature = few_nodes())
  cost <- btg(cost ~ x + w, d, transform = "identity", quadrature = few_nodes())
  k <- btg_constraint(cost, below = 3, above = 2)
  for (criterion in c("ei", "pi", "spread", "contour")) {
    value <- function(new, ...) {
      acquire(fit, new, criterion, constraints = k,
              threshold = if (criterion == "contour") 1.2, ...)
    }
    at <- value(constraint_rows, gradient = TRUE)
    for (name in c("x", "w")) {
      h <- c(x = 1e-3, w = 0.2)[[name]]
      moved <- function(step) {
        constraint_rows[[name]] <- constraint_rows[[name]] + step
        value(constraint_rows)
      }
      expected <- (8 * (moved(h) - moved(-h)) - (moved(2 * h) - moved(-2 * h))) / (12 * h)
      expect_equal(attr(at, "gradient")[, name], expected, tolerance = 1e-5)
    }
  }
  best <- suggest(fit, constraints = k)
  grid <- expand.grid(x = seq(min(d$x), max(d$x), length.out = 60),
                      w = seq(min(d$w), max(d$w), length.out = 60))
  expect_gte(best$ei, max(acquire(fit, grid, constraints = k)) * (1 - 1e-4))
  expect_equal(best$ei, unname(acquire(fit, best[c("x", "w")], constraints = k)))
})

test_that("a constraint may have other variables than the fit", {
  d <- constrained_data()
  fit <- wgp(y ~ x, d, transform = "softplus")
  cost <- wgp(cost ~ w, d, transform = "identity")
  k <- btg_constraint(cost, below = 2.5)
  value <- acquire(fit, constraint_rows, constraints = k, target = 1.5, gradient = TRUE)
  expect_equal(colnames(attr(value, "gradient")), c("x", "w"))
  own <- acquire(fit, constraint_rows, target = 1.5, gradient = TRUE)
  holds <- drop(predict(cost, constraint_rows, type = "cdf", at = 2.5, observation = FALSE))
  expect_equal(attr(value, "gradient")[, "x"], attr(own, "gradient")[, "x"] * holds,
               tolerance = 1e-7)
  expect_error(acquire(fit, constraint_rows, constraints = k), "number",
               class = "btg_error_missing_columns")
  expect_error(suggest(fit, constraints = k, target = 1.5), class = "btg_error_missing_columns")
})

test_that("constraints say what is wrong with them", {
  d <- constrained_data()
  fit <- wgp(cost ~ x + w, d, transform = "identity")
  refused <- function(object, class = "argument") {
    expect_error(object, class = paste0("btg_error_", class))
  }
  refused(btg_constraint(fit))
  refused(btg_constraint(fit, below = "3"))
  refused(btg_constraint(fit, below = 1, above = 2))
  refused(btg_constraint(below = NA))
  refused(btg_constraint(3, below = 1))
  refused(btg_constraint(fit, below = 1, transform = "identity"), "unknown_argument")
  refused(btg_constraint(NULL, 1, 0, 3), "unknown_argument")
  refused(acquire(fit, d, constraints = 3))
  refused(acquire(fit, d, constraints = btg_constraint(below = 3)))
  refused(acquire(fit, d, "quantile", constraints = btg_constraint(fit, below = 3)))
  expect_output(print(btg_constraint(fit, below = 3, above = 1)),
                "cost must be at least 1 and at most 3", fixed = TRUE)
})
