# What a progress function is told while `code` runs: a data frame.
record_progress <- function(code) {
  told <- list()
  before <- options(btg.progress = function(what, done, total) {
    told[[length(told) + 1L]] <<- data.frame(what = what, done = done, total = total)
  })
  on.exit(options(before))
  force(code)
  do.call(rbind, told)
}

test_that("predictions and cross-validation go from 0 to 1", {
  fit <- btg(dist ~ speed, cars, transform = "softplus", quadrature = few_nodes(8))
  new <- data.frame(speed = seq(1, 30, length.out = 2^16 + 10)) # two blocks
  few <- new[1:90, , drop = FALSE]
  for (case in list(list("Predicting", function() predict(fit, new)),
                    list("Leaving out", function() loocv(fit)),
                    list("Leaving out", function() loocv(fit, method = "naive")),
                    list("Leaving out", function() loocv(fit, threads = 2)),
                    list("Simulating", function() simulate(fit, 5, newdata = few)),
                    list("Simulating", function() simulate(fit, 5, newdata = few, joint = 30)))) {
    told <- record_progress(case[[2L]]())
    expect_equal(unique(told$what), case[[1L]])
    expect_false(is.unsorted(told$done))
    expect_equal(range(told$done), c(0, 1))
    expect_true(all(told$total == 1))
  }
})

test_that("fits count likelihoods and name the model that they work on", {
  told <- record_progress(fit <- btg(dist ~ speed, cars, kernel = "matern52",
                                     quadrature = few_nodes()))
  expect_false(is.unsorted(told$done))
  expect_true(all(is.na(told$total)))
  expect_lte(max(told$done), fit$quadrature$likelihoods)
  expect_match(told$what[1L], "Fitting sinharcsinh (1 of 2)", fixed = TRUE)
  expect_true("Fitting softplus (2 of 2)" %in% told$what)

  # The core reports at most twenty times a second, so that only a longer search is seen to go on.
  told <- record_progress(fit <- wgp(y ~ x + w, oracle_data(300), transform = "sinharcsinh"))
  expect_false(is.unsorted(told$done))
  searched <- sum(fit$optimisation$evaluations)
  expect_gt(max(told$done), searched / 2)
  # Starts are screened by one likelihood each: 20, and 10 for each of 5 hyperparameters.
  expect_lte(max(told$done), searched + 100)
  expect_equal(unique(told$what), "Fitting")
  expect_match(record_progress(refine(btg(dist ~ speed, cars, transform = "softplus",
                                          quadrature = few_nodes())))$what, "ing")
})

test_that("a call within a call reports to the same bar, which ends with it", {
  before <- options(btg.progress = function(...) NULL)
  on.exit(options(before))
  with_progress("outer", {
    with_progress("inner", expect_equal(progress_state$bar$what, "outer"))
    expect_equal(progress_state$bar$what, "outer")
  })
  expect_null(progress_state$bar)
  expect_error(with_progress("outer", stop("no")), "no")
  expect_null(progress_state$bar)
  expect_null(progress_reporter())
})

test_that("there is no bar in scripts, nor where it is not wanted", {
  expect_silent(fit <- btg(dist ~ speed, cars, transform = "softplus", quadrature = few_nodes()))
  expect_false("progress" %in% names(core_run()))
  expect_null(progress_display("Fitting", NULL))
  before <- options(btg.progress = FALSE)
  on.exit(options(before))
  expect_null(progress_display("Fitting", NULL))
})

test_that("cli draws the bar", {
  skip_if_not_installed("cli")
  before <- options(btg.progress = TRUE, cli.progress_show_after = 0,
                    cli.progress_handlers_only = "logger")
  on.exit(options(before))
  output <- capture.output(with_progress("Working", {
    for (k in 1:10) {
      report_progress(1, 4)
      Sys.sleep(0.05) # cli draws five times a second
    }
  }))
  expect_match(output[1L], "0/1 created")
  expect_match(output, "0.25/1 updated", all = FALSE)
  expect_match(output[length(output)], "terminated (done)", fixed = TRUE)
  output <- capture.output({
    fit <- btg(dist ~ speed, cars, transform = "softplus", quadrature = few_nodes())
  })
  expect_match(output[1L], "0/NA created")
})

test_that("an error in a progress function is one of the call", {
  before <- options(btg.progress = function(...) stop("not now"))
  on.exit(options(before))
  expect_error(btg(dist ~ speed, cars, transform = "softplus", threads = 2), "not now")
  options(btg.progress = NULL)
  expect_no_error(btg(dist ~ speed, cars, transform = "softplus", quadrature = few_nodes()))
})

test_that("parts of inner calls are parts of the outer bar, which never goes back", {
  told <- record_progress(with_progress("outer", {
    for (k in 1:2) {
      progress_part((k - 1) / 2, k / 2)
      for (again in 1:2) with_progress("inner", {
        progress_part(0, 0.5)
        report_progress(1, 1)
        progress_part(0.5, 1)
        report_progress(1, 2)
      })
    }
    report_progress(1, 1)
  }))
  expect_equal(told$done, c(1, 1.5, 1.5, 1.5, 3, 3.5, 3.5, 3.5, 4) / 4)
})

test_that("suggest() counts the points it tries and names the row", {
  fit <- btg(dist ~ speed, cars, transform = "softplus", quadrature = few_nodes(8))
  told <- record_progress(suggest(fit, n = 2))
  expect_false(is.unsorted(told$done))
  expect_equal(unique(told$what), c("Suggesting row 1 of 2", "Suggesting row 2 of 2"))
  expect_gt(max(told$done), 200)
})
