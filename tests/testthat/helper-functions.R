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
