# Finds the variables, constants and functions of formulas, and copies those that a blueprint keeps.

# Finds the value of a symbol as a formula would, or NULL.
find_value <- function(name, data, scope) {
  if (is_column(name, data)) data[[name]] else get0(name, envir = scope)
}

is_column <- function(name, data) !is.environment(data) && name %in% names(data)

# Copies the constants and functions that `variables` name into a new environment, if users made
# them. Those of packages are found there again, and `columns` come from new data.
copy_constants <- function(variables, columns, data, scope) {
  env <- new.env(parent = topenv(scope))
  named <- setdiff(unique(unlist(lapply(variables, all.names))), columns)
  for (name in named) {
    # Packages and namespaces have names, frames of functions have none.
    made_by_user <- environmentName(find_owner(name, scope)) %in% c("", "R_GlobalEnv")
    if (is_column(name, data) || made_by_user) {
      assign(name, find_value(name, data, scope), envir = env)
    }
  }
  env
}

# Returns the environment that holds a symbol, or the base environment if there is none.
find_owner <- function(name, env) {
  while (!identical(env, emptyenv())) {
    if (exists(name, envir = env, inherits = FALSE)) {
      return(env)
    }
    env <- parent.env(env)
  }
  baseenv()
}
