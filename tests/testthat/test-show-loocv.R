printed <- function(x) paste(capture.output(print(x)), collapse = "\n")

d <- oracle_data()
fit <- btg(y ~ x + w, d, transform = "softplus", quadrature = few_nodes())
cv <- loocv(fit)

test_that("summary() of a cross-validation has the estimates and the worst rows", {
  found <- summary(cv, rows = 3)
  expect_s3_class(found, "summary.btg_loocv")
  expect_identical(found$estimates, cv$estimates)
  lowest <- order(cv$pointwise$log_score)[1:3]
  expect_identical(found$worst, cv$pointwise[lowest, ])
  expect_identical(nrow(summary(cv)$worst), 5L)
  expect_identical(nrow(summary(cv, rows = 0)$worst), 0L)
  expect_identical(nrow(summary(cv, rows = 100)$worst), 14L)
  expect_error(summary(cv, row = -1), class = "btg_error_argument")
  expect_error(summary(cv, n = 3), class = "btg_error_unknown_argument")
})

test_that("summary() of a cross-validation has the worst of each diagnostic", {
  table <- cv$diagnostics
  table$k_hat <- seq_len(nrow(table)) / 10
  changed <- cv
  changed$diagnostics <- table
  found <- summary(add_loocv_checksum(changed))$diagnostics
  expect_identical(row.names(found), c("effective_nodes", "distance", "k_hat"))
  expect_identical(found$worst, c(min(table$effective_nodes), max(table$distance), 1.4))
  expect_identical(found$fold[2], table$fold[which.max(table$distance)])
  likely <- summary(loocv(wgp(y ~ x, d), folds = 7))
  expect_false("k_hat" %in% row.names(likely$diagnostics))
})

test_that("a fold that could not be predicted is not among the worst, and is said", {
  d$late <- as.numeric(d$x == max(d$x))
  alone <- btg(y ~ x, d, trend = ~ late, transform = "identity", quadrature = few_nodes())
  suppressWarnings(cv <- loocv(alone))
  found <- summary(cv)
  row <- row.names(d)[which(d$late == 1)]
  expect_named(found$not_predicted, row)
  expect_false(row %in% row.names(found$worst))
  expect_match(printed(found), paste0("Not predicted: ", row, " (trend"), fixed = TRUE)
  expect_match(printed(found), "13 rows")
})

test_that("a printed summary shows its tables", {
  out <- printed(summary(cv))
  expect_match(out, "Leave-one-out: 14 rows")
  expect_match(out, "Predicted worst, by the log score:")
  worst <- summary(cv)$worst
  expect_match(out, paste0(row.names(worst)[1], " +", format_significant(worst$y[1], 4)))
  expect_match(out, "effective_nodes +[0-9.]+ ")
  capture.output(expect_invisible(print(summary(cv))))
})

test_that("estimates are printed to the same digits, and logs to two decimals", {
  lines <- capture.output(print(cv))
  elpd <- grep("^  elpd ", lines, value = TRUE)
  expect_match(elpd, sprintf("%.2f +%.2f", cv$estimates["elpd", "estimate"],
                             cv$estimates["elpd", "se"]))
  crps <- strsplit(trimws(grep("^  crps ", lines, value = TRUE)), " +")[[1]]
  expect_identical(crps[2:3], unname(format_significant(unlist(cv$estimates["crps", ]), 4)))
})

test_that("that predictions are of the process is said", {
  expect_match(printed(loocv(fit, observation = FALSE)), "noise-free process")
  expect_match(printed(summary(loocv(fit, observation = FALSE))), "noise-free process")
  expect_no_match(printed(cv), "noise-free")
})

test_that("as.data.frame() of a cross-validation is its rows", {
  cv <- loocv(btg(dist ~ speed, cars, transform = "softplus"))
  expect_identical(as.data.frame(cv), cv$pointwise)
})

# A result with PIT values that are chosen.
with_pit <- function(pit, mass = 0) {
  changed <- loocv(btg(y ~ x, oracle_data(200), transform = "identity",
                       quadrature = few_nodes(8)))
  changed$pointwise$pit <- pit
  changed$pointwise$mass <- mass
  add_loocv_checksum(changed)
}

test_that("coverage beyond chance is shown, with its direction", {
  even <- ppoints(200)
  expect_match(printed(with_pit(even)), "the intervals cover as much as they should")
  expect_match(printed(with_pit(pnorm(qnorm(even) / 2))),
               "50% intervals cover 82% \\(9.1.*The intervals are too wide\\.")
  expect_match(printed(with_pit(pnorm(2 * qnorm(even)))), "too narrow\\.")
  # Most errors are small and some large: only the intervals of 50% and 80% are too wide.
  mixture <- pnorm(ifelse(seq_len(200) %% 20 == 0, 2.5, 0.6) * qnorm(even))
  expect_match(printed(with_pit(mixture)), "Those of 95% are about right")
  # An interval that ends at a mass covers more than its probability.
  expect_match(printed(with_pit(rep(0.3, 200), 0.6)), "cover at least as much as they should")
  # Three standard deviations of 200 rows are 10.6% at a level of 50%.
  inside <- function(share) c(rep(0.5, 200 * share), rep(0.1, 200 * (1 - share)))
  expect_no_match(printed(with_pit(inside(0.6))), "50% intervals")
  expect_match(printed(with_pit(inside(0.61))), "50% intervals cover 61%")
})

test_that("a row that moves the posterior is to be left out, not refined", {
  changed <- cv
  changed$diagnostics$moved <- seq_len(14) == 3
  out <- printed(add_loocv_checksum(changed))
  expect_match(out, "Without row 3 .*rough.*Look at it.*fit again\\s+without it")
  expect_no_match(out, "refine")
  changed$diagnostics$moved[5] <- TRUE
  expect_match(printed(add_loocv_checksum(changed)),
               "each of 2 rows \\(3 and 5\\).*their\\s+left-out scores are rough")
})
