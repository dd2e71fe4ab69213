skip_if_not_installed("generics")

d <- oracle_data()
case <- oracle_case("sinharcsinh", trend = ~ x)
fit <- case$fit
average <- btg(y ~ x + w, d, quadrature = few_nodes(16))
likely <- wgp(y ~ x + w, d, trend = ~ x, transform = "boxcox", fixed = c(noise = 0.1))

test_that("tidy() has medians, sds and intervals of hyperparameters, by weight", {
  found <- generics::tidy(fit, conf.level = 0.8)
  expect_identical(found$term, c("lengthscale.x", "lengthscale.w", "noise", "sinharcsinh.a",
                                 "sinharcsinh.b"))
  expect_named(found, c("effect", "term", "estimate", "std.error", "conf.low", "conf.high"))
  at <- nodes(fit)
  for (i in seq_along(found$term)) {
    values <- at[[found$term[i]]]
    central <- weighted_quantile(values, at$weight, pnorm(c(-1, 1)))
    expect_equal(found$std.error[i], diff(central) / 2)
    for (p in c(0.1, 0.5, 0.9)) {
      quantile <- switch(as.character(p), "0.1" = found$conf.low[i], "0.5" = found$estimate[i],
                         "0.9" = found$conf.high[i])
      expect_gte(sum(at$weight[values <= quantile]), p - 1e-12)
      expect_lte(sum(at$weight[values < quantile]), p + 1e-12)
    }
  }
  expect_named(generics::tidy(fit, conf.int = FALSE), c("effect", "term", "estimate", "std.error"))
})

test_that("tidy() has the trend if asked, as confint() and vcov() have it", {
  found <- generics::tidy(fit, c("trend", "hyperparameters"), conf.level = 0.9)
  expect_identical(found$effect, rep(c("trend", "hyperparameters"), c(2, 5)))
  ends <- confint(fit, level = 0.9)
  expect_equal(cbind(found$conf.low, found$conf.high), unname(ends))
  expect_equal(found$std.error[1:2], unname(sqrt(diag(vcov(fit)))))
  scaled <- confint(fit, "x", level = 1e-6)
  expect_equal(found$estimate[2], mean(scaled), tolerance = 1e-5)
  expect_error(generics::tidy(fit, "fixed"), class = "btg_error_argument")
  expect_error(generics::tidy(fit, level = 0.9), class = "btg_error_unknown_argument")
})

test_that("tidy() tells the models of an average apart", {
  found <- generics::tidy(average)
  used <- names(average$models)[average$model_weights > 0]
  expect_identical(unique(found$model), used)
  for (name in used) {
    one <- generics::tidy(select_models(average, name))
    expect_equal(as.data.frame(found[found$model == name, names(one)]), as.data.frame(one))
  }
  expect_true(is.na(generics::tidy(average, "trend")$model))
})

test_that("tidy() of a fit by wgp() has its estimates and intervals", {
  found <- generics::tidy(likely, c("hyperparameters", "trend"))
  expect_identical(found$term, c("lengthscale.x", "lengthscale.w", "boxcox.lambda", "(Intercept)",
                                 "x"))
  expect_equal(found$estimate, unname(c(unlist(nodes(likely)[found$term[1:3]]), coef(likely))))
  expect_equal(cbind(found$conf.low, found$conf.high), unname(confint(likely)[found$term, ]))
  expect_equal(found$std.error, c(NA, NA, NA, unname(sqrt(diag(vcov(likely))))))
  all_fixed <- wgp(y ~ x, d, fixed = c(lengthscale.x = 2, noise = 0.1))
  expect_identical(nrow(generics::tidy(all_fixed)), 0L)
})

test_that("glance() is one row", {
  one <- generics::glance(fit)
  expect_identical(nrow(one), 1L)
  expect_identical(one$nobs, 14L)
  expect_equal(one$logLik, as.numeric(logLik(fit)))
  expect_equal(one$effective.nodes, 1 / sum(nodes(fit)$weight^2))
  both <- generics::glance(average)
  expect_equal(both$nodes, nrow(nodes(average)))
  expect_equal(both$models, sum(average$model_weights > 0))
  expect_named(both, names(one))
  ml <- generics::glance(likely)
  expect_equal(c(ml$AIC, ml$BIC), c(AIC(likely), BIC(likely)))
  expect_true(ml$converged)
})

test_that("augment() is the data with predictions", {
  for (one in list(fit, average, likely)) {
    found <- generics::augment(one)
    expected <- predict(one, interval = "credible")
    expect_equal(cbind(found$.fitted, found$.lower, found$.upper), unname(expected))
    expect_equal(found$.resid, unname(residuals(one)))
    expect_equal(found$y, d$y)
    expect_equal(found$x, d$x)
  }
  new <- data.frame(x = c(1, NA, 20), w = 5500, id = c("a", "b", "c"))
  found <- generics::augment(fit, newdata = new, conf.level = 0.5, observation = FALSE)
  expected <- predict(fit, new, interval = "credible", level = 0.5, observation = FALSE)
  expect_named(found, c("x", "w", "id", ".fitted", ".lower", ".upper"))
  expect_equal(found$.upper, unname(expected[, "upr"]))
  expect_equal(generics::augment(fit, newdata = new, interval = "hdi")$.lower,
               unname(predict(fit, new, interval = "hdi")[, "lwr"]))
  expect_equal(generics::augment(fit, newdata = new, interval = "confidence")$.lower,
               unname(predict(fit, new, interval = "confidence")[, "lwr"]))
  expect_named(generics::augment(fit, newdata = new, interval = "none"),
               c("x", "w", "id", ".fitted"))
})

