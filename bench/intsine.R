# The paper's IntSine experiment with the identity, under a uniform box and the paper's rules:
# RMSE 0.169 and MAE 0.100 there. See README.md.
#
#   Rscript bench/intsine.R

# 51 and 400 evenly spaced points of a rounded sine on [-pi, pi]; the paper does not give the
# standard deviation of the noise, nor the box.
int_sine_paper <- function(seed, sd) {
  set.seed(seed)
  train <- seq(-pi, pi, length.out = 51L)
  test <- seq(-pi, pi, length.out = 400L)
  list(train = data.frame(x = train, y = round(sin(train)) + rnorm(51L, sd = sd)),
       test = data.frame(x = test, y = round(sin(test))))
}

measure_split <- function(seed, sd, kernel, quadrature) {
  data <- int_sine_paper(seed, sd)
  box <- btg::btg_prior(lengthscale = btg::btg_dist("uniform", lower = 0.05, upper = 2),
                        noise = btg::btg_dist("uniform", lower = 0.001, upper = 1))
  # A sparse grid may sum to a negative evidence.
  fit <- tryCatch(
    btg::btg(y ~ x, data$train, transform = "identity", kernel = kernel, prior = box,
             quadrature = quadrature),
    btg_error_quadrature = function(error) NULL
  )
  if (is.null(fit)) return(c(rmse = NA, mae = NA))
  error <- suppressWarnings(predict(fit, data$test)) - data$test$y
  c(rmse = sqrt(mean(error^2)), mae = mean(abs(error)))
}

if (Sys.getenv("R_LIBS") == "" && dir.exists("build/library")) .libPaths("build/library")
options(btg.warn_quadrature = FALSE)
rules <- list(smolyak = btg::quad_smolyak(level = 6), sobol = btg::quad_sobol(nodes = 256))
for (rule in names(rules)) {
  figures <- vapply(1:10, measure_split, c(0, 0), 0.05, "rbf", rules[[rule]])
  average <- rowMeans(figures, na.rm = TRUE)
  spread <- apply(figures, 1L, sd, na.rm = TRUE)
  cat(sprintf("%-7s  RMSE %.3f (sd %.3f)  MAE %.3f (sd %.3f)  failed %d\n", rule, average[1L],
              spread[1L], average[2L], spread[2L], sum(is.na(figures["rmse", ]))))
}
