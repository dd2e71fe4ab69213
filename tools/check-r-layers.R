# Prints the circles among R files, as far as one calls functions of another; with --edges, who
# calls whom. Methods are called through their generics, which count where they are defined.

files <- setdiff(list.files("R", "[.]R$", full.names = TRUE), "R/RcppExports.R")

# The functions a file defines at its top, and the names of others that they use.
functions_in <- function(file) {
  env <- new.env(parent = globalenv())
  for (e in parse(file, keep.source = FALSE)) {
    if (is.call(e) && identical(e[[1L]], as.name("<-")) && is.name(e[[2L]])) {
      value <- e[[3L]]
      is_function <- is.call(value) && identical(value[[1L]], as.name("function"))
      assign(as.character(e[[2L]]), if (is_function) eval(value, env) else value, envir = env)
    }
  }
  env
}
defined_in <- function(file) ls(functions_in(file), all.names = TRUE)
used_in <- function(file) {
  values <- as.list(functions_in(file), all.names = TRUE)
  unique(unlist(lapply(values, function(value) {
    if (is.function(value)) codetools::findGlobals(value) else all.names(value)
  })))
}

short <- sub("[.]R$", "", basename(files))
definitions <- stats::setNames(lapply(files, defined_in), short)
home <- stats::setNames(rep(short, lengths(definitions)), unlist(definitions))
edges <- lapply(stats::setNames(files, short), function(file) {
  own <- definitions[[sub("[.]R$", "", basename(file))]]
  sort(unique(unname(home[intersect(setdiff(used_in(file), own), names(home))])))
})
edges <- Map(setdiff, edges, names(edges))

if ("--edges" %in% commandArgs(TRUE)) {
  for (file in names(edges)) cat(file, ": ", paste(edges[[file]], collapse = " "), "\n", sep = "")
  quit()
}

# Files whose calls all lead to files that were taken away before are taken away, until none is.
left <- edges
repeat {
  done <- names(left)[vapply(left, function(to) !any(to %in% names(left)), NA)]
  if (length(done) == 0L) break
  left <- left[setdiff(names(left), done)]
}
for (file in names(left)) {
  for (to in intersect(left[[file]], names(left))) {
    names_used <- intersect(used_in(file.path("R", paste0(file, ".R"))), definitions[[to]])
    cat(file, "->", to, ":", names_used, "\n")
  }
}
