bands <- function(fit, ...) predict(fit, ..., interval = "credible")

test_that("the formula and the matrix interface give the same fit", {
  d <- oracle_data()
  by_formula <- btg(y ~ x + w, d, trend = ~ x, quadrature = few_nodes(), transform = "sinharcsinh")
  by_frame <- btg(d[c("x", "w")], d$y, trend = ~ x, quadrature = few_nodes(),
                  transform = "sinharcsinh")
  by_matrix <- btg(as.matrix(d[c("x", "w")]), d$y, trend = ~ x, quadrature = few_nodes(),
                   transform = "sinharcsinh")
  expect_identical(nodes(by_frame), nodes(by_formula))
  expect_identical(nodes(by_matrix), nodes(by_formula))
  expect_identical(bands(by_frame, d), bands(by_formula, d))
  expect_identical(bands(by_matrix, as.matrix(d[c("x", "w")])), bands(by_formula, d))
})

test_that("a vector is one input, and columns without names are x1, x2, ...", {
  d <- oracle_data()
  by_vector <- btg(d$x, d$y, quadrature = few_nodes(), transform = "sinharcsinh")
  by_formula <- btg(y ~ x, d, quadrature = few_nodes(), transform = "sinharcsinh")
  expect_identical(names(nodes(by_vector))[4], "lengthscale.x1")
  expect_identical(unname(nodes(by_vector)), unname(nodes(by_formula)))
  expect_identical(bands(by_vector, c(1, 5)), bands(by_formula, data.frame(x = c(1, 5))))
  unnamed <- btg(unname(as.matrix(d[c("x", "w")])), d$y, quadrature = few_nodes(),
                 transform = "sinharcsinh")
  expect_identical(names(nodes(unnamed))[4:5], c("lengthscale.x1", "lengthscale.x2"))
})

test_that("the formula may come by name or through a pipe", {
  d <- oracle_data()
  expected <- nodes(btg(y ~ x, d, quadrature = few_nodes(), transform = "sinharcsinh"))
  expect_identical(nodes(btg(formula = y ~ x, data = d, quadrature = few_nodes(),
                             transform = "sinharcsinh")), expected)
  expect_identical(nodes(btg(data = d, formula = y ~ x, quadrature = few_nodes(),
                             transform = "sinharcsinh")), expected)
  expect_identical(nodes(btg(d, formula = y ~ x, quadrature = few_nodes(),
                             transform = "sinharcsinh")), expected)
  expect_error(btg(d, y ~ x), class = "btg_error_interface")
  formula <- y ~ x
  expect_identical(nodes(btg(formula, d, quadrature = few_nodes(),
                             transform = "sinharcsinh")), expected)
})

test_that("btg() works inside functions and with do.call()", {
  wrapper <- function(f, data, rows) {
    btg(f, data, subset = rows, quadrature = few_nodes(), transform = "sinharcsinh")
  }
  d <- oracle_data()
  expected <- nodes(btg(y ~ x, d[1:10, ], quadrature = few_nodes(), transform = "sinharcsinh"))
  expect_identical(nodes(do.call(btg, list(y ~ x, d[1:10, ], quadrature = few_nodes(),
                                           transform = "sinharcsinh"))), expected)
  rows <- 1:10
  expect_identical(nodes(wrapper(y ~ x, d, rows)), expected)
})

test_that("subset chooses rows, na.action what to do with missing ones", {
  d <- oracle_data()
  expected <- btg(y ~ x + w, d[d$w > 5200, ], quadrature = few_nodes(), transform = "sinharcsinh")
  chosen <- btg(y ~ x + w, d, subset = w > 5200, quadrature = few_nodes(),
                transform = "sinharcsinh")
  expect_identical(nodes(chosen), nodes(expected))
  expect_identical(predict(chosen), predict(expected))

  d$x[4] <- NA
  complete <- btg(y ~ x + w, d[-4, ], quadrature = few_nodes(), transform = "sinharcsinh")
  expect_identical(nodes(btg(y ~ x + w, d, quadrature = few_nodes(),
                             transform = "sinharcsinh")), nodes(complete))
  expect_identical(nodes(btg(d[c("x", "w")], d$y, quadrature = few_nodes(),
                             transform = "sinharcsinh")), nodes(complete))
  expect_identical(nobs(btg(y ~ x + w, d, na.action = na.exclude, quadrature = few_nodes(),
                            transform = "sinharcsinh")), 13L)
  expect_error(btg(y ~ x + w, d, na.action = na.fail,
                   transform = "sinharcsinh"), class = "btg_error_model_frame")
  expect_error(btg(y ~ x + w, d, na.action = na.pass,
                   transform = "sinharcsinh"), class = "btg_error_missing_values")
})

