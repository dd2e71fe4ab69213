test_that("saved fits predict the same in a new session", {
  skip_on_cran()
  fits <- list(
    one = btg(dist ~ speed, cars, transform = "softplus", quadrature = few_nodes()),
    average = btg(dist ~ poly(speed, 2), cars, quadrature = few_nodes()),
    most_likely = wgp(dist ~ speed, cars, transform = "softplus", trend = ~ speed)
  )
  new <- data.frame(speed = c(3, 11.5, 40))
  answers <- function(fit) {
    list(predict(fit, new, interval = "credible"), predict(fit, new, type = "density", at = 20),
         loocv(fit)$pointwise, simulate(fit, 2, seed = 3, newdata = new))
  }
  files <- replicate(3, tempfile())
  saveRDS(fits, files[1L])
  writeLines(c(
    "library(btg)",
    paste0("options(btg.linear_algebra = ", deparse(getOption("btg.linear_algebra")), ")"),
    paste0("fits <- readRDS(", deparse(files[1L]), ")"),
    paste0("new <- ", paste(deparse(new), collapse = "")),
    "answers <- ", deparse(answers),
    paste0("saveRDS(lapply(fits, answers), ", deparse(files[2L]), ")")
  ), files[3L])
  output <- run_child(files[3L])
  expect_true(file.exists(files[2L]), info = output)
  expect_identical(readRDS(files[2L]), lapply(fits, answers))
})

test_that("a fit of another format says so, and what to do", {
  fit <- btg(dist ~ speed, cars, transform = "softplus", quadrature = few_nodes())
  expect_equal(fit$format$number, fit_format_number)
  fit$format <- list(number = 99L, version = "9.1.0")
  expect_error(predict(fit), "format 99 of btg 9.1.0.*Update btg", class = "btg_error_format")
  fit$format <- list(number = 0L, version = "0.0.1")
  expect_error(predict(fit), "format 0 of btg 0.0.1.*Fit again", class = "btg_error_format")
  expect_error(refine(fit), class = "btg_error_format")
  fit$format <- NULL
  expect_error(loocv(fit), "does not say which", class = "btg_error_format")
  average <- btg(dist ~ speed, cars, quadrature = few_nodes())
  average$format <- NULL
  expect_error(simulate(average), class = "btg_error_format")
})

test_that("every function refuses a fit of 0.2.0, and the fit still has its call and data", {
  fit <- btg(dist ~ speed, cars, transform = "softplus", quadrature = few_nodes())
  # Other components of that version had other contents.
  old <- structure(list(call = fit$call, data = fit$data,
                        format = list(number = 2L, version = "0.2.0")), class = class(fit))
  new <- data.frame(speed = c(3, 10))
  asks <- expression(
    print(old), summary(old), plot(old), predict(old, new), simulate(old), loocv(old), nodes(old),
    coef(old), fitted(old), residuals(old), logLik(old), nobs(old), formula(old), refine(old),
    update(old, newdata = cars[1:2, ]), log_posterior(old, new), acquire(old, new), suggest(old),
    sensitivity(old), predict_region(old, new), exceedance_region(old, new, 3),
    influence(old, new), variance_shares(old), group_effects(old), compare_fits(old, fit),
    predictive_scores(old, cars), prepare(old), select_models(old, "softplus")
  )
  for (ask in asks) {
    expect_error(eval(ask), "format 2 of btg 0.2.0.*Fit again", class = "btg_error_format",
                 info = deparse(ask))
  }
  again <- eval(old$call)
  expect_equal(predict(again, new), predict(fit, new))
})

test_that("a fit and a cross-validation that were changed by hand are refused", {
  fit <- btg(dist ~ speed, cars, transform = "softplus", quadrature = few_nodes())
  likely <- wgp(dist ~ speed, cars, restarts = 1)
  damaged <- function(object) expect_error(object, "damaged", class = "btg_error_damaged")
  for (one in list(fit, likely)) {
    changed <- one
    changed$models[[1]]$posterior$weight[1] <- 0.5
    damaged(predict(changed))
    damaged(simulate(changed))
    damaged(loocv(changed))
    damaged(nodes(changed))
    damaged(coef(changed))
    lost <- one
    lost$scaling <- NULL
    damaged(predict(lost))
    # What users add, and the call and the time, do no harm.
    one$note <- "mine"
    one$call <- quote(btg())
    one$seconds <- 0
    expect_no_error(predict(one))
  }
  refined <- fit
  refined$settings <- list()
  damaged(refine(refined))
  cv <- loocv(fit)
  cv$pointwise$log_score[1] <- 100
  damaged(summary(cv))
  damaged(compare_fits(fit, cv))
  for (whole in list(refine(fit), update(fit, newdata = cars[1, ]), select_models(fit, 1))) {
    expect_no_error(predict(whole))
  }
})
