# Evaluates `code` with some functions of the package replaced, by name.
with_functions <- function(functions, code) {
  namespace <- asNamespace("btg")
  set <- function(values) {
    for (name in names(values)) {
      unlockBinding(name, namespace)
      assign(name, values[[name]], namespace)
      lockBinding(name, namespace)
    }
  }
  before <- mget(names(functions), namespace)
  on.exit(set(before))
  set(functions)
  force(code)
}

# Returns the names of the core functions that `code` calls, in order.
core_calls <- function(code) {
  namespace <- asNamespace("btg")
  exported <- Filter(function(name) {
    is.function(namespace[[name]]) && ".Call" %in% all.names(body(namespace[[name]]))
  }, ls(namespace, pattern = "^core_"))
  called <- character()
  recording <- function(name) {
    own <- namespace[[name]]
    function(...) {
      called <<- c(called, name)
      own(...)
    }
  }
  with_functions(sapply(exported, recording, simplify = FALSE), code)
  called
}
