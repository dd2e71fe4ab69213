test_that("replaying the data of the fit gives the matrices of the fit", {
  d <- mixed_data()
  formulas <- list(y ~ x + k, y ~ yes + two + three + text + grade, y ~ day + time,
                   y ~ poly(x, 2) + scale(k), y ~ splines::ns(x, df = 3), log(y) ~ sqrt(x))
  trends <- list(~ 1, ~ x + three, ~ 0 + text, ~ grade * x, ~ scale(x) + poly(k, 2))
  for (formula in formulas) {
    for (trend in trends) {
      design <- design_of(formula, d, trend = trend)
      replay <- apply_blueprint(design$blueprint, d[names(d) != "y"])
      # Not identical: poly() computes its basis in another way at the fit.
      expect_equal(replay$inputs, design$inputs, tolerance = 1e-14, info = deparse1(formula))
      expect_equal(replay$trend, design$trend, tolerance = 1e-14, info = deparse1(trend))
      expect_identical(replay$complete, rep(TRUE, 12))
    }
  }
})

test_that("rows are replayed one by one as they are together", {
  d <- mixed_data()
  design <- design_of(y ~ poly(x, 2) + scale(k) + three + text + yes + grade, d,
                      trend = ~ poly(x, 2) + text + yes)
  for (i in c(1, 6, 12)) {
    replay <- apply_blueprint(design$blueprint, d[i, ])
    expect_equal(replay$inputs, design$inputs[i, , drop = FALSE], tolerance = 1e-14)
    expect_equal(replay$trend, design$trend[i, , drop = FALSE], tolerance = 1e-14)
  }
  reversed <- apply_blueprint(design$blueprint, d[12:1, ])
  expect_equal(reversed$inputs, design$inputs[12:1, ], tolerance = 1e-14)
})

test_that("poly() is replayed with the coefficients of the fit, as predict.lm() does", {
  design <- design_of(dist ~ poly(speed, 2), cars, trend = ~ poly(speed, 2))
  new <- data.frame(speed = c(5, 15, 40))
  basis <- predict(poly(cars$speed, 2), new$speed)
  expect_equal(apply_blueprint(design$blueprint, new)$inputs, basis, ignore_attr = TRUE)
  beta <- coef(lm(dist ~ poly(speed, 2), cars))
  fitted <- drop(apply_blueprint(design$blueprint, new)$trend %*% beta)
  expect_equal(fitted, predict(lm(dist ~ poly(speed, 2), cars), new), ignore_attr = TRUE)
})

test_that("a changed contrasts option does not change the replay", {
  d <- mixed_data()
  design <- design_of(y ~ x, d, trend = ~ three + grade)
  old <- options(contrasts = c("contr.sum", "contr.helmert"))
  on.exit(options(old))
  expect_identical(apply_blueprint(design$blueprint, d)$trend, design$trend)
})

test_that("rows with missing values are kept and marked", {
  d <- mixed_data()
  design <- design_of(y ~ x + three + poly(k, 2), d, trend = ~ two + x)
  new <- d
  new$x[1] <- NA
  new$three[2] <- NA
  new$two[3] <- NA
  new$k[4] <- NA
  new$yes[5] <- NA
  replay <- apply_blueprint(design$blueprint, new)
  expect_identical(which(!replay$complete), 1:4)
  expect_equal(replay$inputs[5:12, ], design$inputs[5:12, ], tolerance = 1e-14)
  expect_identical(replay$trend[5:12, ], design$trend[5:12, ])
  logged <- design_of(y ~ log(x), d)$blueprint
  suppressWarnings(replay <- apply_blueprint(logged, data.frame(x = c(1, -1))))
  expect_identical(replay$complete, c(TRUE, FALSE))
})

test_that("a column of NA alone fits any kind", {
  design <- design_of(y ~ x + three + day + yes, mixed_data(), trend = ~ three + x)
  replay <- apply_blueprint(design$blueprint, data.frame(x = NA, three = NA, day = NA, yes = NA))
  expect_identical(replay$complete, FALSE)
  expect_identical(dim(replay$inputs), c(1L, 4L))
})

