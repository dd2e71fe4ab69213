# The kernel's specification: its name, how inputs enter it, and its own parameters.

check_kernel_name <- function(kernel, call = quote(btg())) {
  check_string(kernel, call = call)
  check_registered(kernel, names(registry()$kernels), "kernel", call)
}

# Own parameters are named after the kernel, as in `rational_quadratic.alpha`.
kernel_spec <- function(kernel, ard, product) {
  parameters <- lapply(registry()$kernels[[kernel]]$parameters, function(parameter) {
    parameter$name <- paste0(kernel, ".", parameter$name)
    parameter
  })
  names(parameters) <- vapply(parameters, function(parameter) parameter$name, "")
  list(name = kernel, ard = ard, product = product, parameters = parameters)
}
