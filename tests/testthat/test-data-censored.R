limits_data <- function() {
  data.frame(x = c(0.1, 0.9, 0.4, 0.7, 0.2, 0.5, 0.8), y = c(3, 1, 4, 2, 5, 1, 6),
             below = c(FALSE, TRUE, FALSE, FALSE, FALSE, TRUE, FALSE))
}

censored_design <- function(formula, data, ...) {
  design_from_formula(formula, data, frame_args = as.list(substitute(list(...)))[-1L])
}

test_that("a logical `censored` is TRUE for responses below the value given", {
  design <- censored_design(y ~ x, limits_data(), censored = below)
  expect_identical(design$response, limits_data()$y)
  expect_identical(design$censored, list(row = c(2L, 6L), lower = c(-Inf, -Inf), upper = c(1, 1)))
  expect_identical(design$response_name, "y")
  expect_identical(design_from_formula(y ~ x, limits_data())["censored"], list(censored = NULL))
  none <- censored_design(y ~ x, limits_data(), censored = FALSE)
  expect_null(none$censored)
})

test_that("\"left\", \"none\" and \"right\" say on which side a response lies", {
  side <- c("none", "left", "none", "right", "none", "left", "none")
  design <- censored_design(y ~ x, transform(limits_data(), side = factor(side)), censored = side)
  expect_identical(design$censored,
                   list(row = c(2L, 4L, 6L), lower = c(-Inf, 2, -Inf), upper = c(1, Inf, 1)))
  expect_error(censored_design(y ~ x, limits_data(), censored = rep("below", 7)), "\"below\"",
               class = "btg_error_censored")
  expect_error(censored_design(y ~ x, limits_data(), censored = y), "must be TRUE or FALSE",
               class = "btg_error_argument")
  expect_error(censored_design(y ~ x, limits_data(), censored = c(TRUE, FALSE)), "It has 2 for 7",
               class = "btg_error_censored")
})

test_that("two columns are limits by row: NA is an unknown end, NA in both an exact row", {
  d <- limits_data()
  d$lo <- c(NA, 0, NA, 2, 5, NA, NA)
  d$hi <- c(NA, 1, NA, NA, 5, 2, NA)
  d$y[c(2, 4, 6)] <- NA
  expected <- list(row = c(2L, 4L, 6L), lower = c(0, 2, -Inf), upper = c(1, Inf, 2))
  design <- censored_design(y ~ x, d, censored = cbind(lo, hi))
  expect_identical(design$censored, expected)
  # A finite value stands for the response: the middle of two limits, or the finite one.
  expect_identical(design$response, c(3, 0.5, 4, 2, 5, 2, 6))
  expect_identical(censored_design(y ~ x, d, censored = d[c("lo", "hi")])$censored, expected)
  expect_error(censored_design(y ~ x, d, censored = cbind(lo, hi, y)), "matrix with 3 columns",
               class = "btg_error_censored")
  d$lo[2] <- 3
  expect_error(censored_design(y ~ x, d, censored = cbind(lo, hi)), "1 interval .* in row 2",
               class = "btg_error_limits_reversed")
})