test_that("transformations of variables are replayed on new data", {
  d <- oracle_data()
  by_hand <- btg(ly ~ lx + w, transform(d, ly = log(y), lx = log(x + 1)), quadrature = few_nodes(),
                 transform = "sinharcsinh")
  in_formula <- btg(log(y) ~ log(x + 1) + w, d, quadrature = few_nodes(), transform = "sinharcsinh")
  new <- data.frame(x = c(2, 9), w = c(5100, 5900))
  expect_identical(bands(in_formula, new), bands(by_hand, transform(new, lx = log(x + 1))))
  expect_identical(names(nodes(in_formula))[4:5], c("lengthscale.log(x + 1)", "lengthscale.w"))
})

test_that("constant inputs are dropped with a message, and change nothing", {
  d <- transform(oracle_data(), one = 1)
  expect_message(fit <- btg(y ~ one + x, d, quadrature = few_nodes(),
                            transform = "sinharcsinh"), "`one`",
                 class = "btg_message_constant_input")
  expect_identical(nodes(fit), nodes(btg(y ~ x, d, quadrature = few_nodes(),
                                         transform = "sinharcsinh")))
})

test_that("a fit keeps the call, and has the usual methods", {
  d <- oracle_data()
  fit <- btg(y ~ x, d, kernel = "rbf", quadrature = few_nodes(), transform = "sinharcsinh")
  expect_s3_class(fit, "btg", exact = TRUE)
  expect_identical(fit$call, quote(btg(formula = y ~ x, data = d, transform = "sinharcsinh",
                                       kernel = "rbf", quadrature = few_nodes())))
  expect_identical(nobs(fit), 14L)
  expect_equal(formula(fit), y ~ x, ignore_attr = TRUE)
  expect_equal(fit$scaling$y, list(center = mean(d$y), scale = sd(d$y)))
  positive <- btg(y ~ x, d, transform = "boxcox", quadrature = few_nodes())
  expect_equal(positive$scaling$y, list(center = 0, scale = exp(mean(log(d$y)))))
})

test_that("formula() gives the formula, however it was passed", {
  d <- oracle_data()
  kept <- y ~ x
  expect_equal(formula(btg(kept, d, quadrature = few_nodes(),
                           transform = "sinharcsinh")), y ~ x, ignore_attr = TRUE)
  wrapper <- function(f) btg(f, d, quadrature = few_nodes(), transform = "sinharcsinh")
  expect_equal(formula(wrapper(y ~ x)), y ~ x, ignore_attr = TRUE)
  expect_equal(formula(btg(y ~ ., d, quadrature = few_nodes(),
                           transform = "sinharcsinh")), y ~ x + w, ignore_attr = TRUE)
})

test_that("the defaults are those of the documentation", {
  d <- oracle_data()
  fit <- btg(y ~ x, d, transform = "sinharcsinh")
  model <- fit$models[[1]]
  expect_identical(model$transform$layers, "sinharcsinh")
  expect_identical(model$kernel[1:3], list(name = "matern52", ard = TRUE, product = FALSE))
  expect_identical(colnames(fit$design$trend), "(Intercept)")
  expect_identical(fit$quadrature$epsilon, 1e-4)
  expect_identical(
    nodes(fit),
    nodes(btg(y ~ x, d, trend = ~ 1, transform = "sinharcsinh", kernel = "matern52", ard = TRUE,
              product = FALSE, warp_inputs = TRUE, prior = btg_prior(), quadrature = "auto",
              epsilon = 1e-4))
  )
})

test_that("a fit to real data predicts sensibly", {
  fit <- btg(dist ~ speed, cars, transform = "boxcox")
  found <- suppressWarnings(bands(fit), classes = "btg_warning_lost_mass")
  expect_gt(cor(found[, "fit"], cars$dist), 0.75)
  covered <- mean(cars$dist >= found[, "lwr"] & cars$dist <= found[, "upr"])
  expect_gt(covered, 0.88)
  expect_true(all(found[, "lwr"] > 0))
  # Stopping distances spread more at high speed.
  width <- found[, "upr"] - found[, "lwr"]
  expect_gt(width[[50]], 1.5 * width[[3]])
})