test_that("augment() finds the response of other rows, if it is there", {
  logs <- btg(log(y) ~ x, d, transform = "identity", quadrature = few_nodes(8))
  found <- generics::augment(logs, d[3:5, ])
  expect_equal(found$.resid, log(d$y[3:5]) - found$.fitted)
  expect_equal(generics::augment(logs)$`log(y)`, log(d$y))
  y <- 1:3 # not the response of these rows
  expect_null(generics::augment(fit, newdata = d[3:5, c("x", "w")])[[".resid"]])
  d$x[4] <- NA
  gaps <- btg(y ~ x, d, transform = "identity", quadrature = few_nodes(8), na.action = na.exclude)
  expect_identical(which(is.na(generics::augment(gaps, d)$.fitted)), 4L)
})

test_that("augment() has the rows of the data, and what was left out is NA, after na.exclude", {
  skip_if_not_installed("tibble")
  d <- transform(d, f = factor(rep_len(c("a", "b", "c"), 14)),
                 day = as.Date("2024-01-01") + 1:14)
  d$m <- cbind(d$x, d$x^2)
  d$y[c(2, 9)] <- NA
  d$f[4] <- NA
  row.names(d) <- paste0("row", 1:14)
  used <- setdiff(1:14, c(2, 4, 9))
  fits <- list(btg(y ~ f + day + m, d, trend = ~ w, transform = "identity",
                   quadrature = few_nodes(8), na.action = na.exclude),
               btg(y ~ f + day + m + w, d, quadrature = few_nodes(8), na.action = na.exclude),
               wgp(y ~ f + day + m + w, d, na.action = na.exclude))
  for (fit in fits) {
    found <- generics::augment(fit)
    expect_identical(nrow(found), 14L)
    for (name in c("y", "f", "day", "m", "w")) {
      expect_equal(found[[name]], d[[name]], ignore_attr = c("dimnames", "names"))
    }
    expect_identical(which(!is.na(found$.fitted)), used)
    expect_equal(found$.fitted, unname(fitted(fit)))
    expect_equal(found$.resid, unname(residuals(fit)))
    expect_equal(found$.upper, unname(predict(fit, interval = "credible")[, "upr"]))
    expect_named(fitted(fit), row.names(d))
    expect_named(residuals(fit), row.names(d))
    expect_named(residuals(fit, "pit"), row.names(d))
    expect_equal(residuals(fit), stats::setNames(d$y, row.names(d)) - fitted(fit))
  }
  part <- btg(log(y) ~ w, d, subset = w > min(w) & !is.na(f), transform = "identity",
              quadrature = few_nodes(8), na.action = na.exclude)
  found <- generics::augment(part)
  expect_equal(found$`log(y)`, log(d$y[d$w > min(d$w) & !is.na(d$f)]))
  expect_identical(is.na(found$.fitted), is.na(found$`log(y)`))
  omitted <- btg(y ~ w, d, transform = "identity", quadrature = few_nodes(8))
  expect_identical(nrow(generics::augment(omitted)), 12L)
  expect_length(residuals(omitted), 12)
})

test_that("augment() of a fit with weights has the intervals of its own rows", {
  d$n <- rep(c(1, 8), 7)
  weighted <- btg(y ~ x, d, weights = n, transform = "identity", quadrature = few_nodes(8))
  expected <- predict(weighted, interval = "credible")
  expect_equal(generics::augment(weighted)$.upper, unname(expected[, "upr"]))
})

test_that("tidy() of a cross-validation has its estimates", {
  cv <- loocv(fit)
  found <- generics::tidy(cv)
  expect_identical(found$term, row.names(cv$estimates))
  expect_equal(found$estimate, cv$estimates$estimate)
  expect_equal(found$std.error, cv$estimates$se)
})

test_that("tidy() lists the effects of groups in the columns of broom.mixed", {
  d <- grouped_data()
  for (fit in list(btg(y ~ t + (x | g) + (1 | g:h), d, transform = "identity",
                       quadrature = few_nodes()),
                   wgp(y ~ t + (x | g) + (1 | g:h), d))) {
    found <- as.data.frame(generics::tidy(fit, c("ran_vals", "trend"), conf.level = 0.8))
    expect_named(found, c("effect", "group", "level", "term", "estimate", "std.error", "conf.low",
                          "conf.high"))
    effects <- group_effects(fit, 0.8)
    own <- found[found$effect == "ran_vals", ]
    expect_equal(unname(own[c("level", "estimate", "std.error", "conf.low", "conf.high")]),
                 unname(effects[c("group", "effect", "sd", "lwr", "upr")]))
    expect_identical(unique(own[c("group", "term")]$group), c("g", "g:h"))
    expect_identical(own$term[own$level == "a"], c("x", "(Intercept)"))
    trend <- as.data.frame(generics::tidy(fit, "trend", conf.level = 0.8))
    expect_equal(found[found$effect == "trend", names(trend)], trend, ignore_attr = TRUE)
    expect_named(trend, setdiff(names(found), c("group", "level")))
  }
  expect_error(generics::tidy(btg(y ~ x, d, transform = "identity", quadrature = few_nodes()),
                              "ran_vals"), class = "btg_error_term")
})
