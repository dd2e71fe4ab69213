test_that("\"auto\" approximates beyond 1000 distinct rows, \"exact\" never does", {
  expect_null(chosen_approx("auto", 1000L))
  expect_s3_class(chosen_approx("auto", 1001L), "btg_vecchia")
  expect_null(chosen_approx("exact", 1e6))
  expect_identical(chosen_approx(vecchia(3), 10L), vecchia(3))
})

test_that("vecchia() checks its arguments", {
  expect_s3_class(vecchia(0, 1, 0), "btg_vecchia")
  expect_argument_error(vecchia(-1), "neighbours")
  expect_argument_error(vecchia(block = 0), "block")
  expect_argument_error(vecchia(inducing = 1.5), "inducing")
  expect_argument_error(vecchia(seed = NA), "seed")
  for (bad in list("nearest", NULL, NA, 3, c("auto", "exact"), list())) {
    expect_argument_error(check_approx(bad), "vecchia")
  }
})

test_that("an approximation is printed with its sizes", {
  expect_output(print(vecchia(1, 8, 20)), "blocks of 8, 1 neighbour, 20 inducing functions")
})
