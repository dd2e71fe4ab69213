# Builds the design from a formula and data: the inputs X of the kernel, the trend M, the response
# y, and a blueprint (data-blueprint.R) that computes X and M from new data.

# `frame_args` holds the unevaluated `subset`, `na.action`, `weights` and `censored` of the user's
# call, and `env` is the frame of that call; they are evaluated as in lm(). With `data = NULL`,
# variables come from the formula's environment.
design_from_formula <- function(formula, data = NULL, trend = ~ 1, frame_args = list(),
                                env = parent.frame(), noise = ~ 1,
                                geographic = is_geographic(data)) {
  force(geographic)
  check_formula(formula)
  check_trend_formula(trend)
  if (!is.data.frame(data) && !is.null(explain_spatial(data))) {
    abort_btg(c("`data` must be a data frame, or points of the package sf.",
                x = paste0("It is ", describe_value(data), "."),
                i = "`sf::st_as_sf()` or `as.data.frame()` makes one."), "argument")
  }
  check_data(data)
  reference <- reference_system(data)
  data <- plain_data(data)
  if (is.null(environment(formula))) {
    environment(formula) <- env
  }
  if (is.null(data)) {
    data <- environment(formula)
  }
  if (!is.environment(data)) {
    others <- setdiff(names(without_groups(formula, data)), all.vars(formula[[2L]]))
    formula[[3L]] <- expand_dots(formula[[3L]], others)
  }
  design <- build_design(formula, data, trend, noise, frame_args, env, deparse1(formula[[2L]]),
                         geographic)
  # The stored formula has `.` expanded and does not hold on to the caller's frame.
  design$formula <- stats::formula(stats::terms(formula, data = without_groups(formula, data)))
  environment(design$formula) <- design$blueprint$environment
  design$blueprint$reference_system <- reference
  design$blueprint$geographic <- geographic
  design
}

# `x` is a matrix, a data frame or a numeric vector. Its columns are the inputs, and the only
# variables that `trend` can use. options("na.action") governs missing values.
design_from_xy <- function(x, y, trend = ~ 1, weights = NULL, noise = ~ 1, censored = NULL,
                           geographic = is_geographic(x)) {
  force(geographic)
  check_trend_formula(trend)
  reference <- reference_system(x)
  data <- input_data(plain_data(x))
  y <- response_limits(plain_vector(y), censored)
  if (!is_limits(y)) check_response_type(y, "y")
  if (NROW(y) != nrow(data)) {
    abort_btg(c(
      "`x` and `y` must have as many rows as each other.",
      x = paste0("`x` has ", count_noun(nrow(data), "row"), " and `y` has ", NROW(y), ".")
    ), "length")
  }
  check_weights_length(weights, nrow(data))
  columns <- names(data)
  response <- make.unique(c(columns, "y"))[length(columns) + 1L]
  data[[response]] <- if (is_limits(y)) y else as.vector(y)
  scope <- if (is.null(environment(trend))) baseenv() else environment(trend)
  formula <- sum_formula(lapply(columns, as.name), as.name(response), scope)

  design <- build_design(formula, data, trend, noise, list(weights = weights), scope, "y",
                         geographic)
  check_known_columns(design$blueprint, columns)
  design$blueprint$interface <- "xy"
  design$blueprint$x_columns <- columns
  design$blueprint$reference_system <- reference
  design$blueprint$geographic <- geographic
  design$formula <- formula
  environment(design$formula) <- design$blueprint$environment
  design
}

# The trend could also find variables in its environment, which new data would lack.
check_known_columns <- function(blueprint, columns) {
  unknown <- setdiff(names(blueprint$columns), columns)
  if (length(unknown) > 0L) {
    abort_btg(c(
      "The trend and the noise can only use the columns of `x`.",
      x = paste0(list_names(unknown), " is not among them."),
      i = paste0("Columns: ", list_names(columns), ".")
    ), "trend")
  }
  invisible(columns)
}

