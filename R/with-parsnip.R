#' Use with parsnip and tidymodels
#'
#' `btg_parsnip()` is a model specification of the package parsnip. It fits by [btg()], or by
#' [wgp()] with the engine `"wgp"`. You can put it into workflows and tune its arguments.
#'
#' @section Data:
#' Predictors need no preparation: factors are not made into dummies, and numbers need not be
#' normalised. Importance weights (`hardhat::importance_weights()`) become the `weights` of [btg()],
#' which are relative precisions. Frequency weights are an error, because several observations with
#' exactly the same response would count as proof that there is no noise.
#'
#' @section Predictions:
#' `predict()` of the parsnip fit has the types `"numeric"`, `"pred_int"` (a new observation),
#' `"conf_int"` (the noise-free process), `"quantile"` (with `quantile_levels`) and `"raw"`. The
#' column `.pred` of `"numeric"` holds medians. For means, use
#' `type = "raw", opts = list(type = "mean")`, which returns a vector. `opts` can hold other
#' arguments of [predict.btg()] too.
#'
#' @section Tuning:
#' There is little to tune: hyperparameters are averaged over, and `transform = "auto"` averages
#' over transforms. [compare_fits()] compares fits without resampling.
#'
#' @param mode `"regression"`, or `"quantile regression"`, whose levels go to `parsnip::set_mode()`.
#' @param engine `"btg"` or `"wgp"`. Other arguments of [btg()] and [wgp()], such as `trend` or
#'   `quadrature`, go to `parsnip::set_engine()`.
#' @param kernel,transform As for [btg()]; `NULL` for its defaults; or `tune()`.
#' @return `btg_parsnip()` returns a model specification. `tune_kernel()` and `tune_transform()`
#'   return parameters of the package dials, for grids of tune.
#' @seealso [btg()], [wgp()]
#' @examplesIf requireNamespace("parsnip", quietly = TRUE)
#' spec <- parsnip::set_engine(btg_parsnip(transform = "softplus"), "btg", trend = ~ speed)
#' fit <- parsnip::fit(spec, dist ~ speed, data = cars)
#' predict(fit, data.frame(speed = c(10, 20)), type = "pred_int")
#' @export
btg_parsnip <- function(mode = "regression", engine = "btg", kernel = NULL, transform = NULL) {
  check_installed("parsnip", "btg_parsnip()")
  check_choice(mode, parsnip_modes, "mode")
  check_choice(engine, c("btg", "wgp"), "engine")
  register_parsnip()
  parsnip::new_model_spec(
    parsnip_model, args = list(kernel = rlang::enquo(kernel), transform = rlang::enquo(transform)),
    eng_args = NULL, mode = mode, user_specified_mode = !missing(mode), method = NULL,
    engine = engine, user_specified_engine = !missing(engine)
  )
}

#' @rdname btg_parsnip
#' @param values The values of a grid.
#' @export
tune_kernel <- function(values = c("matern52", "matern32", "exponential", "rbf")) {
  check_installed("dials", "tune_kernel()")
  dials::new_qual_param("character", values = values, label = c(kernel = "Kernel"))
}

#' @rdname btg_parsnip
#' @export
tune_transform <- function(values = c("auto", "identity", "sinharcsinh")) {
  check_installed("dials", "tune_transform()")
  dials::new_qual_param("character", values = values, label = c(transform = "Transform"))
}

#' @rdname btg_parsnip
#' @param object A model specification.
#' @param parameters A data frame of one row, with arguments to change.
#' @param fresh `TRUE` to replace all arguments, rather than those that are given.
#' @param ... Arguments of the engine to change.
#' @export
# nolint start: object_name_linter. The generic's name and a class.
update.btg_gaussian_process <- function(object, parameters = NULL, kernel = NULL, transform = NULL,
                                        fresh = FALSE, ...) {
  # nolint end
  parsnip::update_spec(
    object, parameters = parameters, fresh = fresh, cls = parsnip_model, ...,
    args_enquo_list = list(kernel = rlang::enquo(kernel), transform = rlang::enquo(transform))
  )
}

parsnip_model <- "btg_gaussian_process"
parsnip_modes <- c("regression", "quantile regression")

# Registers the model with parsnip once per session.
register_parsnip <- function() {
  if (parsnip_model %in% parsnip::get_model_env()$models) {
    return(invisible())
  }
  parsnip::set_new_model(parsnip_model)
  for (mode in parsnip_modes) {
    parsnip::set_model_mode(parsnip_model, mode)
    for (engine in c("btg", "wgp")) register_engine(engine, mode)
  }
  for (engine in c("btg", "wgp")) {
    register_argument(engine, "kernel", "tune_kernel")
    register_argument(engine, "transform", "tune_transform")
  }
}

