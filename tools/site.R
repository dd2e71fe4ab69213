# Builds the web site into build/site, without a network: `make site`. With the name of a part, such
# as "articles", only that part.

destination <- list(destination = "build/site")
options(pkgdown.internet = FALSE)
# Examples are recorded on a device of the size at which pkgdown draws them, since btg fits its pages
# of panels to the device. pkgdown records on one of ragg's usual size.
device <- ragg::agg_png
formals(device)[c("width", "height", "res")] <- list(700, 433, 96)
utils::assignInNamespace("agg_png", device, "ragg")
# downlit would ask CRAN for the addresses of packages that are not installed.
utils::assignInNamespace(
  "CRAN_urls", function() data.frame(Package = character(), URL = character()), "downlit"
)
part <- commandArgs(TRUE)
if (length(part) == 0L) {
  pkgdown::build_site(override = destination, install = FALSE, new_process = FALSE,
                      preview = FALSE)
} else {
  for (one in part) {
    build <- getExportedValue("pkgdown", paste0("build_", one))
    build(pkgdown::as_pkgdown(".", destination), preview = FALSE)
  }
}

# Links of the README to sources of vignettes become links to their pages.
index <- file.path("build", "site", "index.html")
if (file.exists(index)) {
  lines <- readLines(index)
  writeLines(gsub('href="vignettes/(articles/)?([a-z-]*)\\.Rmd"', 'href="articles/\\2.html"', lines),
             index)
}
# Turns formulas, which would need a script from the network, into MathML, which browsers show.
formula <- '<span class="math (inline|display)">\\\\[(\\[](.*?)\\\\[])]</span>'
unescape <- function(x) gsub("&amp;", "&", gsub("&lt;", "<", gsub("&gt;", ">", x)), fixed = TRUE)
as_mathml <- function(spans) {
  display <- grepl('class="math display"', spans, fixed = TRUE)
  tex <- unescape(sub(paste0("(?s)", formula), "\\2", spans, perl = TRUE))
  tex <- gsub("[\r\n]+", " ", tex)
  source <- tempfile(fileext = ".md")
  mark <- ifelse(display, "$$", "$")
  writeLines(paste0(mark, trimws(tex), mark, "\n"), source)
  html <- system2("pandoc", c("--mathml", "-f", "markdown", "-t", "html", "--wrap=none", source),
                  stdout = TRUE, stderr = FALSE)
  html <- paste(html, collapse = "\n")
  found <- regmatches(html, gregexpr("(?s)<p>.*?</p>", html, perl = TRUE))
  found <- gsub("^<p>|</p>$", "", found[[1L]])
  if (length(found) == length(spans)) found else spans
}
for (file in list.files("build/site", "\\.html$", recursive = TRUE, full.names = TRUE)) {
  text <- paste(readLines(file, encoding = "UTF-8"), collapse = "\n")
  text <- gsub("<!-- mathjax --><script.*?</script>(<script[^>]*[Mm]ath[Jj]ax.*?</script>)?", "", text,
               perl = TRUE)
  if (basename(dirname(file)) == "reference") {
    # Help pages have formulas without spans.
    text <- gsub("(?s)\\\\\\((.{1,400}?)\\\\\\)", '<span class="math inline">\\\\(\\1\\\\)</span>', text, perl = TRUE)
    text <- gsub("(?s)\\$\\$(.{1,1000}?)\\$\\$", '<span class="math display">\\\\[\\1\\\\]</span>', text,
                 perl = TRUE)
  }
  at <- gregexpr(paste0("(?s)", formula), text, perl = TRUE)
  if (at[[1L]][1L] > 0) regmatches(text, at) <- list(as_mathml(regmatches(text, at)[[1L]]))
  writeLines(text, file, useBytes = TRUE)
}

# Other pages for developers stay in the sources. The home page links CONTRIBUTING.
unlink(file.path("build", "site", c("ARCHITECTURE.html", "STANDARDS.html")))
