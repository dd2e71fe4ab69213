test_that("conditions carry their kind, then the general class", {
  error <- expect_error(abort_btg("No.", "test"), class = "btg_error_test")
  expect_s3_class(error, c("btg_error_test", "btg_error"), exact = FALSE)
  expect_warning(warn_btg("Hm.", "test"), class = "btg_warning_test")
  expect_warning(warn_btg("Hm.", "test"), class = "btg_warning")
  expect_message(inform_btg("So.", "test"), class = "btg_message_test")
  expect_message(inform_btg("So.", "test"), class = "btg_message")
})

# Evaluates `code` with a check_fit() that always fails, and returns the error.
error_of <- function(code) {
  fails <- function(...) abort_btg(c("It broke.", x = "Here.", i = "Do this."), "test")
  environment(fails) <- asNamespace("btg")
  tryCatch(with_functions(list(check_fit = fails), code), error = identity)
}

test_that("an error prints the user's call, the headline and the bullets", {
  error <- error_of(nodes(NULL))
  expect_identical(error$call, quote(nodes()))
  text <- format(error, backtrace = FALSE)
  expect_match(text, "Error in `nodes()`", fixed = TRUE)
  expect_match(text, "It broke\\.\n\\S+ Here\\.\n\\S+ Do this\\.")
})

test_that("the call of a condition is the outermost function of ours that a user can call", {
  fit <- btg(dist ~ speed, cars, transform = "identity", quadrature = few_nodes(8))
  # An exported function, a generic of ours, and a method of somebody else's generic.
  expect_identical(error_of(nodes(fit))$call, quote(nodes()))
  expect_identical(error_of(loocv(fit))$call, quote(loocv()))
  expect_identical(error_of(predict(fit))$call, quote(predict()))
  expect_identical(tryCatch(btg(dist ~ speed, cars, kernel = "none"), error = identity)$call,
                   quote(btg()))
  # update() calls btg() again.
  expect_identical(tryCatch(update(fit, kernel = "none"), error = identity)$call, quote(update()))
  # However it is called.
  expect_identical(error_of(do.call(predict, list(fit)))$call, quote(predict()))
  expect_identical(error_of(lapply(list(fit), btg::nodes))$call, quote(nodes()))
  warning <- expect_warning(
    predict(signed_fit(c(3, -2), noise = c(2, 1e-4)), oracle_data()[5, ], observation = FALSE),
    class = "btg_warning_rearranged"
  )
  expect_identical(warning$call, quote(predict()))
})

test_that("a condition has no call where the user called nothing of ours", {
  expect_null(user_call())
  expect_null(tryCatch(abort_btg("No.", "test"), error = identity)$call)
  outside <- function() user_call()
  expect_null(outside())
  # Internal functions have no name that a user knows.
  expect_null(tryCatch(check_core(structure(list(kind = "a", message = "b", point = 0L),
                                            class = "btg_core_error")), error = identity)$call)
})

test_that("rethrow_btg() gives other errors a class and leaves ours alone", {
  expect_identical(rethrow_btg(1 + 1, "Sum.", "test"), 2)
  expect_error(rethrow_btg(stop("deep cause"), "Headline.", "test"), "Headline.*deep cause",
               class = "btg_error_test")
  expect_error(rethrow_btg(abort_btg("Ours.", "inner"), "Headline.", "outer"), "Ours",
               class = "btg_error_inner")
})

test_that("list_names() lists one, two and many", {
  expect_identical(list_names("a"), "`a`")
  expect_identical(list_names(c("a", "b")), "`a` and `b`")
  expect_identical(list_names(letters[1:5], "\""), "\"a\", \"b\", \"c\", \"d\" and \"e\"")
  expect_identical(list_names(letters[1:9]), "`a`, `b`, `c`, `d` and 5 more")
})

test_that("count_noun() and locate_rows() agree with the number", {
  expect_identical(count_noun(1, "row"), "1 row")
  expect_identical(count_noun(0, "row"), "0 rows")
  expect_identical(count_noun(2, "category", "categories"), "2 categories")
  expect_identical(locate_rows(17), " in row 17")
  expect_identical(locate_rows(c("17", "20")), ", the first in row 17")
  expect_identical(locate_rows("Mazda RX4"), " in row \"Mazda RX4\"")
})

test_that("describe_value() describes a value in words", {
  expect_identical(describe_value(NULL), "NULL")
  expect_identical(describe_value(1:3), "a numeric vector of length 3")
  expect_identical(describe_value("a"), "a character vector of length 1")
  expect_identical(describe_value(matrix(1, 2, 2)), "a numeric matrix with 2 columns")
  expect_identical(describe_value(cars), "a data frame with 2 columns")
  expect_identical(describe_value(factor(c("u", "v"))), "a factor with 2 levels")
  expect_identical(describe_value(factor("u", ordered = TRUE)), "an ordered factor with 1 level")
  expect_identical(describe_value(Sys.Date()), "an object of class \"Date\"")
  expect_identical(describe_value(mean), "a function")
  expect_identical(describe_value(list(1)), "a list")
  expect_identical(describe_value(quote(x)), "of type \"symbol\"")
})

test_that("closest_name() finds misspellings and nothing far away", {
  valid <- c("kernel", "transform", "ard")
  expect_identical(closest_name("kernal", valid), "kernel")
  expect_identical(closest_name("Transform", valid), "transform")
  expect_null(closest_name("weights", valid))
  expect_null(closest_name("z", c("x", "k")))
  expect_identical(closest_name("X", c("k", "x")), "x")
  expect_null(closest_name("", valid))
  expect_null(closest_name("ard", character()))
  expect_identical(suggest_names(c("kernal", "weights"), valid), c(i = "Did you mean `kernel`?"))
  expect_null(suggest_names("weights", valid))
})
