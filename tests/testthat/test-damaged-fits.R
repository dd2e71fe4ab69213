# Fits and results whose parts were changed: each is refused, or answered as before, never answered
# from. In a child process, so that a crash would be seen.

damages <- function(x) {
  first <- function(value) {
    if (is.atomic(x) && length(x) > 0L && !is.null(x)) replace(x, 1L, value)
    else if (is.list(x) && length(x) > 0L) replace(x, 1L, list(value))
    else value
  }
  list(
    missing = NULL, empty = x[0L], text = "a", other = quote(a + b), list = list(1, "b"),
    na = first(NA), nan = first(NaN), negative = first(-1), huge = first(1e300),
    short = if (length(x) > 1L) x[-1L] else 0, long = c(x, x),
    renamed = if (length(x) > 0L) stats::setNames(x, rep("z", length(x))) else TRUE
  )
}

# Every component, those of the first model and of the design too; not the call and the seconds,
# which are shown as they are and answer nothing.
paths_of <- function(object) {
  object <- unclass(object)[setdiff(names(object), c("call", "seconds"))]
  inner <- function(names) lapply(names(object[[names]]), function(name) c(names, name))
  c(as.list(names(object)), if (!is.null(object$design)) inner("design"),
    if (!is.null(object$models)) {
      model <- object$models[[1L]]
      c(lapply(names(model), function(name) list("models", 1L, name)),
        lapply(names(model$problem), function(name) list("models", 1L, "problem", name)),
        lapply(names(model$posterior), function(name) list("models", 1L, "posterior", name)))
    })
}

questions_of <- function(object) {
  if (inherits(object, "btg_loocv")) {
    return(list(function(x) utils::capture.output(print(x)), function(x) summary(x)$estimates,
                function(x) is.list(plot(x)),
                function(x) is.list(plot(x, which = "residuals"))))
  }
  list(
    function(x) predict(x), function(x) predict(x, interval = "credible"),
    function(x) loocv(x)$pointwise, function(x) nodes(x), function(x) coef(x),
    function(x) confint(x), function(x) utils::capture.output(print(x)),
    function(x) summary(x)$hyperparameters, function(x) simulate(x, 2, seed = 1),
    function(x) residuals(x), function(x) as.vector(logLik(x)), function(x) nobs(x),
    function(x) all.vars(formula(x)), function(x) dim(model.frame(x)), function(x) plot(x)[[1L]]
  )
}

# Damages that changed an answer without an error of ours.
silent_damages <- function(object) {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  questions <- questions_of(object)
  quietly <- function(code) suppressMessages(suppressWarnings(code))
  right <- lapply(questions, function(question) quietly(question(object)))
  unlist(lapply(paths_of(object), function(path) {
    path <- as.list(path)
    old <- Reduce(function(x, name) unclass(x)[[name]], path, object)
    changes <- Filter(function(change) !identical(change, old), damages(old))
    # Of inner parts a few questions will do: each begins with the same check.
    asked <- utils::head(seq_along(questions), if (length(path) > 1L) 3L else 100L)
    lapply(names(changes), function(name) {
      damaged <- change_part(object, path, changes[[name]])
      silent <- Filter(function(k) {
        answer <- tryCatch(quietly(questions[[k]](damaged)), btg_error = function(e) NULL,
                           error = function(e) conditionMessage(e))
        !is.null(answer) && !identical(answer, right[[k]])
      }, asked)
      if (length(silent) > 0L) paste(c(path, name, silent), collapse = " ")
    })
  }))
}

change_part <- function(object, path, value) {
  class <- oldClass(object)
  object <- unclass(object)
  name <- path[[1L]]
  object[name] <- list(if (length(path) == 1L) value
                       else change_part(object[[name]], path[-1L], value))
  if (length(path) == 1L && is.null(value)) object[name] <- NULL
  structure(object, class = class)
}

test_that("damaged fits and results are refused, or answer as before", {
  skip_on_cran()
  skip_if_quick()
  set.seed(1)
  d <- data.frame(x = 1:12, w = runif(12, 1, 2))
  d$y <- exp(sin(d$x)) + 0.1 * d$x
  objects <- list(
    one = btg(y ~ x, d, transform = "softplus", weights = w, noise = ~ x,
              quadrature = quad_sobol(8)),
    average = btg(y ~ x, d, quadrature = quad_sobol(8)),
    most_likely = wgp(y ~ x, d, restarts = 2),
    left_out = loocv(btg(y ~ x, d, transform = "softplus", quadrature = quad_sobol(8)))
  )
  files <- replicate(3, tempfile())
  saveRDS(objects, files[1L])
  functions <- c("damages", "paths_of", "questions_of", "silent_damages", "change_part")
  code <- unlist(lapply(functions, function(name) c(paste(name, "<-"), deparse(get(name)))))
  writeLines(c(
    "library(btg)", code, paste0("objects <- readRDS(", deparse(files[1L]), ")"),
    paste0("saveRDS(lapply(objects, silent_damages), ", deparse(files[2L]), ")")
  ), files[3L])
  output <- run_child(files[3L])
  expect_true(file.exists(files[2L]), info = paste(utils::tail(output, 20L), collapse = "\n"))
  for (silent in readRDS(files[2L])) expect_null(silent)
})