test_that("Surv objects of all four types give their limits", {
  skip_if_not_installed("survival")
  Surv <- survival::Surv # nolint: object_name_linter. The name that users write.
  d <- limits_data()
  expect_identical(censored_design(Surv(y, !below, type = "left") ~ x, d)$censored,
                   list(row = c(2L, 6L), lower = c(-Inf, -Inf), upper = c(1, 1)))
  expect_identical(censored_design(Surv(y, !below) ~ x, d)$censored,
                   list(row = c(2L, 6L), lower = c(1, 1), upper = c(Inf, Inf)))
  d$lo <- c(3, NA, 4, 2, 5, 1, 6)
  d$hi <- c(3, 1, 4, NA, 5, 1.5, 6)
  expected <- list(row = c(2L, 4L, 6L), lower = c(-Inf, 2, 1), upper = c(1, Inf, 1.5))
  design <- censored_design(Surv(lo, hi, type = "interval2") ~ x, d)
  expect_identical(design$censored, expected)
  expect_identical(design$response_name, "Surv(lo, hi, type = \"interval2\")")
  event <- c(1, 2, 1, 0, 1, 3, 1)
  start <- c(3, 1, 4, 2, 5, 1, 6)
  end <- c(9, 9, 9, 9, 9, 1.5, 9)
  expect_identical(censored_design(Surv(start, end, event, type = "interval") ~ x, d)$censored,
                   expected)
  expect_identical(design_from_xy(d$x, Surv(d$lo, d$hi, type = "interval2"))$censored, expected)
  # A row whose status or time is missing is left out.
  d$below[2] <- NA
  design <- censored_design(Surv(y, !below) ~ x, d)
  expect_identical(design$censored, list(row = 5L, lower = 1, upper = Inf))
  expect_identical(names(design$na_action), "2")
  expect_error(censored_design(Surv(y, y + 1, !is.na(below)) ~ x, d), "\"counting\"",
               class = "btg_error_censored")
  expect_error(censored_design(Surv(y, below) ~ x, d, censored = below), "stated twice",
               class = "btg_error_censored")
})

test_that("subset, na.action, weights and copies keep limits at their rows", {
  d <- rbind(limits_data(), limits_data())
  d$x[3] <- NA
  d$w <- seq_len(14)
  design <- suppressMessages(censored_design(y ~ x, d, censored = below, subset = w > 1,
                                             weights = w))
  expect_identical(design$row_names[design$censored$row], c("2", "6", "9", "13"))
  expect_identical(design$weights, c(2, 4:14))
  # Exact copies are left out; rows with equal limits are not copies.
  d <- transform(d[c(1:2, 4:14), ], y = sqrt(y + 0.1))
  expect_message(design <- censored_design(y ~ x, d, censored = below),
                 class = "btg_message_copies")
  expect_identical(design$row_names[design$censored$row], c("2", "6", "9", "13"))
  expect_length(design$copies, 4L)
  excluded <- censored_design(y ~ x, transform(d, y = replace(y, 2, NA)), censored = below,
                              na.action = na.exclude)$excluded
  expect_identical(excluded["2", "y"], NA_real_)
})

test_that("too few exact responses are refused", {
  d <- limits_data()
  expect_error(censored_design(y ~ x, d, censored = TRUE), "nor two finite limits in 7 rows",
               class = "btg_error_all_censored")
  expect_error(censored_design(y ~ x, d, censored = seq_len(7) > 2), "2 exact values",
               class = "btg_error_too_few_exact")
  d$group <- rep(c("a", "b"), c(4, 3))
  frame_args <- list(censored = d$group == "b")
  expect_error(design_from_formula(y ~ x + group, d, ~ group, frame_args), "tell its columns apart",
               class = "btg_error_too_few_exact")
})

