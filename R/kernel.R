# The kernel's specification: its name, and how inputs enter it.
kernel_spec <- function(kernel, ard, product, call = quote(btg())) {
  check_string(kernel, call = call)
  check_registered(kernel, registry()$kernels, "kernel", call)
  list(name = kernel, ard = ard, product = product)
}
