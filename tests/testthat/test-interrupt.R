test_that("interrupted calls stop soon and leave the session as it was", {
  skip_if_quick()
  skip_on_cran()
  skip_on_os(c("windows", "mac"))
  output <- run_child(test_path("..", "interrupts", "interrupt.R"), "10", "300", "0.3")
  last <- output[length(output)]
  expect_match(last, "^10 interrupts, [0-9]+ late, .* 0 not healthy$", info = output)
  # It takes a hundredth of a second; but machines that run tests are busy.
  expect_lt(as.numeric(sub(".* stop ([0-9.]+) s .*", "\\1", last)), 3)
})