test_that("a term that allows missing values is not incomplete", {
  d <- mixed_data()
  d$x[c(2, 7)] <- NA
  design <- design_of(y ~ is.na(x) + k, d)
  expect_identical(nrow(design$inputs), 12L)
  expect_identical(apply_blueprint(design$blueprint, d)$complete, rep(TRUE, 12))
})

test_that("infinite inputs and trends are errors that name the row", {
  design <- design_of(y ~ x, mixed_data(), trend = ~ log(k))
  new <- data.frame(x = c(1, 2, Inf), k = 1)
  expect_error(apply_blueprint(design$blueprint, new), "`x` has 1 .* in row 3",
               class = "btg_error_not_finite")
  new <- data.frame(x = 1:3, k = c(1, 0, 0))
  expect_error(apply_blueprint(design$blueprint, new), "`log\\(k\\)` .* first in row 2",
               class = "btg_error_not_finite")
})

test_that("zero rows give matrices without rows", {
  d <- mixed_data()
  design <- design_of(y ~ poly(x, 2) + three, d, trend = ~ poly(x, 2) + three)
  replay <- apply_blueprint(design$blueprint, d[0, ])
  expect_identical(replay$inputs, design$inputs[0, , drop = FALSE])
  expect_identical(replay$trend, design$trend[0, , drop = FALSE])
  expect_identical(replay$complete, logical())
})

test_that("columns that are used must be there, and no others", {
  d <- mixed_data()
  suppressMessages(design <- design_of(y ~ x + one + log(k), d, trend = ~ two))
  replay <- apply_blueprint(design$blueprint, d[c("x", "k", "two")])
  expect_identical(replay$inputs, design$inputs)
  error <- expect_error(apply_blueprint(design$blueprint, data.frame(X = 1, two = "low")),
                        "`x` and `k`", class = "btg_error_missing_columns")
  expect_match(conditionMessage(error), "Is `X` of `newdata` meant to be `x`?", fixed = TRUE)
  expect_no_match(conditionMessage(error), "meant to be `k`")
  expect_error(apply_blueprint(design$blueprint, d[c("x", "k")]), "`two`",
               class = "btg_error_missing_columns")
})

test_that("variables of the environment are asked of new data too", {
  speed <- cars$speed
  dist <- cars$dist
  blueprint <- design_of(dist ~ speed)$blueprint
  expect_error(apply_blueprint(blueprint, data.frame(other = 1)), "`speed`",
               class = "btg_error_missing_columns")
  expect_identical(apply_blueprint(blueprint, data.frame(speed = 3))$inputs, cbind(speed = 3))
  expect_error(apply_blueprint(design_of(dist ~ cars$speed)$blueprint, cars), "`cars`",
               class = "btg_error_missing_columns")
})

test_that("columns must be of the kind they had", {
  d <- mixed_data()
  blueprint <- design_of(y ~ x + three + yes + day, d)$blueprint
  expect_kind_error <- function(name, value, message) {
    d[[name]] <- value
    expect_error(apply_blueprint(blueprint, d), message, class = "btg_error_column_type")
  }
  expect_kind_error("x", d$three, "`x` was numeric; now it is a factor with 3 levels")
  expect_kind_error("x", as.character(d$x), "character vector")
  expect_kind_error("x", d$yes, "logical vector")
  expect_kind_error("three", 1:12, "`three` was a factor or text; now it is a numeric")
  expect_kind_error("yes", d$yes + 0, "`yes` was logical")
  expect_kind_error("day", as.double(d$day), "`day` was Date")
  expect_kind_error("day", d$time, "POSIXct")
})

test_that("factors and text stand for each other, integers for numbers", {
  d <- mixed_data()
  design <- design_of(y ~ three + text + x + grade, d, trend = ~ three)
  new <- transform(d, three = as.character(three), text = factor(text, letters[19:16]),
                   grade = as.character(grade))
  replay <- apply_blueprint(design$blueprint, new)
  expect_identical(replay$inputs, design$inputs)
  expect_identical(replay$trend, design$trend)
  expect_identical(apply_blueprint(design$blueprint, transform(d, x = 1L))$inputs[, "x"],
                   rep(1, 12))
})

