# Specifies the kernel: its name, how inputs enter it, and its own parameters.

check_kernel_name <- function(kernel) {
  check_string(kernel)
  check_registered(kernel, names(registry()$kernels), "kernel")
}

default_kernel <- "matern52"

# Prefixes the kernel's own parameters with its name, as in `rational_quadratic.alpha`.
kernel_spec <- function(kernel, ard, product) {
  parameters <- lapply(registry()$kernels[[kernel]]$parameters, function(parameter) {
    parameter$name <- paste0(kernel, ".", parameter$name)
    parameter
  })
  names(parameters) <- vapply(parameters, function(parameter) parameter$name, "")
  list(name = kernel, ard = ard, product = product, parameters = parameters)
}
