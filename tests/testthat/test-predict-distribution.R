skip_if_not_installed("distributional")

distributions <- function(case, new = case$new, ...) {
  quiet_predict(case$fit, new, type = "distribution", ...)
}

test_that("distributions answer as predictions do", {
  truncated <- btg_prior(fixed = c(boxcox.lambda = 2))
  cases <- list(oracle_case("sinharcsinh"), oracle_case("boxcox", prior = truncated),
                oracle_case(c("softplus", "sinharcsinh"), trend = ~ x))
  for (case in cases) {
    for (observation in c(TRUE, FALSE)) {
      ask <- function(type, ...) {
        unname(quiet_predict(case$fit, case$new, type = type, observation = observation, ...))
      }
      d <- distributions(case, observation = observation)
      at <- c(0.3, 1, 2.5)
      each_row <- function(answers) do.call(rbind, answers)
      expect_close(each_row(quantile(d, c(0.01, 0.5, 0.99))),
                   ask("quantile", probs = c(0.01, 0.5, 0.99)))
      expect_close(quantile(d, 0.2), ask("quantile", probs = 0.2))
      expect_close(each_row(distributional::cdf(d, at)), ask("cdf", at = at), 1e-12)
      expect_close(each_row(density(d, at)), ask("density", at = at), 1e-12)
      expect_close(each_row(density(d, at, log = TRUE)), ask("log_density", at = at), 1e-10)
      expect_close(median(d), ask("response"))
      expect_close(mean(d), ask("mean"), 1e-12)
      expect_close(distributional::variance(d), ask("variance"), 1e-12)
    }
  }
})

test_that("distributions are the naive mixtures", {
  case <- oracle_case("sinharcsinh")
  d <- distributions(case)
  mixtures <- naive_mixtures(case$model, case$new, case$new_trend)
  for (i in 1:3) {
    expect_close(distributional::cdf(d[i], 1.3), mixtures[[i]]$cdf(1.3))
    expect_close(density(d[i], 1.3), mixtures[[i]]$density(1.3))
    expect_close(mixtures[[i]]$cdf(quantile(d[i], 0.123)), 0.123)
  }
})

test_that("distributions of an average of models are its predictions", {
  d <- oracle_data()
  fit <- btg(y ~ x + w, d, transform = "auto", quadrature = few_nodes())
  expect_gt(length(fit$models), 1)
  new <- d[c(2, 9), ]
  found <- quiet_predict(fit, new, type = "distribution")
  expect_close(median(found), quiet_predict(fit, new))
  expect_close(distributional::cdf(found, 1.2), quiet_predict(fit, new, type = "cdf", at = 1.2))
})

test_that("zeros are clipped in distributions as in predictions", {
  d <- oracle_data()
  d$y <- pmax(d$y - 0.7, 0)
  fit <- suppressMessages(btg(y ~ x + w, d, transform = "boxcox", quadrature = few_nodes()))
  new <- data.frame(x = 3.3, w = 5700)
  found <- quiet_predict(fit, new, type = "distribution")
  expect_identical(distributional::cdf(found, c(-1, 0))[[1]],
                   c(quiet_predict(fit, new, type = "cdf", at = c(-1, 0))))
  expect_identical(quantile(found, 0), 0)
})

test_that("intervals and regions are of the package distributional", {
  case <- oracle_case("softplus")
  d <- distributions(case)
  interval <- predict(case$fit, case$new, interval = "credible", level = 0.9)
  hilo <- distributional::hilo(d, 90)
  expect_s3_class(hilo, "hilo")
  expect_close(hilo$lower, interval[, "lwr"])
  expect_close(hilo$upper, interval[, "upr"])
  shortest <- predict(case$fit, case$new, interval = "hdi", level = 0.9)
  hdr <- distributional::hdr(d, 90)
  expect_s3_class(hdr, "hdr")
  hdr <- unclass(hdr)
  expect_close(unlist(hdr$lower), shortest[, "lwr"], 1e-5)
  expect_close(unlist(hdr$upper), shortest[, "upr"], 1e-5)
})

# The least height of a density, over a fine grid, above which there is the mass `level`.
naive_height <- function(density, grid, level) {
  f <- sort(density(grid), decreasing = TRUE)
  f[which(cumsum(f) * (grid[2] - grid[1]) >= level)[1]]
}

