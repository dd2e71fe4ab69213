plain <- btg(y ~ x, oracle_data(), transform = "identity", quadrature = few_nodes(16))
warped <- btg(y ~ x + w, oracle_data(), transform = "softplus", quadrature = few_nodes(16))
rough <- btg(y ~ w, oracle_data(), transform = "sinharcsinh", kernel = "exponential",
             quadrature = few_nodes(16))

test_that("differences and their standard errors follow from the rows", {
  table <- compare_fits(plain, rough, warped)
  scores <- lapply(list(plain = plain, warped = warped, rough = rough),
                   function(fit) loocv(fit)$pointwise)
  elpd <- vapply(scores, function(one) sum(one$log_score), 0)
  order <- names(sort(elpd, decreasing = TRUE))
  expect_s3_class(table, "btg_compare")
  expect_equal(rownames(table), order)
  expect_equal(table$elpd, unname(elpd[order]))
  expect_equal(unlist(table[1, c("elpd_diff", "se_diff")], use.names = FALSE), c(0, 0))
  for (name in order[-1]) {
    difference <- scores[[name]]$log_score - scores[[order[1]]]$log_score
    expect_equal(table[name, "elpd_diff"], sum(difference))
    expect_equal(table[name, "se_diff"], sd(difference) * sqrt(14))
    expect_equal(table[name, "crps"], mean(scores[[name]]$crps))
    expect_equal(table[name, "rmse"], sqrt(mean((scores[[name]]$y - scores[[name]]$median)^2)))
    expect_equal(table[name, "mae"], mean(abs(scores[[name]]$y - scores[[name]]$median)))
  }
  expect_equal(table["plain", "seconds"], plain$seconds)
})

test_that("results of loocv() are compared, under the names given or written", {
  table <- compare_fits(a = loocv(plain), warped,
                        btg(y ~ x, oracle_data(), transform = "identity",
                            quadrature = few_nodes(8)))
  expect_setequal(rownames(table)[1:2] %in% c("a", "warped", rownames(table)[3]), TRUE)
  expect_true(all(c("a", "warped") %in% rownames(table)))
  expect_equal(sum(grepl("^btg\\(y ~ x", rownames(table))), 1)
  expect_true(is.na(table["a", "seconds"]))
  fits <- compare_fits(plain, warped)
  expect_equal(table["a", "elpd"], fits["plain", "elpd"])
  expect_setequal(rownames(compare_fits(plain, plain)), c("plain", "plain.1"))
  folds <- compare_fits(plain = loocv(plain, folds = 3), warped = loocv(warped, folds = 3))
  expect_false(isTRUE(all.equal(folds$elpd, fits$elpd)))
})

test_that("rows that one model cannot predict are left out for all", {
  d <- oracle_data()
  d$third <- as.numeric(seq_len(14) == 3)
  lever <- btg(y ~ x, d, trend = ~ third, transform = "identity", quadrature = few_nodes(8))
  table <- suppressWarnings(compare_fits(lever, warped), classes = "btg_warning_not_predicted")
  pointwise <- loocv(warped)$pointwise[-3, ]
  expect_equal(table["warped", "elpd"], sum(pointwise$log_score))
  expect_equal(table["warped", "crps"], mean(pointwise$crps))
  expect_equal(table["warped", "mae"], mean(abs(pointwise$residual)))
})

test_that("fits that cannot be compared are an error", {
  d <- oracle_data()
  logged <- btg(log(y) ~ x, d, transform = "identity", quadrature = few_nodes(8))
  shorter <- btg(y ~ x, d[-1, ], transform = "identity", quadrature = few_nodes(8))
  expect_error(compare_fits(plain, logged), "different responses", class = "btg_error_compare")
  expect_error(compare_fits(plain, shorter), "14 and 13 rows", class = "btg_error_compare")
  expect_error(compare_fits(loocv(plain, folds = 3), warped), "different folds",
               class = "btg_error_compare")
  expect_error(compare_fits(loocv(plain, folds = 3), loocv(warped, folds = rep(1:7, 2))),
               class = "btg_error_compare")
  expect_error(compare_fits(plain), "two fits", class = "btg_error_argument")
  expect_error(compare_fits(), class = "btg_error_argument")
  expect_error(compare_fits(plain, lm(y ~ x, d)), "lm\\(y", class = "btg_error_argument")
  expect_error(compare_fits(plain, warped, threads = 0), class = "btg_error_argument")
})

test_that("a comparison prints best first, and is a data frame", {
  table <- compare_fits(plain, warped)
  expect_output(print(table), "best first")
  expect_output(print(table), paste0(rownames(table)[1], " +0"))
  expect_s3_class(table, "data.frame")
  expect_equal(dim(as.data.frame(table)), c(2, 7))
})

