# The models of the paper's table, and baselines. Each is a function of the training and the test
# data that returns a data frame as predictive_scores() does.

# The paper writes the outer layer first. Its outer affine layer changes nothing: here it is inside.
paper_transforms <- list(I = "identity", A = "arcsinh", SA = "sinharcsinh", BC = "boxcox",
                         "L-SA" = c("affine", "sinharcsinh"), "A-BC" = c("boxcox", "arcsinh"))

# As in the paper: squared exponential kernel, one lengthscale an input, constant trend.
fit_and_score <- function(fitter, transform) {
  function(train, test) {
    fit <- fitter(y ~ ., train, transform = transform, kernel = "rbf", warp_inputs = FALSE)
    predictive_scores(fit, test)
  }
}

list_models <- function(problem) {
  by_mle <- lapply(paper_transforms, function(transform) fit_and_score(wgp, transform))
  averaged <- lapply(paper_transforms, function(transform) fit_and_score(btg, transform))
  layers <- lengths(paper_transforms)
  names(by_mle) <- paste0(ifelse(layers > 1L, "CWGP-", "WGP-"), names(layers))
  names(by_mle)[1L] <- "GP"
  names(averaged) <- paste0("BTG-", names(layers))
  baselines <- list("constant" = function(train, test) score_lm(y ~ 1, train, test),
                    "least squares" = score_all_inputs)
  if (problem == "Creep") {
    baselines[["least squares, log lifetime"]] <- function(train, test) {
      logged <- function(data) transform(data, Lifetime_h = log(Lifetime_h))
      score_all_inputs(logged(train), logged(test))
    }
  }
  c(baselines, by_mle, averaged,
    list("btg()" = function(train, test) predictive_scores(btg(y ~ ., train), test)))
}

# Inputs that are constant, or linear in others, in the training data are left out.
score_all_inputs <- function(train, test) {
  inputs <- setdiff(names(train), "y")
  varies <- vapply(train[inputs], function(x) length(unique(x)) > 1L, NA)
  design <- stats::model.matrix(~ ., train[inputs[varies]])
  rank <- qr(scale(design, center = FALSE))
  kept <- setdiff(colnames(design)[rank$pivot[seq_len(rank$rank)]], "(Intercept)")
  as_inputs <- function(data) {
    all <- stats::model.matrix(~ ., data[inputs[varies]])[, kept, drop = FALSE]
    data.frame(all, y = data$y)
  }
  score_lm(y ~ ., as_inputs(train), as_inputs(test))
}

# The predictive distribution of least squares is Student's t.
score_lm <- function(formula, train, test) {
  fit <- stats::lm(formula, train)
  new <- stats::predict(fit, test, se.fit = TRUE)
  scale <- sqrt(new$se.fit^2 + new$residual.scale^2)
  standard <- (test$y - new$fit) / scale
  half <- stats::qt(0.975, new$df) * scale
  data.frame(y = test$y, median = new$fit, lwr = new$fit - half, upr = new$fit + half,
             log_score = stats::dt(standard, new$df, log = TRUE) - log(scale),
             crps = scale * crps_t(standard, new$df), pit = stats::pt(standard, new$df))
}

# Of a standard t (Jordan, Krueger and Lerch 2019, Journal of Statistical Software 90).
crps_t <- function(z, df) {
  z * (2 * stats::pt(z, df) - 1) + 2 * stats::dt(z, df) * (df + z^2) / (df - 1) -
    2 * sqrt(df) / (df - 1) * beta(0.5, df - 0.5) / beta(0.5, df / 2)^2
}
