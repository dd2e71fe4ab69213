test_that("refine() adds nodes of another run and keeps what both agree on", {
  fit <- btg(dist ~ speed, cars, transform = "sinharcsinh",
             quadrature = quad_adaptive(nodes = 128, effective = 50, keep = 60))
  more <- refine(fit)
  expect_gt(more$quadrature$nodes_kept, fit$quadrature$nodes_kept)
  expect_gt(more$quadrature$effective_nodes, 1.5 * fit$quadrature$effective_nodes)
  expect_equal(sum(nodes(more)$weight), 1)
  expect_true(all(nodes(fit)$noise %in% nodes(more)$noise))
  expect_equal(more$quadrature$runs, 2)
  expect_length(more$quadrature$log_evidences, 2)
  expect_lt(abs(diff(more$quadrature$log_evidences)), 0.5)

  # Predictions are the pooled mixture of the two runs.
  other <- btg(dist ~ speed, cars,
               quadrature = quad_adaptive(nodes = 128, effective = 50, keep = 60, seed = 1),
               transform = "sinharcsinh")
  share <- c(fit$quadrature$effective_nodes, other$quadrature$effective_nodes)
  share <- share / sum(share)
  new <- data.frame(speed = c(4, 15, 30))
  cdf <- function(fit) predict(fit, new, type = "cdf", at = c(10, 40, 90))
  expect_equal(cdf(more), share[1] * cdf(fit) + share[2] * cdf(other), tolerance = 1e-12)

  third <- refine(more)
  expect_equal(third$quadrature$runs, 3)
  expect_false(any(nodes(third)$noise[!nodes(third)$noise %in% nodes(more)$noise] %in%
                     nodes(other)$noise))
})

test_that("refining brings predictions closer to those of many nodes", {
  skip_if_quick()
  reference <- btg(dist ~ speed, cars, quadrature = quad_adaptive(nodes = 8000, most = 20000),
                   transform = "sinharcsinh")
  new <- data.frame(speed = c(4, 15, 30))
  ends <- function(fit) predict(fit, new, interval = "credible")
  fits <- lapply(0:15, function(seed) {
    btg(dist ~ speed, cars, quadrature = quad_adaptive(nodes = 64, effective = 1, seed = 10 * seed),
        transform = "sinharcsinh")
  })
  error <- function(fit) mean((ends(fit) - ends(reference))^2)
  before <- mean(vapply(fits, error, 0))
  after <- mean(vapply(fits, function(fit) error(refine(refine(fit))), 0))
  expect_lt(after, before)
})

test_that("a refined fit counts the time of all its runs, and keeps what it knows", {
  fits <- list(btg(dist ~ speed, cars, quadrature = few_nodes(64), transform = "identity"),
               btg(dist ~ speed, cars[1:40, ], quadrature = few_nodes(64)))
  fits[[2]] <- update(fits[[2]], newdata = cars[41:50, ])
  for (fit in fits) {
    fit$seconds <- 1000
    took <- system.time(more <- refine(fit))[["elapsed"]]
    expect_gt(more$seconds, 1000)
    expect_lte(more$seconds, 1000 + took + 0.01)
    expect_identical(more$added_rows, fit$added_rows)
  }
  expect_identical(more$added_rows, 10L)
})

test_that("grids cannot be refined", {
  fit <- btg(dist ~ speed, cars, quadrature = "ccd", transform = "sinharcsinh")
  expect_error(refine(fit), class = "btg_error_refine")
})

test_that("a fit with a seed near the largest integer is refined", {
  for (back in 0:2) {
    seed <- .Machine$integer.max - back
    fit <- btg(dist ~ speed, cars, quadrature = quad_sobol(64, seed = seed),
               transform = "identity")
    expect_no_warning(more <- refine(refine(refine(fit))))
    expect_equal(sum(nodes(more)$weight), 1)
    expect_equal(more$quadrature$runs, 4)
    # Every run has nodes of its own.
    expect_identical(anyDuplicated(nodes(more)$noise), 0L)
  }
})

test_that("the error of the evidence is pooled with the tail factor of each run", {
  fit <- btg(dist ~ speed, cars, quadrature = quad_adaptive(nodes = 128, effective = 50),
             transform = "identity")
  model <- fit$models[[1]]
  core <- integrate_model(build_models(fit$design, fit$models), "identity",
                          quad_adaptive(128, 50, seed = 7), 1e-4, new_run())
  expect_identical(core$error_factor, 1)
  effective <- c(fit$quadrature$effective_nodes, 1 / sum(core$weight^2))
  expect_pooled <- function(pooled) {
    errors <- c(fit$quadrature$log_evidence_error, core$log_evidence_error)
    expect_equal(pooled$log_evidence_error, sqrt(sum((effective / sum(effective) * errors)^2)))
  }
  pooled <- pool_nodes(model, core, nobs(fit) - 1)$quadrature
  expect_pooled(pooled)
  expect_identical(pooled$error_factor, 1)
  # As if a heavy tail had much of the weight. The larger factor is that of all nodes.
  core$diagnostics[["k_hat"]] <- 0.9
  core$error_factor <- 1.8
  core$log_evidence_error <- 1.8 * core$log_evidence_error
  pooled <- pool_nodes(model, core, nobs(fit) - 1)$quadrature
  expect_pooled(pooled)
  expect_identical(pooled$k_hat, 0.9)
  expect_identical(pooled$error_factor, 1.8)
})