test_that("new levels are errors that name all one needs", {
  d <- mixed_data()
  blueprint <- design_of(y ~ three, d, subset = three != "b")$blueprint
  new <- data.frame(three = c("a", NA, "b", "z"))
  expect_error(apply_blueprint(blueprint, new),
               "`three` has \"b\" and \"z\", the first in row 3.*Known levels: \"a\" and \"c\"",
               class = "btg_error_new_levels")
  blueprint <- design_of(y ~ x, d, trend = ~ factor(k))$blueprint
  expect_error(apply_blueprint(blueprint, data.frame(x = 1, k = 3)),
               "`factor(k)` has \"3\" in row 1", fixed = TRUE, class = "btg_error_new_levels")
  blueprint <- design_of(y ~ grade, d, subset = grade != "fair")$blueprint
  expect_error(apply_blueprint(blueprint, d), "\"fair\"", class = "btg_error_new_levels")
})

test_that("a level that is NA is a level", {
  d <- mixed_data()
  d$three[2] <- NA
  d$three <- addNA(d$three)
  design <- design_of(y ~ three, d)
  expect_identical(design$levels_of_column, 4L)
  expect_identical(apply_blueprint(design$blueprint, d)$inputs, design$inputs)
})

test_that("new data of the formula interface must be a data frame", {
  blueprint <- design_of(dist ~ speed, cars)$blueprint
  expect_error(apply_blueprint(blueprint, as.matrix(cars)), class = "btg_error_argument")
  expect_error(apply_blueprint(blueprint, NULL), class = "btg_error_argument")
})

test_that("new data of the matrix interface may have names or not", {
  d <- mixed_data()
  x <- as.matrix(d[c("x", "k", "one")])
  suppressMessages(design <- design_from_xy(x, d$y, ~ x))
  replay <- function(newdata) apply_blueprint(design$blueprint, newdata)$inputs
  expect_identical(replay(x), design$inputs)
  expect_identical(replay(unname(x)), design$inputs)
  expect_identical(replay(x[, 3:1]), design$inputs)
  expect_identical(replay(d), design$inputs)
  expect_identical(replay(x[, 1:2]), design$inputs)
  expect_error(replay(unname(x[, 1:2])), "2 columns without names; the fit has 3",
               class = "btg_error_missing_columns")
  expect_error(replay(x[, 2:3]), "`x`", class = "btg_error_missing_columns")
  expect_error(replay("a"), class = "btg_error_argument")
  one <- design_from_xy(cars$speed, cars$dist)$blueprint
  expect_identical(apply_blueprint(one, c(4, NA, 6))$complete, c(TRUE, FALSE, TRUE))
})

test_that("errors on new data come from predict()", {
  fit <- btg(dist ~ speed, cars, transform = "identity", quadrature = few_nodes(8))
  error <- expect_error(predict(fit, cars["dist"]), class = "btg_error_missing_columns")
  expect_identical(error$call, quote(predict()))
})

test_that("the blueprint keeps constants and functions, and not the frame they came from", {
  make <- function() {
    large <- rnorm(1e6)
    power <- 3
    raise <- function(v, p) v^p
    environment(raise) <- globalenv()
    design_of(y ~ raise(x, power), mixed_data(), trend = ~ poly(x, power - 1))
  }
  design <- make()
  expect_setequal(ls(design$blueprint$environment), c("power", "raise"))
  expect_lt(length(serialize(design$blueprint, NULL)), 1e6)
  power <- 1
  expect_identical(apply_blueprint(design$blueprint, mixed_data())$inputs, design$inputs)
  expect_error(apply_blueprint(design$blueprint, data.frame(x = "a")),
               class = "btg_error_column_type")
})

test_that("terms that do not give a value a row are errors", {
  d <- mixed_data()
  blueprint <- design_of(y ~ I(1:12) + x, d)$blueprint
  expect_error(apply_blueprint(blueprint, d[1:3, ]), "gives 12 for 3 rows",
               class = "btg_error_newdata")
  picky <- function(v) if (length(v) < 12) stop("too short") else v
  expect_error(apply_blueprint(design_of(y ~ picky(x), d)$blueprint, d[1:3, ]), "too short",
               class = "btg_error_newdata")
})

