# Matrix factorisations that predictions leave for the next ones. They live in the session and not
# in the fit, which stays a plain list, and are found by a checksum of everything they are made
# from: a fit that is changed, or read from a file, finds those of its contents or none.

# `entries` has list(pointer, bytes, prepared, prepared_bytes) by key, the most recently used last:
# `prepared` tells whether it has factors, and `bytes` then includes them.
cache <- list2env(list(entries = list()))

# Fits that are gone must not fill the memory.
most_cached_fits <- 8L

# In bytes: the option `btg.cache`, or 2 GB, but at most a quarter of the memory there is.
cache_limit <- function() {
  chosen <- getOption("btg.cache")
  if (is.null(chosen)) {
    return(min(2e9, memory_limit() / 4))
  }
  if (!is_number(chosen) || chosen < 0) {
    abort_argument("options(btg.cache = )", "must be a number of bytes, or 0", chosen)
  }
  chosen
}

cache_is_off <- function() identical(as.double(getOption("btg.cache")), 0)

cache_bytes <- function() sum(vapply(cache$entries, function(entry) entry$bytes, 0))

# Drops the least recently used until there are at most so many bytes and fits.
shrink_cache <- function(bytes, fits = most_cached_fits) {
  while (length(cache$entries) > 0L && (cache_bytes() > bytes || length(cache$entries) > fits)) {
    forget_ensemble(names(cache$entries)[1L])
  }
}

forget_ensemble <- function(key) {
  entry <- cache$entries[[key]]
  cache$entries[[key]] <- NULL
  if (!is.null(entry)) core_release(entry$pointer)
  invisible(!is.null(entry))
}

# The pointer, or NULL.
find_ensemble <- function(key) {
  entry <- cache$entries[[key]]
  if (!is.null(entry)) {
    cache$entries[[key]] <- NULL
    cache$entries[[key]] <- entry
  }
  entry$pointer
}

# Factors do not depend on the number of threads, but on the linear algebra.
ensemble_key <- function(ensemble) {
  members <- lapply(ensemble$members, function(member) member[c("hyper", "shift", "scale")])
  problems <- lapply(ensemble$models, function(model) model$problem)
  core_checksum(list(ensemble$design, unname(problems), members, ensemble$weight,
                     linear_algebra()))
}

# Whether an ensemble is no longer cached, or lacks factors that would fit by now.
could_be_prepared <- function(key) {
  entry <- cache$entries[[key]]
  is.null(entry) ||
    (!entry$prepared && is.finite(entry$prepared_bytes) && entry$prepared_bytes <= cache_limit())
}

# Whether factors of an ensemble, once made, stay for the next prediction.
are_factors_cached <- function(ensemble) {
  if (cache_is_off()) {
    return(FALSE)
  }
  made <- check_core(core_ensemble(core_members(ensemble), core_run()))
  made$bytes + made$prepared_bytes <= cache_limit()
}

# The first argument of core_answer(): the pointer to a cached ensemble, or a description.
cached_ensemble <- function(ensemble) {
  found <- if (length(cache$entries) > 0L) find_ensemble(ensemble_key(ensemble))
  if (is.null(found)) core_members(ensemble) else found
}

# Likewise; with the run's `cache`, an ensemble that is not cached is built, with its factors if
# they fit. `prepared` tells whether factors were made now.
open_ensemble <- function(ensemble, run) {
  if (cache_is_off()) shrink_cache(0)
  if (cache_is_off() || !run$cache) {
    return(list(ensemble = core_members(ensemble), prepared = FALSE))
  }
  key <- ensemble_key(ensemble)
  found <- find_ensemble(key)
  if (!is.null(getOption("btg.cache"))) shrink_cache(cache_limit())
  if (!is.null(found) && !could_be_prepared(key)) {
    return(list(ensemble = found, prepared = FALSE))
  }
  limit <- cache_limit()
  made <- check_core(core_ensemble(core_members(ensemble), core_run(run$threads)))
  prepared <- made$bytes + made$prepared_bytes <= limit
  bytes <- made$bytes + if (prepared) made$prepared_bytes else 0
  if (bytes > limit) {
    return(list(ensemble = made$pointer, prepared = FALSE))
  }
  forget_ensemble(key)
  shrink_cache(limit - bytes, most_cached_fits - 1L)
  if (prepared) check_core(core_prepare(made$pointer, core_run(run$threads)))
  cache$entries[[key]] <- list(pointer = made$pointer, bytes = bytes, prepared = prepared,
                               prepared_bytes = made$bytes + made$prepared_bytes)
  list(ensemble = made$pointer, prepared = prepared)
}