# Replaces the symbols `..1`, `..2` and so on, which stand for the `...` of a function that calls
# btg(), by the arguments behind them. `caller` is the frame of that function.
without_dots <- function(matched_call, caller) {
  is_dot <- vapply(as.list(matched_call), function(argument) {
    is.name(argument) && grepl("^[.]{2}[0-9]+$", as.character(argument))
  }, NA)
  if (any(is_dot)) {
    behind <- as.list(substitute(list(...), caller))[-1L]
    numbers <- as.integer(sub("..", "", as.character(as.list(matched_call)[is_dot]), fixed = TRUE))
    matched_call[is_dot] <- behind[numbers]
  }
  matched_call
}

# Extracts `subset`, `na.action`, `weights` and `censored` from a matched call for
# design_from_formula().
frame_arguments <- function(matched_call) {
  arguments <- as.list(matched_call)
  arguments[names(arguments) %in% c("subset", "na.action", "weights", "censored")]
}

build_design <- function(formula, data, trend, noise, frame_args, env, response_name, geographic) {
  input_terms <- parse_inputs(formula, data)
  trend_terms <- parse_trend(trend, formula, data)
  noise_terms <- parse_noise(noise, formula, data)
  scope <- formula_scope(formula, list(trend, noise), data)
  covariance <- covariance_terms(term_variables(input_terms), data, scope, geographic)
  elsewhere <- c(term_variables(trend_terms),
                 if (!is.null(noise_terms)) term_variables(noise_terms))
  check_bars(elsewhere, data, scope)
  check_response_free(names(covariance$variables), formula)
  variables <- c(covariance$variables, elsewhere)
  scope <- with_maps(scope, variables)
  if (is.environment(data)) {
    data <- scope
  }

  size <- data_size(formula, data, scope)
  response <- response_expression(formula[[2L]], frame_args$censored, data, scope)
  frame_args$censored <- NULL
  frame <- design_frame(response, variables, data, frame_args, size, scope, env)
  rows <- row.names(frame)
  taken <- frame[["(position)"]]
  frame[["(position)"]] <- NULL
  weights <- check_weights(frame[["(weights)"]], rows)
  frame[["(weights)"]] <- NULL
  if (!is_limits(frame[[1L]])) check_response_type(frame[[1L]], response_name, formula)
  check_frame_complete(frame, response_name)
  check_sample_size(nrow(frame), 1L)

  trend <- fit_trend(trend_terms, frame)
  M <- trend$matrix
  check_sample_size(nrow(frame), ncol(M))
  limits <- if (is_limits(frame[[1L]])) frame[[1L]]
  y <- if (is.null(limits)) frame[[1L]] else check_limits(limits, response_name, rows)
  y <- check_response(y, response_name, rows)
  check_finite_columns(M, "trend column", rows)
  check_trend_rank(M)

  layout <- input_layout(frame, names(covariance$variables), group_variables(covariance$terms))
  X <- encode_inputs(frame, layout)
  check_finite_columns(X, "input", rows)
  constant <- constant_columns(X, layout)
  check_groups_vary(layout$variable[constant & layout$group])
  dropped <- drop_constant_inputs(unique(layout$input[constant]), all(constant))
  layout <- layout[!constant, , drop = FALSE]
  check_mapped(layout, X)
  terms <- place_terms(covariance$terms, layout)
  inform_degrees(frame, plain_inputs(covariance$terms), geographic)
  inform_rotated_degrees(covariance$variables, geographic)

  kept_variables <- design_variables(variables, data, scope, size, taken, rows)
  noise_of <- function(at) {
    part <- structure(frame[at, , drop = FALSE], terms = attr(frame, "terms"))
    fit_noise(noise_terms, part, kept_variables[at, , drop = FALSE], ncol(M))
  }
  noise <- noise_of(seq_along(rows))
  design <- drop_copies(list(
    inputs = X[, !constant, drop = FALSE],
    input_of_column = match(layout$input, unique(layout$input)),
    input_names = unique(layout$input[!layout$group]),
    levels_of_column = layout$levels,
    group_of_column = layout$group,
    terms = terms,
    trend = M,
    trend_has_constant = spans_constant(M),
    noise = noise$matrix,
    response = y,
    limits = limits,
    response_name = response_name,
    weights = weights,
    row_names = rows,
    dropped_inputs = dropped,
    variables = kept_variables,
    blueprint = new_blueprint(frame, layout, trend$spec, noise$spec, data, size, scope,
                              response_unit(formula[[2L]], data, scope))
  ))
  design <- fix_limits(design)
  # Noise columns are standardised, so without the copies their centres and scales change.
  if (!is.null(design$copies) && !is.null(noise_terms)) {
    noise <- noise_of(match(design$row_names, rows))
    design$noise <- noise$matrix
    design$blueprint$noise <- noise$spec
  }
  na_action <- omit_copies(attr(frame, "na.action"), design$copies, rows)
  excluded <- excluded_rows(na_action, response, deparse1(formula[[2L]]), variables, data, scope,
                            size)
  c(design, list(na_action = na_action, excluded = excluded))
}