test_that("text such as \"<0.6\" names the call that works, and the call works", {
  d <- data.frame(x = (1:8 * 0.618) %% 1,
                  conc = c("<0.6", "1.2", "0.8", "3", "< 0.6", "2", "1", "4"))
  hint <- tryCatch(design_from_formula(conc ~ x, d), btg_error_response_type = conditionMessage)
  call <- regmatches(hint, regexpr("as.numeric.*(?=\\)`)", hint, perl = TRUE))
  expect_match(call, "censored = grepl", fixed = TRUE)
  design <- eval(parse(text = sub("as.numeric", "censored_design(as.numeric", paste0(call, ")"),
                                  fixed = TRUE)), list(data = d), environment())
  expect_identical(design$censored, list(row = c(1L, 5L), lower = c(-Inf, -Inf),
                                         upper = c(0.6, 0.6)))
  d$conc[3] <- ">100"
  hint <- tryCatch(design_from_formula(conc ~ x, d), btg_error_response_type = conditionMessage)
  call <- regmatches(hint, regexpr("as.numeric.*(?=\\)`)", hint, perl = TRUE))
  design <- eval(parse(text = sub("as.numeric", "censored_design(as.numeric", paste0(call, ")"),
                                  fixed = TRUE)), list(data = d), environment())
  expect_identical(design$censored$upper, c(0.6, Inf, 0.6))
  expect_error(design_from_formula(conc ~ x, transform(d, conc = c("ND", 1:7))),
               "\"ND\" is not a number", class = "btg_error_response_type")
  expect_error(design_from_formula(conc ~ x, transform(d, conc = as.character(1:8))),
               "as.numeric(as.character(conc))", fixed = TRUE, class = "btg_error_response_type")
  expect_error(censored_design(y | cens(below) ~ x, limits_data()), "censored = below",
               class = "btg_error_model_frame")
})

test_that("select_censored() follows rows to their new positions", {
  censored <- list(row = c(2L, 5L), lower = c(-Inf, 3), upper = c(1, Inf))
  expect_identical(select_censored(censored, c(5L, 1L, 2L), 6L),
                   list(row = c(1L, 3L), lower = c(3, -Inf), upper = c(Inf, 1)))
  expect_identical(select_censored(censored, -1L, 6L)$row, c(1L, 4L))
  expect_null(select_censored(censored, c(1L, 3L), 6L))
})

test_that("without exact responses, intervals must carry the trend and show a spread", {
  d <- limits_data()
  d$lo <- d$y - 0.4
  d$hi <- d$y + 0.4
  design <- censored_design(y ~ x, d, censored = cbind(lo, hi))
  expect_identical(design$censored$row, 1:7)
  expect_identical(design$response, (d$lo + d$hi) / 2)
  d$hi[3:7] <- Inf
  expect_error(censored_design(y ~ x, d, censored = cbind(lo, hi)), "2 intervals with two finite",
               class = "btg_error_too_few_exact")
  # 3.4 is within all limits, or at the end of them.
  d$lo <- d$y - 2.6
  d$hi <- d$y + 2.4
  expect_error(censored_design(y ~ x, d, censored = cbind(lo, hi)), "one value lies within",
               class = "btg_error_all_censored")
  expect_no_error(censored_design(y ~ x, d, censored = cbind(lo + 0.1, hi)))
  # A line through intervals, and one that misses them.
  line <- cbind(1 + 2 * d$x - 0.3, 1 + 2 * d$x + 0.1)
  trend <- function(limits) {
    design_from_formula(y ~ x, d, ~ x, list(censored = limits))
  }
  expect_error(trend(line), "one trend lies within", class = "btg_error_all_censored")
  line[1:2, ] <- line[1:2, ] + c(3, -3)
  expect_no_error(trend(line))
})

test_that("rounded responses are intervals up to the bounds, and other limits stay", {
  y <- c(0, 3, 1, 4, 2, 6, 5)
  limits <- matrix(NA_real_, 7, 2)
  limits[4, ] <- c(-Inf, 4)
  design <- design_from_xy(cos(1:7), y, censored = limits)
  rounded <- round_responses(design, 1, c(0, 6.5))
  expect_identical(rounded$response, y)
  expect_identical(rounded$censored, list(
    row = 1:7, lower = c(-Inf, 2.5, 0.5, -Inf, 1.5, 5.5, 4.5),
    upper = c(0.5, 3.5, 1.5, 4, 2.5, Inf, 5.5), rounded = (1:7) != 4
  ))
  expect_identical(rounded_rows(rounded), c(1:3, 5:7))
  expect_identical(select_design(rounded, c(4, 2), 7)$censored$rounded, c(FALSE, TRUE))
  expect_error(round_responses(design, 8, c(-Inf, Inf)), "too wide",
               class = "btg_error_all_censored")
})
