# Specifies the covariance terms of a model: K = sum_t rho_t R_t + noise. The shares rho sum to 1
# and follow from ratios rho_t / rho_1, which are hyperparameters.

# Completes the terms of a design (place_terms()) by the choices of a model. Each is list(name,
# base, kernel, form, columns, input, inputs, mapped, lengthscale, lengthscales, parameters, maps,
# group). `lengthscale` numbers the lengthscale of each column within the term, `lengthscales` are
# their units, by the names of the hyperparameters, `parameters` are the kernel's own, and `maps`
# names those of the inputs that the core maps. `scale` has the
# scale of each column of the inputs. With `additive`, a sum over the inputs of the main process
# joins.
model_terms <- function(terms, kernel, ard, scale, additive = FALSE) {
  if (additive) terms <- with_additive_term(terms)
  lapply(terms, function(term) {
    own <- if (term$name == "main") "" else paste0(term$name, ".")
    if (is.null(term$form)) term$form <- if (kernel$product) "product" else "radial"
    term$kernel <- term_kernel(term, kernel)
    stationary <- term$base == "stationary"
    term$lengthscale <- if (!stationary) integer() else if (ard) term$input
                        else rep(1L, length(term$input))
    labels <- if (ard) term$inputs else "all"
    first <- term$columns[match(seq_along(labels), term$lengthscale)]
    term$lengthscales <- if (stationary) {
      stats::setNames(scale[first], paste0(own, "lengthscale.", labels))
    } else {
      numeric()
    }
    term$parameters <- lapply(if (stationary) term$kernel$parameters, function(parameter) {
      parameter$name <- paste0(own, parameter$name)
      parameter
    })
    names(term$parameters) <- vapply(term$parameters, `[[`, "", "name")
    term$maps <- unlist(lapply(term$inputs[term$input[term$mapped]], function(input) {
      paste0(own, "anisotropy.", c("cos.", "sin."), input)
    }))
    term
  })
}

# Terms without a kernel of their own hold that of the fit, which has no effect.
term_kernel <- function(term, kernel) {
  if (term$base != "stationary" || is.null(term$kernel)) {
    return(kernel)
  }
  check_kernel_name(term$kernel)
  kernel_spec(term$kernel, kernel$ard, FALSE)
}

additive_name <- "additive"

# Adds a sum of processes over the inputs of the main process, the first of the terms.
with_additive_term <- function(terms) {
  main <- terms[[1L]]
  more <- replace(main, c("name", "form", "kernel"), list(additive_name, "additive", "matern52"))
  append(terms, list(more), 1L)
}

# Joins the lengthscales of all terms, named, with their units.
term_units <- function(terms) unlist(lapply(unname(terms), `[[`, "lengthscales"))

# Returns the terms for the core, or NULL if there is only the main process.
core_terms <- function(terms) {
  if (length(terms) == 1L && terms[[1L]]$name == "main" && length(terms[[1L]]$mapped) == 0L) {
    return(NULL)
  }
  lapply(unname(terms), function(term) {
    list(name = term$name, base = term$base, kernel = term$kernel$name, form = term$form,
         columns = term$columns, input = term$input, lengthscale = term$lengthscale,
         mapped = term$mapped, by = term$group)
  })
}

# Returns the kernels of the processes, by name.
process_kernels <- function(terms) {
  stationary <- Filter(function(term) term$base == "stationary", terms)
  vapply(stationary, function(term) term$kernel$name, "")
}

has_main_term <- function(terms) length(terms) > 0L && terms[[1L]]$name == "main"
