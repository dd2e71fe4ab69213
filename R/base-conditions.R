# Raises classed errors, warnings and messages, and formats the phrases in them.
#
# `message` is a character vector: a headline, then bullets named "x" (the mistake and its place)
# and "i" (the remedy). `kind` ends the class, as in `btg_error_formula`; the general class, such as
# `btg_error`, follows it.

abort_btg <- function(message, kind) {
  rlang::abort(message, class = condition_classes("error", kind), call = user_call())
}

warn_btg <- function(message, kind) {
  rlang::warn(message, class = condition_classes("warning", kind), call = user_call())
}

inform_btg <- function(message, kind) {
  rlang::inform(message, class = condition_classes("message", kind), call = user_call())
}

condition_classes <- function(type, kind) {
  general <- paste0("btg_", type)
  c(paste0(general, "_", kind), general)
}

# Returns the call that a user recognises, such as `btg()`: the outermost function on the stack that
# this package exports or registers as a method. Returns NULL if there is none.
user_call <- function() {
  package <- topenv()
  for (frame in seq_len(sys.nframe())) {
    called <- sys.function(frame)
    if (identical(environment(called), package)) {
      name <- public_name(called, package)
      if (!is.na(name)) {
        return(call(name))
      }
    }
  }
}

# Returns the exported name of a function, or the generic that a method belongs to.
public_name <- function(called, package) {
  is_called <- vapply(as.list(package, all.names = TRUE), identical, NA, called)
  name <- names(is_called)[is_called]
  exported <- intersect(name, getNamespaceExports(package))
  methods <- getNamespaceInfo(package, "S3methods")
  c(exported, methods[methods[, 3L] %in% name, 1L])[1L]
}

# Evaluates `expr`. An error from another package becomes a `btg_error`, with its message as a
# bullet. `advice` adds bullets and is evaluated only then.
rethrow_btg <- function(expr, headline, kind, advice = NULL) {
  tryCatch(expr, error = function(e) {
    if (inherits(e, "btg_error")) rlang::cnd_signal(e)
    abort_btg(c(headline, x = conditionMessage(e), advice), kind)
  })
}

# "`a`", "`a` and `b`", "`a`, `b` and 7 more"
list_names <- function(names, mark = "`", most = 5L) {
  quoted <- paste0(mark, names, mark)
  if (length(quoted) > most) {
    quoted <- c(quoted[seq_len(most - 1L)], paste(length(quoted) - most + 1L, "more"))
  }
  if (length(quoted) < 2L) {
    return(paste(quoted))
  }
  last <- length(quoted)
  paste(paste(quoted[-last], collapse = ", "), "and", quoted[last])
}

# "1 row", "3 rows", "2 categories"
count_noun <- function(n, singular, plural = paste0(singular, "s")) {
  paste(n, if (n == 1) singular else plural)
}

# Ends a sentence that counts rows: " in row 17" or ", the first in row 17". Rows may be numbers or
# names.
locate_rows <- function(rows) {
  first <- as.character(rows[1L])
  if (!grepl("^[0-9]+$", first)) {
    first <- paste0("\"", first, "\"")
  }
  paste0(if (length(rows) > 1L) ", the first", " in row ", first)
}

# Describes a value, as in "a factor with 3 levels" or "a matrix with 2 columns".
describe_value <- function(x) {
  if (is.null(x)) {
    "NULL"
  } else if (is.data.frame(x)) {
    paste("a data frame with", count_noun(ncol(x), "column"))
  } else if (is.matrix(x)) {
    paste("a", describe_type(x), "matrix with", count_noun(ncol(x), "column"))
  } else if (is.factor(x)) {
    kind <- if (is.ordered(x)) "an ordered factor" else "a factor"
    paste(kind, "with", count_noun(nlevels(x), "level"))
  } else if (is.object(x)) {
    paste0("an object of class \"", class(x)[1L], "\"")
  } else if (is.function(x)) {
    "a function"
  } else if (is.list(x)) {
    "a list"
  } else if (is.atomic(x)) {
    paste("a", describe_type(x), "vector of length", length(x))
  } else {
    paste0("of type \"", typeof(x), "\"")
  }
}

describe_type <- function(x) if (is.numeric(x)) "numeric" else typeof(x)

# Our names of arguments that earlier versions or other packages call otherwise.
other_names <- list(level = c("prob", "location", "order"), draws = c("keep_draws", "nsim"),
                    ndraws = "nsim", nugget = "noise", covtype = "kernel", cov.model = "kernel",
                    groups = "folds", by = "folds", k = "folds",
                    n = "budget", above = "threshold")

# Returns the valid name that a misspelt one probably meant, or NULL.
closest_name <- function(name, valid) {
  if (length(valid) == 0L || is.na(name) || !nzchar(name)) {
    return(NULL)
  }
  # Case is ignored. Names of one or two letters allow no other difference.
  distance <- drop(utils::adist(tolower(name), tolower(valid)))
  best <- which.min(distance)
  allowed <- if (nchar(name) < 3L) 0 else max(1, nchar(name) %/% 3L)
  if (distance[best] <= allowed) valid[best] else NULL
}

# Returns "Did you mean `kernel`?" for the names close to a valid one, or NULL.
suggest_names <- function(names, valid, mark = "`") {
  closest <- unlist(lapply(names, function(name) {
    c(intersect(other_names[[name]], valid), closest_name(name, valid))[1L]
  }))
  closest <- closest[!is.na(closest)]
  if (length(closest) > 0L) c(i = paste0("Did you mean ", list_names(unique(closest), mark), "?"))
}
