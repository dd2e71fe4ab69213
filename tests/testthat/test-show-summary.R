case_fit <- function(transform = "sinharcsinh", ...) {
  btg(y ~ x + w, oracle_data(), transform = transform, ..., quadrature = few_nodes())
}

test_that("summary() has moments and quantiles of the free hyperparameters, by weight", {
  fit <- case_fit(transform = "boxcox")
  found <- summary(fit)
  expect_s3_class(found, "summary.btg")
  table <- found$hyperparameters
  expect_identical(row.names(table), c("lengthscale.x", "lengthscale.w", "noise", "boxcox.lambda"))
  expect_named(table, c("mean", "sd", "2.5%", "50%", "97.5%"))
  at <- nodes(fit)
  for (name in row.names(table)) {
    mean <- weighted.mean(at[[name]], at$weight)
    expect_equal(table[name, "mean"], mean)
    expect_equal(table[name, "sd"], sqrt(weighted.mean((at[[name]] - mean)^2, at$weight)))
    mass_up_to <- function(value) sum(at$weight[at[[name]] <= value])
    mass_below <- function(value) sum(at$weight[at[[name]] < value])
    for (p in c(0.025, 0.5, 0.975)) {
      quantile <- table[name, paste0(100 * p, "%")]
      expect_gte(mass_up_to(quantile), p - 1e-12)
      expect_lte(mass_below(quantile), p)
    }
  }
})

test_that("weighted_quantile() is the ordinary one for equal weights", {
  x <- c(5, 1, 4, 2, 3)
  expect_identical(weighted_quantile(x, rep(0.2, 5), c(0.1, 0.5, 0.9)), c(1, 3, 5))
  expect_identical(weighted_quantile(x, c(0, 0, 1, 0, 0), c(0.001, 0.5, 0.999)), c(4, 4, 4))
  p <- c(0.1, 0.33, 0.77)
  expect_identical(weighted_quantile(x, rep(0.2, 5), p), unname(quantile(x, p, type = 1)))
  expect_identical(weighted_quantile(7, 1, c(0.025, 0.975)), c(7, 7))
})

test_that("summary() tells fixed hyperparameters from free ones", {
  fixed <- c(noise = 0.2, sinharcsinh.a = -0.1)
  found <- summary(case_fit(prior = btg_prior(fixed = fixed)))
  expect_equal(found$fixed, fixed)
  expect_identical(row.names(found$hyperparameters),
                   c("lengthscale.x", "lengthscale.w", "sinharcsinh.b"))
  redundant <- summary(case_fit(transform = "affine"))
  expect_equal(redundant$fixed, c(affine.a = 0, affine.b = 1))
})

test_that("summary() reports how the integral went", {
  fit <- case_fit()
  found <- summary(fit)$quadrature
  expect_identical(found$nodes_tried, 48L)
  expect_identical(found$nodes_kept, nrow(nodes(fit)))
  expect_equal(found$effective_nodes, 1 / sum(nodes(fit)$weight^2))
  expect_true(all(c("log_evidence", "nodes_failed", "dropped_mass") %in% names(found)))
})

test_that("print() of a summary shows the table, the fixed values and the diagnostics", {
  out <- capture.output(print(summary(case_fit(prior = btg_prior(fixed = c(noise = 0.2))))))
  expect_match(out, "Bayesian transformed Gaussian process", fixed = TRUE, all = FALSE)
  expect_match(out, "median +95% interval", all = FALSE)
  expect_match(out, "^  lengthscale.x ", all = FALSE)
  expect_match(out, "Fixed: noise = 0.2", fixed = TRUE, all = FALSE)
  expect_match(out, "Log evidence: -", fixed = TRUE, all = FALSE)
  expect_no_match(out, "could not be evaluated|floor")
  capture.output(expect_invisible(print(summary(case_fit()))))
})

test_that("print() of a summary says when nodes failed or the noise is at its floor", {
  failed <- btg(y ~ x, oracle_data(), transform = c("affine", "softplus"),
                quadrature = few_nodes(256))
  expect_output(print(summary(failed)),
                paste(failed$quadrature$nodes_failed, "settings could not be evaluated"))
  x <- seq(0, 1, length.out = 40)
  smooth <- btg(x, sin(3 * x), kernel = "rbf", transform = "identity",
                prior = btg_prior(fixed = c(noise = 1e-14)), quadrature = few_nodes())
  expect_output(print(summary(smooth)), "The noise is at its floor, 8.9e-13")
  expect_equal(summary(smooth)$noise_floor,
               c(noise = 100 * 40 * .Machine$double.eps, share = 1))
  expect_identical(summary(case_fit())$noise_floor[["share"]], 0)
})

