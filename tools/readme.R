# What README.md says that its R code prints (lines with #>) is what the code prints.
#
#   Rscript tools/readme.R           writes it
#   Rscript tools/readme.R --check   fails if a number is off by more than a unit of its last digit

# The code with its output behind each expression.
run_block <- function(block) {
  code <- block[!grepl("^#>", block)]
  expressions <- parse(text = code, keep.source = TRUE)
  scope <- new.env()
  shown <- as.list(code)
  for (i in seq_along(expressions)) {
    result <- withVisible(eval(expressions[[i]], scope))
    if (!result$visible) next
    last <- attr(expressions, "srcref")[[i]][3L]
    shown[[last]] <- c(shown[[last]], paste("#>", utils::capture.output(print(result$value))))
  }
  unlist(shown)
}

number <- "-?[0-9]+(\\.[0-9]+)?"

# The same words, and numbers that differ by no more than rounding may.
agree <- function(old, new) {
  words <- function(x) gsub(" +", " ", gsub(number, "0", x))
  numbers <- function(x) unlist(regmatches(x, gregexpr(number, x)))
  if (!identical(words(old), words(new))) return(FALSE)
  digits <- nchar(sub("^[^.]*\\.?", "", numbers(new)))
  all(abs(as.numeric(numbers(old)) - as.numeric(numbers(new))) < 1.5 * 10^-digits)
}

lines <- readLines("README.md")
starts <- which(lines == "```r")
ends <- vapply(starts, function(start) which(lines == "```" & seq_along(lines) > start)[1L], 0L)
blocks <- Map(function(start, end) lines[(start + 1L):(end - 1L)], starts, ends)
prints <- vapply(blocks, function(block) any(grepl("^#>", block)), NA)
stopifnot(any(prints))

for (i in rev(which(prints))) {
  now <- run_block(blocks[[i]])
  if ("--check" %in% commandArgs(TRUE)) {
    if (agree(blocks[[i]], now)) next
    cat("README.md does not show what its code prints, which is:", now,
        "Run `Rscript tools/readme.R`.", sep = "\n")
    quit(status = 1L)
  }
  lines <- append(lines[-((starts[i] + 1L):(ends[i] - 1L))], now, starts[i])
}
if (!"--check" %in% commandArgs(TRUE)) writeLines(lines, "README.md")
