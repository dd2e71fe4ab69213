# Describes a search space: a box of numbers and the levels of factors.

# Returns list(lower, upper, whole, levels) for the variables of a fit. `whole` marks the numbers
# that must be whole; `levels` lists the possible values of the other variables.
space_of_fit <- function(fit, lower, upper, integers) {
  kinds <- fit$blueprint$columns
  data <- fit$data
  groups <- group_columns(fit$blueprint)
  numbers <- setdiff(names(kinds)[kinds == "numeric"], groups)
  others <- setdiff(names(kinds), numbers)
  unusable <- others[!kinds[others] %in% c("categorical", "logical") & !others %in% groups]
  if (length(unusable) > 0L) {
    abort_btg(c("The search can vary numbers, factors, text and logical values only.",
                x = paste0("Not so: ", list_names(unusable), "."),
                i = "Give `candidates`, a data frame of rows to choose from."), "space")
  }
  whole <- vapply(data[numbers], is.integer, NA)
  least <- function(x) min(as.double(x))
  greatest <- function(x) max(as.double(x))
  space <- list(
    lower = bound_values(lower, vapply(data[numbers], least, 0), "lower", !is.null(upper)),
    upper = bound_values(upper, vapply(data[numbers], greatest, 0), "upper", !is.null(lower)),
    whole = check_integers(integers, whole),
    levels = lapply(data[others], function(x) if (is.factor(x)) levels(x) else sort(unique(x)))
  )
  check_space(space)
}

# Matches bounds by name, or by position if none is named; those not given are `defaults`. If `both`
# bounds are given, one value without a name can stand for all variables.
bound_values <- function(given, defaults, what, both) {
  given <- unlist(given)
  if (is.null(given)) {
    return(defaults)
  }
  if (!is.numeric(given) || !all(is.finite(given))) {
    abort_argument(what, "must be finite numbers", given)
  }
  if (is.null(names(given))) {
    if (length(given) == 1L && both) given <- rep(given, length(defaults))
    if (length(given) != length(defaults)) {
      abort_btg(c(paste0("`", what, "` must have one value for each numeric variable."),
                  x = paste0("It has ", length(given), "; the variables are ",
                             list_names(names(defaults)), ".")), "space")
    }
    return(stats::setNames(as.double(given), names(defaults)))
  }
  unknown <- setdiff(names(given), names(defaults))
  if (length(unknown) > 0L) {
    abort_btg(c(paste0("`", what, "` names variables that are not numeric variables of the fit."),
                x = paste0("Unknown: ", list_names(unknown), "."),
                suggest_names(unknown, names(defaults))), "space")
  }
  defaults[names(given)] <- given
  defaults
}

# Marks the whole numbers: those already in `whole` and those that `integers` names.
check_integers <- function(integers, whole) {
  if (is.null(integers)) {
    return(whole)
  }
  if (!is.character(integers) || !all(integers %in% names(whole))) {
    abort_argument("integers", paste("must be among", list_names(names(whole), most = Inf)),
                   integers)
  }
  whole[integers] <- TRUE
  whole
}

check_space <- function(space) {
  wrong <- names(space$lower)[!(space$lower <= space$upper)]
  if (length(wrong) > 0L) {
    abort_btg(c("`lower` must not be above `upper`.",
                x = paste0("It is for ", list_names(wrong), ".")), "space")
  }
  none <- names(space$whole)[space$whole & floor(space$upper) < ceiling(space$lower)]
  if (length(none) > 0L) {
    abort_btg(c("There must be a whole number between `lower` and `upper`.",
                x = paste0("There is none for ", list_names(none), ".")), "space")
  }
  space
}

# Combinations of levels are numbered from 1; level_rows() starts again beyond the last.
level_count <- function(space) prod(1, lengths(space$levels))

level_rows <- function(space, k) {
  k <- (k - 1L) %% level_count(space)
  columns <- list()
  for (name in names(space$levels)) {
    size <- length(space$levels[[name]])
    columns[[name]] <- space$levels[[name]][k %% size + 1L]
    k <- k %/% size
  }
  columns
}

# Maps points of the unit cube, with combinations `k` of levels, to rows of data.
space_rows <- function(space, u, k = rep(1L, nrow(u))) {
  columns <- lapply(stats::setNames(seq_along(space$lower), names(space$lower)), function(j) {
    low <- space$lower[[j]]
    high <- space$upper[[j]]
    x <- low + unname(u[, j]) * (high - low)
    if (space$whole[[j]]) pmin(pmax(round(x), ceiling(low)), floor(high)) else pmin(x, high)
  })
  structure(c(columns, level_rows(space, k)), class = "data.frame",
            row.names = .set_row_names(nrow(u)))
}

# Maps rows of data to points of the unit cube. A variable whose bounds are equal maps to 0.
space_points <- function(space, data) {
  u <- vapply(names(space$lower), function(name) {
    width <- space$upper[[name]] - space$lower[[name]]
    x <- as.double(data[[name]])
    if (width > 0) (x - space$lower[[name]]) / width else 0 * x
  }, numeric(nrow(data)))
  matrix(u, nrow(data), length(space$lower))
}

# Returns the numbers of the combinations of levels that rows have.
combination_of <- function(space, rows) {
  k <- numeric(nrow(rows))
  size <- 1
  for (name in names(space$levels)) {
    k <- k + size * (match(as.character(rows[[name]]), as.character(space$levels[[name]])) - 1L)
    size <- size * length(space$levels[[name]])
  }
  k + 1
}

# Points that fill the unit cube evenly, one per row, always the same.
even_points <- function(count, d) check_core(core_even_points(d, count))$points