# Returns the variables behind the inputs, the trend and the noise for the rows `taken`. all.vars()
# also finds arguments of functions and names after `$`; only variables with `size` rows are kept.
design_variables <- function(terms, data, scope, size, taken, names) {
  found <- lapply(stats::setNames(nm = unique(unlist(lapply(terms, all.vars)))), function(name) {
    tryCatch(eval(as.name(name), data, scope), error = function(e) NULL)
  })
  # as.data.frame() would split a matrix into columns.
  found <- structure(found[vapply(found, NROW, 0L) == size], class = "data.frame",
                     row.names = .set_row_names(size))
  found <- found[taken, , drop = FALSE]
  attr(found, "row.names") <- names
  found
}

# With na.action = na.exclude, returns the response, called `name`, and the variables of the rows
# left out.
excluded_rows <- function(na_action, response, name, terms, data, scope, size) {
  if (!inherits(na_action, "exclude")) {
    return(NULL)
  }
  rows <- names(na_action)
  # model.frame() renames a row that `subset` selects twice as `make.unique()` does.
  known <- if (is.data.frame(data)) row.names(data) else seq_len(size)
  at <- match(rows, known)
  at[is.na(at)] <- match(sub("\\.[0-9]+$", "", rows[is.na(at)]), known)
  y <- eval(response, data, limit_scope(scope))
  if (is_limits(y)) y <- limit_middle(y)
  variables <- design_variables(terms, data, scope, size, at, rows)
  structure(c(stats::setNames(list(as.vector(y[at])), name), variables),
            class = "data.frame", row.names = rows)
}

# ~ a + b + c, or y ~ a + b + c
sum_formula <- function(variables, response = NULL, env = parent.frame()) {
  sum <- Reduce(function(a, b) call("+", a, b), variables)
  stats::as.formula(as.call(c(quote(`~`), response, sum)), env = env)
}

# Builds one model frame for the response, the inputs, the trend and the noise, so that missing
# values in any of them are handled once. "(position)" is the place of each row in the data.
design_frame <- function(response, variables, data, frame_args, size, scope, env) {
  formula <- sum_formula(variables[!duplicated(names(variables))], response, limit_scope(scope))
  frame_call <- as.call(c(
    list(quote(stats::model.frame), formula = formula, data = data, drop.unused.levels = TRUE,
         position = seq_len(size)),
    frame_args
  ))
  frame <- rethrow_btg(eval(frame_call, env), "The data do not fit the formula.", "model_frame",
                       explain_formula(formula, data, scope))
  check_penalties(frame)
  # Inputs and trend must agree on the levels of text.
  text <- vapply(frame, is.character, NA)
  text[1L] <- FALSE
  frame[text] <- lapply(frame[text], factor)
  frame
}

