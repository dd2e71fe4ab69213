test_that("shares are the prior variances of terms and noise", {
  d <- grouped_data()
  fit <- wgp(y ~ x + linear(t) + (1 | g), d, warp_inputs = FALSE,
             fixed = c(`ratio.linear(t)` = 0.5, `ratio.(1 | g)` = 2, noise = 0.25,
                       lengthscale.x = 1))
  # The mean of squares of a standardised variable is (n - 1) / n.
  size <- c(1, 0.5 * 35 / 36, 2) / 3.5
  expected <- c(size, 0.25) / sum(size, 0.25)
  shares <- variance_shares(fit)
  expect_identical(shares$term, c("main", "linear(t)", "(1 | g)", "noise"))
  expect_equal(shares$share, expected, tolerance = 1e-9)
  expect_true(all(is.na(shares$lwr)))
})

test_that("intervals of shares are quantiles over the nodes", {
  fit <- grouped_case("identity")$fit
  found <- nodes(fit)
  ratio <- cbind(1, as.matrix(found[startsWith(names(found), "ratio.")]))
  total <- rowSums(ratio)
  noise <- found$noise + fit$models[[1]]$noise_floor
  linear <- grepl("linear|x [|]", c("", names(found)[startsWith(names(found), "ratio.")]))
  size <- ratio / total * rep(ifelse(linear, 35 / 36, 1), each = nrow(found))
  share <- noise / (rowSums(size) + noise)
  shares <- variance_shares(fit, level = 0.8)
  quantile <- function(p) weighted_quantile(share, found$weight, p)
  expect_equal(unlist(shares[nrow(shares), -1]), c(share = quantile(0.5), lwr = quantile(0.1),
                                                   upr = quantile(0.9)))
  expect_output(print(summary(fit)), "Shares of the variance")
  expect_identical(summary(fit)$shares$term, shares$term)
  plain <- btg(dist ~ speed, cars, transform = "identity", quadrature = few_nodes(4))
  expect_null(summary(plain)$shares)
})

test_that("shares and terms of fits with censored rows are those of the hyperparameters", {
  d <- grouped_data()
  low <- d$y < quantile(d$y, 0.2)
  d$y[low] <- max(d$y[low])
  fit <- btg(y ~ x + (1 | g), d, transform = "identity", warp_inputs = FALSE,
             censored = ifelse(low, "left", "none"), quadrature = few_nodes(16))
  found <- nodes(fit)
  noise <- found$noise + fit$models[[1]]$noise_floor
  share <- function(p) weighted_quantile(noise / (1 + noise), found$weight, p)
  expect_equal(unlist(variance_shares(fit)[3, -1]),
               c(share = share(0.5), lwr = share(0.025), upr = share(0.975)))
  terms <- predict(fit, d[1:5, ], type = "terms")
  process <- predict(fit, d[1:5, ], type = "mean", observation = FALSE)
  expect_equal(unname(rowSums(terms) + attr(terms, "constant")), unname(process),
               tolerance = 1e-6)
})

test_that("terms can be chosen as the formula has them", {
  d <- grouped_data()
  fit <- btg(y ~ x + gp(t, x, kernel = "rbf") + (x | g) + (1 | g / h), d, transform = "identity",
             quadrature = few_nodes())
  new <- data.frame(x = 0.3, t = 5, g = "b", h = 2)
  predicted <- function(...) predict(fit, new, ...)
  expect_identical(predicted(exclude = "(x|g)"), predicted(exclude = c("(0 + x | g)", "(1 | g)")))
  expect_identical(predicted(exclude = "(1 | g/h)"), predicted(exclude = c("(1 | g)", "(1 | g:h)")))
  expect_identical(predicted(include = 'gp(t, x, kernel = "rbf")'), predicted(include = "gp(t, x)"))
  expect_error(predicted(exclude = "(t | g)"), class = "btg_error_argument")
  expect_error(predicted(exclude = "gp(x)"), class = "btg_error_argument")
  expect_error(predicted(exclude = "x +"), class = "btg_error_argument")
})

test_that("new data need only the variables of the terms that count", {
  d <- transform(grouped_data(), positive = exp(x))
  fit <- btg(y ~ x + gp(positive, rotated(x, t)) + (x | g) + (1 | h), d, transform = "identity",
             trend = ~ t, noise = ~ h, quadrature = few_nodes())
  new <- transform(new_grouped, positive = exp(x), g = "a")
  some <- predict(fit, new[c("x", "t", "h")], include = "main", interval = "prediction")
  expect_identical(some, predict(fit, new, include = "main", interval = "prediction"))
  expect_identical(predict(fit, transform(new, g = NA, positive = NA), include = "main"),
                   some[, "fit"])
  # The trend and the noise keep their variables.
  expect_error(predict(fit, new["x"], include = "main"), "`t` and `h`", fixed = TRUE)
  slopes <- predict(fit, new[c("x", "t", "h")], include = "main", type = "slope")
  expect_identical(unname(slopes[, "positive"]), c(0, 0, 0))
  expect_equal(slopes[, c("x", "t")],
               predict(fit, new, include = "main", type = "slope")[, c("x", "t")])
  # Without any term there is the trend alone.
  none <- predict(fit, new[c("t", "h")], include = character())
  expect_identical(none, predict(fit, new, exclude = names(fit_terms(fit))))
  expect_equal(predict(fit, new[c("x", "t", "h")], include = "main", type = "terms"),
               predict(fit, new, include = "main", type = "terms"))
})