test_that("results have the layout of the loo package", {
  cv <- loocv(warped)
  converted <- loo.btg_loocv(cv)
  expect_s3_class(converted, "loo")
  expect_equal(converted$pointwise[, "elpd_loo"], cv$pointwise$log_score)
  expect_equal(converted$estimates["elpd_loo", ],
               c(Estimate = cv$estimates["elpd", 1], SE = cv$estimates["elpd", 2]))
  expect_equal(converted$estimates["looic", ], c(-2, 2) * converted$estimates["elpd_loo", ])
  expect_output(print(converted), "Exact leave-one-out")
  # Of the same response in other units of scaling the hash is the same, of another it is not.
  expect_identical(attr(converted, "yhash"), attr(loo.btg(plain), "yhash"))
  d <- oracle_data()
  other <- btg(2 * y ~ x, d, transform = "identity", quadrature = few_nodes(8))
  expect_false(identical(attr(converted, "yhash"), attr(loo.btg(other), "yhash")))
})

test_that("loo::loo_compare() agrees", {
  skip_if_not_installed("loo")
  ours <- compare_fits(plain, warped, rough)
  theirs <- loo::loo_compare(list(plain = loo::loo(plain), warped = loo::loo(warped),
                                  rough = loo::loo(loocv(rough))))
  expect_equal(rownames(theirs), rownames(ours))
  expect_equal(as.vector(theirs[, "elpd_diff"]), ours$elpd_diff)
  expect_equal(as.vector(theirs[, "se_diff"]), ours$se_diff)
})

test_that("print() points out that fits by wgp() seem too good", {
  d <- oracle_data()
  likely <- wgp(y ~ x, d)
  bayes <- btg(y ~ x, d, transform = "identity", quadrature = few_nodes(16))
  table <- compare_fits(likely, bayes)
  expect_identical(attr(table, "frozen"), "likely")
  expect_output(print(table), "Not ranked.*fair to `likely`")
  expect_output(print(table["elpd"]), "elpd")
  fair <- compare_fits(likely = loocv(likely, folds = 2, method = "refit"),
                       bayes = loocv(bayes, folds = 2))
  expect_identical(attr(fair, "frozen"), character())
  expect_no_match(capture.output(print(fair)), "maximum likelihood")
})

test_that("totals leave out a row that cannot be predicted, as loocv() does", {
  d <- oracle_data()
  d$third <- as.numeric(seq_len(14) == 3)
  fit <- btg(y ~ x + w, d, trend = ~ third, transform = "identity", quadrature = few_nodes(16))
  cv <- suppressWarnings(loocv(fit), classes = "btg_warning_not_predicted")
  expect_identical(which(is.na(cv$pointwise$log_score)), 3L)
  converted <- loo.btg_loocv(cv)
  expect_equal(unname(converted$estimates["elpd_loo", ]), unlist(cv$estimates["elpd", ]),
               ignore_attr = TRUE)
  expect_false(anyNA(converted$pointwise[, c("elpd_loo", "looic")]))
  expect_identical(nrow(converted$pointwise), 13L)
  expect_output(print(converted), "13 rows")
  skip_if_not_installed("loo")
  expect_warning(by_generic <- loo::loo(fit), class = "btg_warning_not_predicted")
  expect_equal(by_generic$estimates, converted$estimates)
})

test_that("one fit is an error that names the function, and names of other packages are free", {
  error <- expect_error(compare_fits(1), "compare_fits", class = "btg_error_argument")
  expect_identical(error$call, quote(compare_fits()))
  expect_false(any(c("compare", "scores") %in% getNamespaceExports("btg")))
})

test_that("loo_compare() takes fits", {
  skip_if_not_installed("loo")
  plain <- btg(dist ~ speed, cars, transform = "identity", quadrature = few_nodes())
  warped <- btg(dist ~ speed, cars, transform = "softplus", quadrature = few_nodes())
  found <- loo::loo_compare(plain, warped)
  ours <- compare_fits(plain, warped)
  expect_setequal(rownames(found), row.names(ours))
  expect_equal(unname(found[, "elpd_diff"]), ours$elpd_diff)
  expect_equal(unname(found[, "se_diff"]), ours$se_diff)
  expect_equal(loo::loo_compare(loocv(plain), warped), found, ignore_attr = TRUE)
})

test_that("compare_fits() warns if some scores are of masses and others of densities", {
  d <- transform(oracle_data(), y = pmax(y - 0.7, 0))
  fit <- function(...) {
    suppressMessages(btg(y ~ x + w, d, transform = "sinharcsinh", quadrature = few_nodes(8), ...))
  }
  bounded <- fit(lower = 0)
  expect_warning(compare_fits(bounded, fit()), "have a point mass in some fits",
                 class = "btg_warning_masses")
  expect_no_warning(compare_fits(bounded, fit(lower = 0, upper = 100)),
                    class = "btg_warning_masses")
})
