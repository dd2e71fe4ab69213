d <- mixed_data()
d$x[2] <- NA
fit <- btg(log(y) ~ poly(k, 2) + x + three + text + one, d, subset = y < 9, trend = ~ x + two,
           na.action = na.exclude, transform = "identity", quadrature = few_nodes(8)) |>
  suppressMessages()
kept <- d[d$y < 9 & !is.na(d$x), ]

test_that("model.frame() has the response and the variables of inputs and trend", {
  frame <- model.frame(fit)
  expected <- model.frame(log(y) ~ poly(k, 2) + x + three + text + two, d, subset = y < 9)
  expected$text <- factor(expected$text)
  expect_named(frame, names(expected))
  expect_equal(frame, expected, ignore_attr = TRUE)
  expect_identical(row.names(frame), row.names(expected))
  expect_identical(unclass(attr(frame, "na.action")), unclass(fit$na.action))
  expect_equal(model.response(frame), log(kept$y), ignore_attr = TRUE)
  expect_identical(nobs(fit), nrow(kept))
})

test_that("model.matrix() is that of the trend, or of the inputs", {
  expect_equal(model.matrix(fit), model.matrix(~ x + two, kept), ignore_attr = TRUE)
  expect_identical(dimnames(model.matrix(fit)), list(row.names(kept), c("(Intercept)", "x",
                                                                        "twohigh")))
  inputs <- model.matrix(fit, "inputs")
  expect_equal(inputs[, "x"], setNames(kept$x, row.names(kept)))
  expect_equal(inputs[, "threeb"], setNames(kept$three == "b", row.names(kept)) + 0)
  all_rows <- poly(d$k, 2)
  expect_equal(inputs[, 1:2], unclass(all_rows)[rownames(d) %in% rownames(kept), ],
               ignore_attr = TRUE)
  new <- kept[3:1, ]
  expect_equal(model.matrix(fit, data = new), model.matrix(fit)[3:1, ])
  expect_equal(model.matrix(fit, "inputs", new), inputs[3:1, ])
})

test_that("terms() and formula() are those of the fit", {
  expect_identical(attr(terms(fit), "term.labels"),
                   c("poly(k, 2)", "x", "three", "text", "one"))
  expect_identical(attr(terms(fit), "response"), 1L)
  expect_identical(attr(terms(fit, "trend"), "term.labels"), c("x", "two"))
  expect_identical(deparse1(formula(fit)), "log(y) ~ poly(k, 2) + x + three + text + one")
  expect_error(terms(fit, "kernel"), class = "btg_error_argument")
})

test_that("fits to matrices, with matrix variables, averages and fits by wgp() have them too", {
  d <- oracle_data()
  X <- as.matrix(d[c("x", "w")])
  by_matrix <- btg(X, d$y, transform = "identity", quadrature = few_nodes(8))
  expect_identical(deparse1(formula(by_matrix)), "y ~ x + w")
  expect_equal(model.frame(by_matrix), d[c("y", "x", "w")], ignore_attr = TRUE)
  expect_equal(model.matrix(by_matrix, "inputs"), X, ignore_attr = TRUE)

  variable <- btg(y ~ X, list(y = d$y, X = X), transform = "identity", quadrature = few_nodes(8))
  expect_equal(model.frame(variable)$X, X, ignore_attr = TRUE)
  expect_equal(model.matrix(variable, "inputs"), X, ignore_attr = TRUE)

  likely <- wgp(y ~ x, d, fixed = c(lengthscale.x = 2, noise = 0.1))
  expect_equal(model.frame(likely), d[c("y", "x")], ignore_attr = TRUE)
  average <- btg(y ~ x, d, trend = ~ x, quadrature = few_nodes(8))
  expect_equal(model.frame(average), d[c("y", "x")], ignore_attr = TRUE)
  expect_equal(model.matrix(average), model.matrix(y ~ x, d), ignore_attr = TRUE)
})
