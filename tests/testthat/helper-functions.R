# Evaluates `code` with other functions in place of some of the package's, by their names.
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

# The functions of the core that `code` calls, by name, in the order of the calls.
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
