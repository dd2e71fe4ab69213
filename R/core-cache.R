# Factors that predictions leave for the next ones. They live in the session and in no fit, which
# stays a plain list, and are found by a checksum of all that they are made from: a fit that is
# changed, or read from a file, finds those of its contents or none.

# `entries` has list(pointer, bytes, prepared, prepared_bytes) by key, the most recently used last:
# whether it has factors, and the bytes if it has.
cache <- list2env(list(entries = list()))

# So many fits, so that those that are gone do not fill the memory.
most_kept_fits <- 8L

# In bytes: the option `btg.cache`, or 2 GB, but at most a quarter of the memory there is.
cache_limit <- function() {
  chosen <- getOption("btg.cache")
  if (is.null(chosen)) {
    return(min(2e9, memory_limit() / 4))
  }
  if (!is_number(chosen) || chosen < 0) {
    abort_argument("options(btg.cache = )", "must be a number of bytes, or 0", chosen,
                   quote(predict()))
  }
  chosen
}

cache_is_off <- function() identical(as.double(getOption("btg.cache")), 0)

cache_bytes <- function() sum(vapply(cache$entries, function(entry) entry$bytes, 0))

# The least recently used give way until there are at most so many bytes and fits.
shrink_cache <- function(bytes, fits = most_kept_fits) {
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

# Threads make no difference to factors, other linear algebra does.
ensemble_key <- function(ensemble) core_checksum(list(ensemble, linear_algebra()))

# Whether an ensemble is no longer kept, or without factors that by now would fit.
could_be_prepared <- function(key) {
  entry <- cache$entries[[key]]
  is.null(entry) ||
    (!entry$prepared && is.finite(entry$prepared_bytes) && entry$prepared_bytes <= cache_limit())
}

# Whether factors that are made of an ensemble are there for the next prediction.
are_factors_kept <- function(ensemble, call = quote(btg())) {
  if (cache_is_off()) {
    return(FALSE)
  }
  made <- check_core(core_keep(ensemble, core_run(1)), call)
  core_release(made$pointer)
  made$bytes + made$prepared_bytes <= cache_limit()
}

# What core_predict() and core_latent() are to be called with: a pointer to the ensemble, with its
# factors if they can be kept, or the ensemble itself. `prepared` says whether they were made now.
kept_ensemble <- function(ensemble, threads, call) {
  if (cache_is_off()) {
    shrink_cache(0)
    return(list(ensemble = ensemble, prepared = FALSE))
  }
  key <- ensemble_key(ensemble)
  found <- find_ensemble(key)
  if (!is.null(getOption("btg.cache"))) shrink_cache(cache_limit())
  if (!is.null(found) && !could_be_prepared(key)) {
    return(list(ensemble = found, prepared = FALSE))
  }
  limit <- cache_limit()
  made <- check_core(core_keep(ensemble, core_run(threads)), call)
  prepared <- made$bytes + made$prepared_bytes <= limit
  bytes <- made$bytes + if (prepared) made$prepared_bytes else 0
  if (bytes > limit) {
    return(list(ensemble = made$pointer, prepared = FALSE))
  }
  forget_ensemble(key)
  shrink_cache(limit - bytes, most_kept_fits - 1L)
  if (prepared) check_core(core_prepare(made$pointer, core_run(threads)), call)
  cache$entries[[key]] <- list(pointer = made$pointer, bytes = bytes, prepared = prepared,
                               prepared_bytes = made$bytes + made$prepared_bytes)
  list(ensemble = made$pointer, prepared = prepared)
}
