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
