# One of each kind of fit to the data of the oracle.
each_kind <- function() {
  d <- oracle_data()
  list(
    one = btg(y ~ x + w, d, transform = "softplus", quadrature = few_nodes()),
    default_rule = btg(y ~ x, d, transform = "sinharcsinh"),
    average = btg(y ~ x + w, d, quadrature = few_nodes()),
    most_likely = wgp(y ~ x + w, d, transform = "boxcox")
  )
}

# All that can be asked of a fit without drawing.
all_answers <- function(fit) {
  new <- data.frame(x = c(3.3, 12), w = c(5700, 5100))
  list(nodes(fit), predict(fit, new, interval = "credible"), predict(fit, new, interval = "hdi"),
       predict(fit, new, type = "crps", at = 5), loocv(fit)$pointwise,
       loocv(fit, folds = 3)$pointwise, summary(fit)$quadrature, fitted(fit), residuals(fit),
       coef(fit), format(fit$call))
}

test_that("set.seed() before a fit or after it changes nothing", {
  set.seed(1)
  fits <- each_kind()
  answers <- lapply(fits, all_answers)
  set.seed(20)
  expect_identical(lapply(fits, all_answers), answers)
  expect_identical(lapply(each_kind(), all_answers), answers)
})

test_that("other kinds of random numbers change nothing", {
  kinds <- RNGkind()
  on.exit(RNGkind(kinds[1L], kinds[2L], kinds[3L]))
  answers <- lapply(each_kind(), all_answers)
  RNGkind("L'Ecuyer-CMRG", "Box-Muller", "Rejection")
  expect_identical(lapply(each_kind(), all_answers), answers)
})

test_that("fits, predictions and cross-validation leave the random numbers alone", {
  set.seed(1)
  before <- .Random.seed
  lapply(each_kind(), all_answers)
  expect_identical(.Random.seed, before)
  d <- oracle_data()
  fit <- btg(y ~ x, d[1:10, ], transform = "softplus", quadrature = few_nodes())
  update(fit, newdata = d[11:14, ])
  refine(fit)
  loocv(fit, method = "naive")
  simulate(fit, 2, seed = 3)
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  plot(fit)
  plot(fit, which = "hyperparameters")
  expect_identical(.Random.seed, before)
})

test_that("where there are no random numbers, none are made", {
  kept <- if (exists(".Random.seed", globalenv())) get(".Random.seed", globalenv())
  on.exit(if (!is.null(kept)) assign(".Random.seed", kept, globalenv()))
  suppressWarnings(rm(".Random.seed", envir = globalenv()))
  lapply(each_kind(), all_answers)
  expect_false(exists(".Random.seed", globalenv(), inherits = FALSE))
})

test_that("nothing is written but to the temporary directory", {
  skip_on_cran()
  # A session whose working directory and home are its own, so that nobody else writes there.
  places <- file.path(tempfile("places"), c("work", "home"))
  lapply(places, dir.create, recursive = TRUE)
  script <- tempfile(fileext = ".R")
  writeLines(c(
    paste0("setwd(", deparse(places[1L]), ")"),
    paste0("Sys.setenv(HOME = ", deparse(places[2L]), ", XDG_CACHE_HOME = \"\",",
           "XDG_CONFIG_HOME = \"\", XDG_DATA_HOME = \"\")"),
    "library(btg)",
    "grDevices::pdf(file.path(tempdir(), \"plots.pdf\"))",
    "fits <- list(btg(dist ~ speed, cars, transform = \"softplus\", quadrature = quad_sobol(32)),",
    "             btg(dist ~ speed, cars, quadrature = quad_sobol(32), threads = 2),",
    "             wgp(dist ~ speed, cars))",
    "for (fit in fits) {",
    "  print(summary(fit))",
    "  predict(fit, cars, interval = \"credible\")",
    "  plot(fit)",
    "  plot(loocv(fit))",
    "  simulate(fit, 3, seed = 1)",
    "  update(fit, newdata = cars[1:3, ])",
    "}",
    "grDevices::dev.off()",
    "try(btg(dist ~ nothing, cars))",
    "cat(\"done\\n\")"
  ), script)
  package <- system.file(package = "btg")
  state <- function() {
    file.info(c(package, list.files(package, recursive = TRUE, full.names = TRUE)))["mtime"]
  }
  before <- state()
  output <- run_child(script)
  expect_equal(output[length(output)], "done", info = output)
  expect_equal(list.files(places, all.files = TRUE, recursive = TRUE, include.dirs = TRUE),
               character())
  expect_identical(state(), before)
})
