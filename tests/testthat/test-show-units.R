times <- local({
  seconds <- 3e7 * sort((0.618 * 1:40) %% 1)
  time <- as.POSIXct("2024-01-01", tz = "UTC") + seconds
  data.frame(time, day = as.Date(time), age = as.difftime(seconds / 3600, units = "hours"),
             number = seconds, y = sin(seconds / 3e6) + cos(37 * seq_along(seconds)^2) / 10)
})

rows_shown <- function(fit) {
  lines <- capture.output(print(summary(fit)))
  sub(" .*", "", sub("^(lengthscale[^ ]*) \\((\\w+)\\).*", "\\1(\\2)",
                     trimws(grep("^  lengthscale", lines, value = TRUE))))
}

test_that("lengthscales of times are printed in units that suit them", {
  fit <- btg(y ~ time + day + age + number, times, transform = "identity",
             quadrature = few_nodes(32))
  expect_match(rows_shown(fit)[1:3], "\\((days|years|hours)\\)$")
  expect_identical(rows_shown(fit)[4], "lengthscale.number")
  found <- summary(fit)
  # The summary has the units of nodes(), and print() divides by `per`.
  expect_equal(found$hyperparameters["lengthscale.time", "mean"],
               sum(nodes(fit)$weight * nodes(fit)$lengthscale.time))
  per <- found$display_units["lengthscale.time", "per"]
  expect_true(per %in% (86400 * c(1, 365.25)))
  shown <- format_significant(found$hyperparameters["lengthscale.time", "50%"] / per, 3)
  expect_output(print(found), paste0("lengthscale.time \\(\\w+\\) +", shown))
  expect_identical(found$display_units["lengthscale.age", ],
                   data.frame(unit = "hours", per = 1, row.names = "lengthscale.age"))
})

test_that("estimates and fixed lengthscales have the same units", {
  fit <- wgp(y ~ time, times, fixed = c(lengthscale.time = 30 * 86400))
  expect_output(print(summary(fit)), "Fixed: lengthscale.time (days) = 30", fixed = TRUE)
  free <- wgp(y ~ day, times)
  expect_match(rows_shown(free), "lengthscale.day\\((days|years)\\)")
  expect_null(summary(wgp(y ~ number, times))$display_units)
})

test_that("a unit is the largest that fits twice", {
  unit <- function(...) time_unit(...)$unit
  expect_identical(unit(2.252e9, 1), "years")
  expect_identical(unit(86400 * 2, 1), "days")
  expect_identical(unit(86400 * 1.9, 1), "hours")
  expect_identical(unit(119, 1), "secs")
  expect_identical(unit(0.1, 86400), "days")
  expect_identical(time_unit(1000, 86400), list(unit = "years", per = 365.25))
})