test_that("a saved blueprint gives the same in a new session", {
  skip_on_cran()
  power <- 2
  design <- design_of(y ~ poly(x, power) + three + text, mixed_data(), trend = ~ three + I(x^power))
  files <- tempfile(c("blueprint", "newdata", "replay"), fileext = ".rds")
  on.exit(unlink(files))
  saveRDS(design$blueprint, files[1])
  saveRDS(mixed_data(), files[2])

  script <- tempfile(fileext = ".R")
  writeLines(sprintf("saveRDS(btg:::apply_blueprint(readRDS('%s'), readRDS('%s')), '%s')",
                     files[1], files[2], files[3]), script)
  output <- run_child(script)
  expect_true(file.exists(files[3]), info = output)
  expect_equal(readRDS(files[3])[c("inputs", "trend")], design[c("inputs", "trend")])
})

test_that("terms that remember the data mean the same in new data", {
  d <- mixed_data()
  terms <- list(y ~ poly(x, 2), y ~ scale(x), y ~ splines::ns(x, 3), y ~ log(x), y ~ I(x^2) + k,
                y ~ cut(x, c(0, 3, 6, 10)), y ~ factor(k), y ~ x, y ~ (x > 4))
  for (formula in terms) {
    for (trend in list(~ 1, update(formula, NULL ~ .))) {
      design <- design_of(formula, d, trend = trend)
      expect_identical(design$blueprint$row_dependent, character())
      expect_no_warning(replay <- apply_blueprint(design$blueprint, d[c(2, 7), ]))
      expect_equal(replay$inputs, design$inputs[c(2, 7), , drop = FALSE])
      expect_equal(replay$trend, design$trend[c(2, 7), , drop = FALSE])
    }
  }
})

test_that("terms that depend on all rows are known, and new data warn of them", {
  d <- mixed_data()
  d$m <- cbind(d$x, d$k)
  dependent <- list(
    y ~ I(x - mean(x)), y ~ I(x / max(x)), y ~ I(x - min(x)), y ~ rank(x), y ~ cumsum(x),
    y ~ as.integer(cut(x, 3)), y ~ cut(x, 3, labels = c("low", "mid", "high")),
    y ~ I(m - rep(colMeans(m), each = nrow(m))), y ~ I(x - x[1])
  )
  for (formula in dependent) {
    name <- deparse1(formula[[3]])
    design <- design_of(formula, d)
    expect_identical(design$blueprint$row_dependent, name)
    expect_warning(apply_blueprint(design$blueprint, d), name, fixed = TRUE,
                   class = "btg_warning_row_dependent")
  }
  design <- design_of(y ~ x, d, trend = ~ I(x - mean(x)))
  expect_warning(apply_blueprint(design$blueprint, d), "Affected: `I\\(x - mean\\(x\\)\\)`",
                 class = "btg_warning_row_dependent")
  # Values from elsewhere, as many as rows, are columns; others are constants.
  centre <- mean(d$x)
  other <- rev(d$x)
  found <- design_of(y ~ I(x - centre) + I(x * other), d)$blueprint$row_dependent
  expect_identical(found, character())
})

test_that("levels that follow from the data say so where they are not known", {
  d <- mixed_data()
  design <- design_of(y ~ cut(x, 3), d)
  error <- expect_error(apply_blueprint(design$blueprint, d[1:2, ]), class = "btg_error_new_levels")
  expect_match(conditionMessage(error), "explicit breaks")
  plain <- design_of(y ~ three, d)
  error <- expect_error(apply_blueprint(plain$blueprint, data.frame(three = "z")),
                        class = "btg_error_new_levels")
  expect_no_match(conditionMessage(error), "breaks")
})

test_that("terms are not asked what they cannot answer", {
  d <- mixed_data()
  needs_all <- function(x) if (length(x) < 12) stop("all, please") else log(x)
  expect_identical(design_of(y ~ needs_all(x), d)$blueprint$row_dependent, character())
  d$x[3] <- NA
  expect_identical(design_of(y ~ log(x) + poly(k, 2), d)$blueprint$row_dependent, character())
  found <- design_of(y ~ I(x - mean(x, na.rm = TRUE)), d, subset = k > 2)$blueprint$row_dependent
  expect_identical(found, "I(x - mean(x, na.rm = TRUE))")
})
