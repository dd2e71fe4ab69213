# Caches matrix factorisations between predictions. The cache belongs to the session, so a fit stays
# a plain list. The key is a checksum of everything that the factors depend on: a fit that was
# changed or read from a file finds the factors of its contents or none.

# `entries` holds list(pointer, bytes, prepared, prepared_bytes) by key, the most recently used
# last. If `prepared`, the entry has factors and `bytes` includes them.
# `checksum` belongs to `ensemble`, the last that was asked.
cache <- list2env(list(entries = list(), ensemble = NULL, checksum = NULL))

# Limits the memory that deleted fits still hold.
most_cached_fits <- 8L

# Returns the option `btg.cache` in bytes, else 2 GB, but at most a quarter of the memory.
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

# Drops the least recently used entries until at most `bytes` and `fits` remain.
shrink_cache <- function(bytes, fits = most_cached_fits) {
  while (length(cache$entries) > 0L && (cache_bytes() > bytes || length(cache$entries) > fits)) {
    forget_ensemble(names(cache$entries)[1L])
  }
}

forget_ensemble <- function(key) {
  entry <- cache$entries[[key]]
  cache$entries[[key]] <- NULL
  cache$ensemble <- NULL
  if (!is.null(entry)) core_release(entry$pointer)
  invisible(!is.null(entry))
}

# Returns the pointer or NULL, and marks the entry as the most recently used.
find_ensemble <- function(key) {
  entry <- cache$entries[[key]]
  if (!is.null(entry) && names(cache$entries)[length(cache$entries)] != key) {
    cache$entries[[key]] <- NULL
    cache$entries[[key]] <- entry
  }
  entry$pointer
}

# Returns the key of an ensemble, which is computed once if the same ensemble is asked repeatedly.
# Factors depend on the linear algebra, but not on the number of threads.
ensemble_key <- function(ensemble) {
  if (!identical(ensemble, cache$ensemble)) {
    cache$checksum <- ensemble_checksum(ensemble)
    cache$ensemble <- ensemble
  }
  paste(cache$checksum, linear_algebra())
}

ensemble_checksum <- function(ensemble) {
  members <- lapply(ensemble$members, function(member) member[c("hyper", "shift", "scale")])
  problems <- lapply(ensemble$models, function(model) model$problem)
  core_checksum(list(ensemble$design, unname(problems), members, ensemble$weight))
}

# Returns whether an ensemble is not cached, or lacks factors that would fit by now.
could_be_prepared <- function(key) {
  entry <- cache$entries[[key]]
  is.null(entry) ||
    (!entry$prepared && is.finite(entry$prepared_bytes) && entry$prepared_bytes <= cache_limit())
}

# Returns whether the factors of an ensemble fit into the cache.
are_factors_cached <- function(ensemble) {
  if (cache_is_off()) {
    return(FALSE)
  }
  made <- check_core(core_ensemble(core_members(ensemble), core_run()))
  made$bytes + made$prepared_bytes <= cache_limit()
}

# Returns the first argument of core_answer(): the pointer to a cached ensemble, or a description.
cached_ensemble <- function(ensemble) {
  usable <- length(cache$entries) > 0L && !cache_is_off()
  found <- if (usable) find_ensemble(ensemble_key(ensemble))
  if (is.null(found)) core_members(ensemble) else found
}

# Does the same, but with the run's `cache` builds an ensemble that is not cached, with factors if
# they fit. `prepared` is TRUE if factors were computed now.
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
