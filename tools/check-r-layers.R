# Prints calls among R files that break the order of the layers, and circles of files within a
# layer; with --edges, which file calls which. A layer is a file's prefix. It may call itself and
# the layers before it. Methods are called through their generics, which count where they are
# defined.

layers <- list("base", "data", "spec", "core", "fit", "predict", "validate", "optimise", "show",
               "plot", "with")

# Files named btg-* belong to no layer: they are pages of help alone.
files <- setdiff(list.files("R", "[.]R$", full.names = TRUE), file.path("R", "RcppExports.R"))
pages <- startsWith(basename(files), "btg-")

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
with_code <- Filter(function(file) length(ls(functions_in(file))) > 0L, files[pages])
if (length(with_code) > 0L) cat("Pages of help with code:", with_code, "\n")
files <- files[!pages]
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

report <- function(from, to) {
  used <- intersect(used_in(file.path("R", paste0(from, ".R"))), definitions[[to]])
  cat(from, "->", to, ":", used, "\n")
}

layer_of <- function(file) match(sub("-.*", "", file), layers)
unknown <- short[is.na(layer_of(short))]
if (length(unknown) > 0L) cat("No layer has these files:", unknown, "\n")
for (from in setdiff(short, unknown)) {
  for (to in setdiff(edges[[from]], unknown)) if (layer_of(to) > layer_of(from)) report(from, to)
}

# Removes files that call none of the others, or that none of the others calls, until nothing
# changes: the rest are circles.
left <- edges
repeat {
  left <- lapply(left, intersect, names(left))
  done <- names(left)[lengths(left) == 0L | !names(left) %in% unlist(left)]
  if (length(done) == 0L) break
  left <- left[setdiff(names(left), done)]
}
for (from in names(left)) for (to in left[[from]]) report(from, to)
