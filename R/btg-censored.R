#' Censored responses, zeros and bounds
#'
#' Often a response is known only to lie in an interval: below a detection limit, after the end of
#' a study, between two inspections, or at a bound such as zero. [btg()] and [wgp()] use exactly
#' this information. Setting such rows to the limit, to half of it, or leaving them out biases
#' every prediction.
#'
#' @section How to state it:
#' \tabular{ll}{
#'   **response** \tab **call** \cr
#'   below a limit; `y` holds the limit where `below` is `TRUE` \tab
#'     `btg(y ~ x, d, censored = below)` \cr
#'   `side` is `"left"`, `"none"` or `"right"` of the value `y` \tab
#'     `btg(y ~ x, d, censored = side)` \cr
#'   between two limits, in columns `lo` and `hi` \tab
#'     `btg(lo ~ x, d, censored = cbind(lo, hi))` \cr
#'   a survival time; `event` is 1 for a death \tab
#'     `btg(Surv(time, event) ~ x, d)` \cr
#'   times between inspections \tab
#'     `btg(Surv(lo, hi, type = "interval2") ~ x, d)` \cr
#'   text such as `"<0.6"` \tab
#'     `btg(as.numeric(sub("<", "", y)) ~ x, d, censored = grepl("<", y))` \cr
#'   zeros and positive values \tab
#'     `btg(y ~ x, d)` \cr
#'   values rounded to a coarse step, such as whole degrees \tab
#'     `btg(y ~ x, d, rounding = 1)` \cr
#'   a percentage, some 0 or 100 \tab
#'     `btg(y ~ x, d, lower = 0, upper = 100)` \cr
#'   a proportion strictly between 0 and 1 \tab
#'     `btg(y ~ x, d, lower = 0, upper = 1)`
#' }
#'
#' `censored` is looked up in the data, as `weights` is. Limits can differ from row to row. In a
#' matrix or a data frame of two columns, the first is the lower limit. `NA` or an infinite value
#' is an unknown end, equal ends are an exact response, and `NA` in both columns means that `y` is
#' exact in that row. `y` itself is not used in the other rows. `Surv` objects of the types
#' `"right"`, `"left"`, `"interval"` and `"interval2"` mean what they mean in the package survival.
#' There is no delayed entry.
#'
#' A limit should be known before the measurement. If only the rows that happened to be small were
#' reported as `"<"`, the limit carries other information.
#'
#' @section Zeros and other responses at a bound:
#' If responses are at a stated or inferred bound, these rows are censored there by default: the
#' latent response lies at the bound or beyond. Predictions then have a point mass at the bound, so
#' that `predict(type = "cdf", at = 0)` is the probability of a zero. Transforms of positive
#' responses such as `"softplus"` have no latent value below zero. They are not among the
#' candidates of `transform = "auto"` for such data. If you name one, rows at the bound count as
#' exact, and half of the smallest positive value is added to all.
#'
#' One process explains both zeros and positive values: where positive values are small, zeros are
#' frequent. Zeros can have another cause, such as a species that is absent from a region where it
#' would be abundant. A censored process cannot model such zeros (a hurdle model can). Model
#' whether a response is zero by a logistic regression, and the positive ones by `btg()`. [loocv()]
#' compares the number of zeros with the number that predictions expect.
#'
#' If all responses lie strictly between two stated bounds, the candidates of `transform = "auto"`
#' include `c("logit", "sinharcsinh")`, which has no mass at the bounds.
#'
#' @section Rounded responses:
#' With `rounding = 1`, each exact response stands for the interval from `y - 0.5` to `y + 0.5`, up
#' to the bounds. Other censored rows keep their limits. Rounding matters if the step is several
#' times the standard deviation of the noise. A fit to the rounded values takes rounding errors for
#' noise, so that its intervals are too wide. In simulations with a step of 1, 4 and 8 standard
#' deviations, the CRPS was 1.00, 1.01 and 0.68 of that of the rounded values as they are. With 4,
#' 50% intervals covered 50 to 54% instead of 73%. In our runs, `rounding` took 3 to 65 times as
#' long.
#'
#' Predictions are for the response before it is rounded. Log scores are those of the reported
#' interval; residuals and CRPS use the reported value.
#'
#' @section What is computed:
#' Let rows o be exact and rows c have latent responses between \eqn{g(a)} and \eqn{g(b)}. At each
#' node, the likelihood is
#' \deqn{p(z_o) \; P(g(a) \le z_c \le g(b) \mid z_o),}{p(z_o) P(g(a) <= z_c <= g(b) | z_o),}
#' where the second factor is the probability of a box under a multivariate t distribution. It is
#' computed by separation of variables with exponential tilting (Botev, 2017). This also gives
#' weighted draws of the latent responses, over which predictions are averaged. No random numbers
#' are used.
#'
#' If no response is exact, as with `rounding`, the likelihood is the integral over all intervals of
#' the density of the complete data. Some p rows with two finite limits, where p is the number of
#' columns of the trend, and the scale of the process are then further variables of this integral.
#' The data determine the scale if no trend lies within the limits of all rows: without a trend,
#' if one interval ends below another begins.
#'
#' At most 500 rows can be censored or rounded, and the covariance must be exact. At least p + 2
#' responses must be exact; or none, if as many have two finite limits. Zeros beyond these limits
#' count as exact, with a message; other censored rows are an error. `wgp(method = "ML")` needs
#' exact responses.
#'
#' @section Predictions, scores and plots:
#' `predict()` and `simulate()` answer for the response itself, not for what would have been
#' reported. `pmax(draw, limit)` is what a laboratory with that limit would report. For survival
#' times, `predict(type = "exceedance", at = t)` is the probability to survive \eqn{t}.
#'
#' In [loocv()] and [predictive_scores()], the log score of a censored response is the logarithm of
#' the probability of its interval, `mass`; `pit` is the middle of the interval on the scale of
#' probabilities, and `lower` and `upper` are its limits. Residual and CRPS are `NA`, so that
#' `rmse`, `mae` and `crps` are over the exact responses. Coverage counts a censored response by
#' the share of its probability inside. Plots and tests of residuals place its PIT evenly in its
#' interval. Plots draw a triangle that points to where the response lies, or a segment between two
#' limits.
#'
#' Functions that need exact responses refuse such fits: `acquire(target = "observed")`,
#' `bayes_R2()` and `pp_check()`.
#'
#' @references Botev, Z. I. (2017). The normal law under linear restrictions: simulation and
#'   estimation via minimax tilting. Journal of the Royal Statistical Society B 79, 125-148.
#'   \doi{10.1111/rssb.12162}
#' @seealso [btg()]; the vignette *Detection limits, zeros and censored times*:
#'   `vignette("censored", "btg")`.
#' @examples
#' # Concentrations below a limit, which are reported as the limit.
#' set.seed(1)
#' d <- data.frame(x = runif(40))
#' truth <- exp(sin(5 * d$x) + rnorm(40, sd = 0.4))
#' d$below <- truth < 1
#' d$y <- pmax(truth, 1)
#' fit <- btg(y ~ x, d, censored = below, transform = "softplus")
#' fit
#' predict(fit, data.frame(x = c(0.2, 0.8)), interval = "prediction")
#'
#' # The same by a Surv object.
#' if (requireNamespace("survival", quietly = TRUE)) {
#'   same <- btg(survival::Surv(y, !below, type = "left") ~ x, d, transform = "softplus")
#'   predict(same, data.frame(x = c(0.2, 0.8)))
#' }
#' @name btg-censored
NULL