# Suggests what users of other packages may have meant by a formula that cannot be evaluated.
explain_formula <- function(formula, data, scope) {
  known <- function(name, mode) {
    is_column(name, data) || exists(name, envir = scope, mode = mode)
  }
  columns <- if (is.environment(data)) ls(data) else names(data)
  variables <- all.vars(formula)
  functions <- setdiff(all.names(formula), variables)
  smooth <- Filter(function(name) !known(name, "function") || is_smooth(name, scope),
                   intersect(c("s", "te", "ti", "t2"), functions))
  c(
    suggest_names(Filter(function(name) !known(name, "any"), variables), columns),
    explain_censoring(Filter(function(name) !known(name, "function"), functions)),
    if (length(smooth) > 0L) c(i = instead_of_smooths)
  )
}

instead_of_smooths <- paste0(
  "List the variables themselves: the kernel makes every input smooth. For the effect of each ",
  "input alone, write `additive(x1, x2)`; for groups, `(1 | group)`. See `?\"btg-terms\"`."
)

is_smooth <- function(name, scope) {
  definition <- get(name, envir = scope, mode = "function")
  identical(environmentName(environment(definition)), "mgcv")
}

# Refuses frailty(), pspline() and ridge() of the package survival. They return numbers whose
# meaning is an attribute that only its own functions read: frailty(site) would be the numbers of
# the sites.
check_penalties <- function(frame) {
  penalties <- names(frame)[vapply(frame, inherits, NA, "coxph.penalty")]
  if (length(penalties) > 0L) {
    abort_btg(c("The formula has terms that only the package survival can read.",
                x = paste0("These are ", list_names(penalties), "."),
                i = instead_of_smooths), "formula")
  }
}

# Returns the environment where formulas find symbols that are not columns: the formula's (or
# `data`, if it is one), extended by symbols that only the environments of `others` hold.
formula_scope <- function(formula, others, data) {
  scope <- if (is.environment(data)) data else environment(formula)
  for (other in others) {
    origin <- environment(other)
    only_there <- Filter(function(name) {
      !exists(name, envir = scope) && !is.null(origin) && exists(name, envir = origin)
    }, all.names(other, unique = TRUE))
    if (length(only_there) > 0L) {
      scope <- list2env(mget(only_there, envir = origin, inherits = TRUE), parent = scope)
    }
  }
  scope
}

# Counts rows before `subset` and `na.action`.
data_size <- function(formula, data, scope) {
  if (is.data.frame(data)) nrow(data) else NROW(eval(formula[[2L]], data, scope))
}

# Catches missing values, which na.action = na.pass lets through.
check_frame_complete <- function(frame, response_name) {
  missing <- vapply(frame, function(v) sum(!stats::complete.cases(v)), 0L)
  if (any(missing > 0L)) {
    names <- c(response_name, names(frame)[-1L])[missing > 0L]
    rows <- row.names(frame)[!stats::complete.cases(frame)]
    abort_btg(c(
      "The data have missing values.",
      x = paste0(list_names(names), if (length(names) == 1L) " has" else " have",
                 " missing values in ", count_noun(length(rows), "row"), locate_rows(rows), "."),
      i = "Use `na.action = na.omit`, or fill them in."
    ), "missing_values")
  }
  invisible(frame)
}

drop_constant_inputs <- function(names, none_left) {
  if (none_left) {
    abort_btg(c(
      "At least one input must vary.",
      x = paste0(list_names(names), if (length(names) == 1L) " is" else " are", " constant.")
    ), "constant_inputs")
  }
  if (length(names) > 0L) {
    inform_btg(c(i = paste0(
      "Dropped constant ", if (length(names) == 1L) "input " else "inputs ", list_names(names), "."
    )), "constant_input")
  }
  names
}
