# Packages that must be told of btg, whichever is loaded first.

.onLoad <- function(libname, pkgname) {
  when_loaded("marginaleffects", tell_marginaleffects)
  # The workers of a tuning load btg, and have not called btg_parsnip().
  when_loaded("parsnip", register_parsnip)
}

# What fails here must not keep the other package from being loaded.
when_loaded <- function(package, action) {
  try_action <- function(...) try(action(), silent = TRUE)
  if (isNamespaceLoaded(package)) try_action()
  setHook(packageEvent(package, "onLoad"), try_action)
}