test_that("a region of highest density has as many intervals as it needs", {
  case <- oracle_case("identity")
  one <- unclass(distributions(case)[1])[[1]]
  # Half of the nodes far from the others.
  nodes <- length(one$location)
  one$shared$weight <- rep(1 / nodes, nodes)
  one$location <- ifelse(seq_len(nodes) <= 0.4 * nodes, -4, 3)
  one$scale <- rep(0.5, nodes)
  share <- mean(one$location < 0)
  scaling <- one$shared$scaling
  df <- one$shared$df
  density <- function(y) {
    z <- (y - scaling$center) / scaling$scale
    (share * dt((z + 4) / 0.5, df) + (1 - share) * dt((z - 3) / 0.5, df)) / 0.5 / scaling$scale
  }
  expect_close(density(1), ask_distribution(one, "density", 1))
  grid <- scaling$center + scaling$scale * seq(-30, 30, length.out = 200001)
  for (level in c(0.3, 0.5, 0.9, 0.99)) {
    found <- unclass(hdr.dist_btg(one, 100 * level))
    lower <- found$lower[[1]]
    upper <- found$upper[[1]]
    expect_length(lower, if (level < 0.5) 1 else 2)
    mass <- mapply(function(from, to) integrate(density, from, to, rel.tol = 1e-10)$value, lower,
                   upper)
    expect_equal(sum(mass), level, tolerance = 1e-6)
    height <- naive_height(density, grid, level)
    expect_equal(density(c(lower, upper)), rep(height, 2 * length(lower)), tolerance = 1e-3)
  }
})

test_that("regions of all or nothing, and of a response with zeros, are intervals", {
  d <- distributions(oracle_case("softplus"))
  all <- unclass(distributional::hdr(d[1], 100))
  expect_identical(c(all$lower[[1]], all$upper[[1]]), c(0, Inf))
  data <- oracle_data()
  data$y <- pmax(data$y - 0.7, 0)
  fit <- suppressMessages(btg(y ~ x + w, data, transform = "boxcox", quadrature = few_nodes()))
  low <- data[data$y == 0, ][1, ]
  region <- unclass(distributional::hdr(quiet_predict(fit, low, type = "distribution"), 90))
  interval <- quiet_predict(fit, low, interval = "hdi", level = 0.9)
  expect_close(c(region$lower[[1]], region$upper[[1]]), interval[, c("lwr", "upr")], 1e-5)
  expect_identical(region$lower[[1]], 0)
})

test_that("draws of a distribution are of it", {
  case <- oracle_case("sinharcsinh")
  d <- distributions(case)
  set.seed(1)
  draws <- distributional::generate(d, 2000)
  expect_identical(unname(lengths(draws)), rep(2000L, 3))
  for (i in 1:3) {
    pit <- predict(case$fit, case$new[i, ], type = "cdf", at = draws[[i]])
    expect_gt(ks.test(c(pit), "punif")$p.value, 0.001)
  }
  set.seed(1)
  expect_identical(distributional::generate(d, 2000), draws)
})

test_that("quantiles at 0 and 1 are the ends of the support, and what is missing stays so", {
  d <- distributions(oracle_case("softplus"))
  expect_identical(quantile(d[1], c(0, 1))[[1]], c(0, Inf))
  expect_identical(is.na(quantile(d[1], c(NA, 0.5, 1.5, -1))[[1]]), c(TRUE, FALSE, TRUE, TRUE))
  expect_identical(is.na(distributional::cdf(d[1], c(1, NA))[[1]]), c(FALSE, TRUE))
  real <- distributions(oracle_case("sinharcsinh"))
  expect_identical(quantile(real[1], c(0, 1))[[1]], c(-Inf, Inf))
  expect_match(format(distributional::support(real[1])), "R")
})

test_that("a mean that does not exist is NA", {
  d <- distributions(oracle_case("arcsinh"))
  expect_identical(unname(mean(d)), rep(NA_real_, 3))
  expect_identical(unname(distributional::variance(d)), rep(NA_real_, 3))
})