test_that("a summary of a fit with everything fixed prints no empty table", {
  fixed <- c(lengthscale.x = 2, lengthscale.w = 500, noise = 0.1)
  fit <- case_fit(transform = "identity", prior = btg_prior(fixed = fixed))
  out <- capture.output(print(summary(fit)))
  expect_match(out, "Fixed: lengthscale.x = 2, lengthscale.w = 500, noise = 0.1", fixed = TRUE,
               all = FALSE)
  expect_no_match(out, "0 columns")
})

test_that("lengthscales in units of a warped input are marked, and only those", {
  d <- transform(oracle_data(), s = exp(seq(0, 6, length.out = 14)))
  fits <- list(btg(y ~ x + s, d, transform = "identity", quadrature = few_nodes()),
               wgp(y ~ x + s, d),
               btg(y ~ x + s, d, quadrature = few_nodes()))
  for (fit in fits) {
    expect_named(fit$scaling$x$warp, "s")
    out <- capture.output(print(summary(fit)))
    expect_match(out, "^  lengthscale.s\\* ", all = FALSE)
    expect_match(out, "^  lengthscale.x ", all = FALSE)
    expect_match(out, "* in units of the warped input", fixed = TRUE, all = FALSE)
  }
  expect_identical(summary(fits[[1]])$warped, "lengthscale.s")
  fixed <- btg(y ~ s, d, transform = "identity", quadrature = few_nodes(),
               prior = btg_prior(fixed = c(lengthscale.s = 2)))
  expect_output(print(summary(fixed)), "Fixed: lengthscale.s* = 2", fixed = TRUE)
  plain <- btg(y ~ x + s, d, transform = "identity", quadrature = few_nodes(), warp_inputs = FALSE)
  expect_no_match(capture.output(print(summary(plain))), "warped|\\*")
})

test_that("a column of a matrix that was warped is known by its input", {
  d <- oracle_data()
  d$m <- cbind(a = d$x, b = exp(seq(0, 6, length.out = 14)))
  fit <- btg(y ~ m, d, transform = "identity", quadrature = few_nodes())
  expect_identical(summary(fit)$warped, "lengthscale.mb")
})

test_that("the numbers of a summary have the same significant digits", {
  found <- summary(case_fit())
  out <- capture.output(print(found, digits = 3))
  row <- grep("^  noise ", out, value = TRUE)
  shown <- setdiff(strsplit(trimws(row), " +")[[1]][-1], "to")
  expect_identical(shown, unname(format_significant(
    unlist(found$hyperparameters["noise", c("50%", "2.5%", "97.5%")]), 3)))
})

test_that("a single node has no sds, and the evidence has a caveat", {
  d <- oracle_data()
  fit <- btg(y ~ x + w, d, transform = "identity", quadrature = few_nodes(8))
  model <- fit$models[[1]]
  model$posterior <- lapply(model$posterior, function(part) {
    if (is.matrix(part)) part[1, , drop = FALSE] else part[1]
  })
  model$posterior$weight <- 1
  model$posterior["predictive"] <- list(NULL)
  model$quadrature[c("effective_nodes", "least_effective", "nodes_kept")] <- list(1, 10, 1L)
  fit$models[[1]] <- model
  fit$quadrature <- fit_quadrature(fit)
  fit <- add_checksum(fit)
  found <- summary(fit)
  expect_true(all(is.na(found$hyperparameters[c("sd", "2.5%", "97.5%")])))
  expect_identical(found$hyperparameters$mean, unname(unlist(
    nodes(fit)[1, row.names(found$hyperparameters)])))
  expect_output(print(found), "Log evidence: .* \\(rough: too few nodes\\)")
  expect_output(print(found), "not known from a single setting")
  expect_output(print(found), "One setting .* nearly all the weight.*`refine\\(\\)`")
  expect_output(print(fit), "Numerical accuracy: poor")
})
