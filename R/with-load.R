# Registers btg with packages, whichever is loaded first.

.onLoad <- function(libname, pkgname) {
  when_loaded("marginaleffects", register_marginaleffects)
  # Workers of a tuning load btg but do not call btg_parsnip().
  when_loaded("parsnip", register_parsnip)
}

# A failure must not prevent the other package from loading.
when_loaded <- function(package, action) {
  try_action <- function(...) try(action(), silent = TRUE)
  if (isNamespaceLoaded(package)) try_action()
  setHook(packageEvent(package, "onLoad"), try_action)
}