test_that("a row that cannot be predicted is a missing distribution", {
  case <- oracle_case("sinharcsinh")
  new <- rbind(case$new, c(NA, 5500))[c(1, 4, 2, 3), ]
  d <- distributions(case, new)
  expect_length(d, 4)
  expect_identical(unname(is.na(d)), c(FALSE, TRUE, FALSE, FALSE))
  expect_close(median(d)[-2], predict(case$fit, case$new))
  expect_identical(unname(is.na(median(d))), c(FALSE, TRUE, FALSE, FALSE))
  expect_identical(format(d)[[2]], "NA")
  expect_length(distributions(case, new[0, ]), 0)
  expect_true(all(is.na(distributions(case, new[2, ]))))
  data <- oracle_data()
  data$x[3] <- NA
  fit <- btg(y ~ x + w, data, na.action = na.exclude, quadrature = few_nodes(),
             transform = "sinharcsinh")
  padded <- predict(fit, type = "distribution")
  expect_identical(unname(which(is.na(padded))), 3L)
  expect_close(median(padded)[-3], predict(fit)[-3])
})

test_that("distributions are vectors: they subset, combine and go into data frames", {
  case <- oracle_case("identity")
  d <- distributions(case)
  expect_s3_class(d, "distribution")
  expect_close(median(d[c(3, 1)]), median(d)[c(3, 1)], 1e-15)
  expect_close(median(c(d[2], d[1])), median(d)[2:1], 1e-15)
  expect_close(mean(c(d[1], distributional::dist_normal(7, 1))), c(mean(d)[1], 7), 1e-12)
  frame <- data.frame(id = 1:3)
  frame$y <- d
  expect_close(median(frame[2:3, ]$y), median(d)[2:3], 1e-15)
  expect_match(paste(capture.output(print(frame)), collapse = "\n"), "btg(", fixed = TRUE)
  skip_if_not_installed("tibble")
  table <- tibble::tibble(id = 1:3, y = d)
  expect_close(median(table[3, ]$y), median(d)[3], 1e-15)
})

test_that("distributions print their median and interval", {
  case <- oracle_case("identity")
  d <- distributions(case)
  values <- predict(case$fit, case$new, interval = "credible")
  shown <- vapply(values[1, ], format, "", digits = 2)
  expect_identical(format(d)[[1]], paste0("btg(", shown[1], " [", shown[2], ", ", shown[3], "])"))
  expect_match(capture.output(print(d)), format(d)[[2]], fixed = TRUE, all = FALSE)
})

test_that("a distribution outlives its fit, and is small", {
  case <- oracle_case(c("affine", "sinharcsinh"))
  d <- distributions(case)
  file <- tempfile(fileext = ".rds")
  saveRDS(d, file)
  expect_identical(median(readRDS(file)), median(d))
  # Four numbers of the transform, a weight, a location and a scale a node.
  expect_lt(length(serialize(d[1], NULL)), 8 * 7 * nrow(nodes(case$fit)) + 6000)
})

test_that("without the package distributional, an error says what to install", {
  expect_error(check_installed("notInstalledAtAll", "type = \"distribution\""),
               "install.packages", class = "btg_error_not_installed")
})

test_that("distributions have the tolerance, the bound and the threads that predict() is given", {
  case <- oracle_case("sinharcsinh")
  probs <- c(0.001, 0.3, 0.99)
  found <- function(...) {
    do.call(rbind, quantile(predict(case$fit, case$new, type = "distribution", ...), probs))
  }
  expected <- function(...) {
    unname(predict(case$fit, case$new, type = "quantile", probs = probs, ...))
  }
  expect_close(found(tolerance = 0.01), expected(tolerance = 0.01), 1e-12)
  expect_gt(max(abs(found(tolerance = 0.01) - found())), 1e-6)
  expect_error(found(tolerance = 2), class = "btg_error_argument")

  run <- core_run
  mixture <- core_mixture
  asked <- list()
  recorded <- list(
    core_run = function(threads = 1) {
      asked$threads <<- c(asked$threads, threads)
      run(threads)
    },
    core_mixture = function(df, blocks, weight, location, scale, questions, options) {
      asked$bounds <<- c(asked$bounds, options$bound)
      mixture(df, blocks, weight, location, scale, questions, options)
    }
  )
  one <- found()
  for (bound in c("none", "hull", "singular", "both")) {
    asked <- list()
    with_functions(recorded, again <- found(bound = bound, threads = 2))
    expect_identical(asked$bounds, rep(bound, 3))
    expect_equal(asked$threads, 2)
    expect_close(again, one)
  }
})