register_argument <- function(engine, name, choices) {
  parsnip::set_model_arg(parsnip_model, engine, parsnip = name, original = name,
                         func = list(pkg = "btg", fun = choices), has_submodel = FALSE)
}

register_engine <- function(engine, mode) {
  parsnip::set_model_engine(parsnip_model, mode, engine)
  parsnip::set_dependency(parsnip_model, engine, "btg", mode)
  parsnip::set_fit(parsnip_model, mode, engine, list(
    interface = "formula", protect = c("formula", "data", "weights"),
    func = c(pkg = "btg", fun = paste0(engine, "_engine")), defaults = list()
  ))
  # btg() encodes factors and text itself.
  parsnip::set_encoding(parsnip_model, mode, engine, list(
    predictor_indicators = "none", compute_intercept = FALSE, remove_intercept = FALSE,
    allow_sparse_x = FALSE
  ))
  types <- if (mode == "regression") parsnip_predictions() else parsnip_predictions()["quantile"]
  for (type in names(types)) {
    parsnip::set_pred(parsnip_model, mode, engine, type, types[[type]])
  }
}

# Describes parsnip's call for each type, with expressions that it evaluates where `object`,
# `new_data`, `level` and `std_error` exist.
parsnip_predictions <- function() {
  ask <- function(..., post = NULL) {
    list(pre = NULL, post = post, func = c(fun = "predict"),
         args = c(list(object = quote(object$fit), newdata = quote(new_data)), list(...)))
  }
  ask_interval <- function(interval) {
    ask(interval = interval, level = quote(level), se.fit = quote(std_error),
        post = parsnip_interval)
  }
  list(
    numeric = ask(post = function(results, object) unname(results)),
    conf_int = ask_interval("confidence"),
    pred_int = ask_interval("prediction"),
    quantile = ask(type = "quantile", probs = quote(object$spec$quantile_levels),
                   post = parsnip_quantiles),
    raw = ask()
  )
}

# Names the ends of intervals as parsnip does, and adds the process sd if it was requested.
parsnip_interval <- function(results, object) {
  deviation <- if (!is.matrix(results)) results$se.fit
  ends <- if (is.matrix(results)) results else results$fit
  found <- list(.pred_lower = unname(ends[, "lwr"]), .pred_upper = unname(ends[, "upr"]))
  if (!is.null(deviation)) found$.std_error <- unname(deviation)
  tibble::new_tibble(found, nrow = nrow(ends))
}

parsnip_quantiles <- function(results, object) {
  levels <- object$spec$quantile_levels
  # Older versions of hardhat lack it, but no parsnip with quantiles accepts those.
  quantile_pred <- getExportedValue("hardhat", "quantile_pred")
  tibble::new_tibble(list(.pred_quantile = quantile_pred(unname(results), levels)),
                     nrow = nrow(results))
}

#' Engines for parsnip
#'
#' parsnip calls these functions to fit a specification by [btg_parsnip()]. They refuse frequency
#' weights, and call [btg()] or [wgp()].
#'
#' @param formula,data As for [btg()].
#' @param weights `NULL`, or numbers, which are `weights` of [btg()]. Integers, to which parsnip
#'   converts `hardhat::frequency_weights()`, are an error.
#' @param ... Other arguments of [btg()] or [wgp()].
#' @return A fit.
#' @seealso [btg_parsnip()]
#' @examples
#' btg_engine(dist ~ speed, cars, transform = "softplus")
#' @keywords internal
#' @export
btg_engine <- function(formula, data, weights = NULL, ...) {
  check_no_frequencies(weights)
  # The values are in the call, as a name would be looked up in the data and by the formula.
  if (is.null(weights)) btg(formula, data = data, ...)
  else rlang::inject(btg(formula, data = data, weights = !!weights, ...))
}

#' @rdname btg_engine
#' @export
wgp_engine <- function(formula, data, weights = NULL, ...) {
  check_no_frequencies(weights)
  if (is.null(weights)) wgp(formula, data = data, ...)
  else rlang::inject(wgp(formula, data = data, weights = !!weights, ...))
}

check_no_frequencies <- function(weights) {
  if (is.integer(weights)) {
    abort_btg(c("Frequency weights are not supported.",
                x = paste0("Several observations with one and the same response would count as ",
                           "proof that there is no noise."),
                i = paste0("Give each observation its own row. For known relative precisions, use ",
                           "`hardhat::importance_weights()`.")), "weights")
  }
}
