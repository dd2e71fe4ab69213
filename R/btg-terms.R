#' Covariance terms of a formula
#'
#' The plain variables of a formula in [btg()] or [wgp()] form one Gaussian process together.
#' Special terms add others: smooth effects of single inputs, linear effects, effects of groups,
#' processes that differ between groups. All are parts of one covariance, and like it they are
#' averaged over with everything else.
#'
#' @section Which term for which question:
#' | Question | Formula |
#' |:--|:--|
#' | Sites or subjects differ in their level | \code{y ~ x + (1 | site)} |
#' | Plots within sites differ too | \code{y ~ x + (1 | site/plot)} |
#' | The slope of `x` differs between subjects | \code{y ~ x + (x | subject)} |
#' | Each group has a curve of its own around a common one | `y ~ gp(x) + gp(x, by = group)` |
#' | How much is the effect of each input alone? | `y ~ x1 + x2 + additive(x1, x2)` |
#' | A smooth effect of each input and no interaction | `y ~ additive(x1, x2)` |
#' | A linear effect, shrunk towards zero | `y ~ x1 + linear(x2)` |
#' | A linear effect that is not shrunk | `trend = ~ x2` |
#' | A season that repeats exactly | `y ~ gp(t) + gp(periodic(t, 12))` |
#' | A season that changes slowly | `y ~ gp(t) + gp(t, periodic(t, 12), product = TRUE)` |
#' | Longitude and latitude | `y ~ sphere(lon, lat)` |
#' | A surface with an unknown direction | `y ~ rotated(x, y)` |
#'
#' `.` in a term stands for all columns of the data, as in `additive(.)`, except for the response
#' and the groups of the formula.
#'
#' @section The terms:
#' * `gp(x1, x2, kernel = "matern52", product = FALSE, by = NULL)`: a process over these inputs.
#' * `additive(x1, x2, kernel = "matern52", by = NULL)`: a sum of processes, each over one input,
#'   that share their variance equally.
#' * `linear(x1, x2, by = NULL)`: linear effects with normal priors, as in ridge regression. They
#'   are zero at the means of the variables, and have equal variances for variables of equal
#'   standard deviations. An input that [btg()] warps is warped here too.
#' * `(1 | group)`: an effect of each group, normal with a common variance. `(0 + x | group)` is a
#'   slope for each group. `(x | group)` stands for `(1 | group) + (0 + x | group)`, and `(1 | a/b)`
#'   for `(1 | a) + (1 | a:b)`. Effects are independent: `||` means the same as `|`, and
#'   correlations of intercepts and slopes are not modelled. A group may be a factor, text, or
#'   numbers, which are names here.
#'
#' With `by`, a factor or text, each level has a realisation of its own with common
#' hyperparameters; `by = a:b` crosses two. Variables may be calls such as `log(x)`, and
#' [periodic()], [sphere()] and [rotated()], which are one input each; write `I(x + z)` for
#' expressions with operators. Inputs can appear in several terms. A formula of special
#' terms alone has no main process, and the arguments `kernel`, `product` and `additive` have no
#' effect.
#'
#' A factor can also be a plain input: the curves of its levels are then alike as far as its
#' lengthscale says, and new levels are an error. On four data sets, `gp(x) + gp(x, by = group)` had
#' 0.95 to 1.00 times the CRPS of `x + group`.
#'
#' These names have their meaning in formulas only, whatever functions of the same names you have
#' defined.
#'
#' @section Model:
#' The covariance of the process relative to its scale is
#' \deqn{R = \sum_t \rho_t R_t, \quad \sum_t \rho_t = 1,}{R = sum_t rho_t R_t, sum_t rho_t = 1,}
#' where \eqn{R_t} is a kernel for `gp()`, the mean of kernels over single inputs for `additive()`,
#' \eqn{x'x'/d}{x x'/d} in standardised variables for `linear()`, and 1 for `(1 | group)`; with
#' groups, it is zero between rows of different groups. The hyperparameters in [nodes()]
#' are
#' * `ratio.<term>`: \eqn{\rho_t}{rho_t} relative to the first term, for all others. The default
#'   prior is lognormal with median 0.7 and `sdlog = 1.5`; set it by `btg_prior(ratio = )`.
#' * `<term>.lengthscale.<input>` for terms other than the main process, each with a prior of its
#'   own: that of [btg_prior()] for the same number of inputs without a common location, and for
#'   additive terms lognormal with `meanlog = 1.5` and `sdlog = 1.25`, set by
#'   `btg_prior(additive_lengthscale = )`.
#' * `<term>.anisotropy.cos.<input>` and `<term>.anisotropy.sin.<input>` for [rotated()] inputs,
#'   without the name of the term in the main process.
#'
#' The main process comes first, then other processes in the order of the formula, linear terms and
#' groups.
#'
#' @section Many rows:
#' With an approximate covariance (see [vecchia()]), effects of groups and linear terms are exact if
#' they have at most 500 coefficients in all; other terms are approximated as the process is. With
#' more coefficients, the default makes an exact fit of up to 2000 rows; beyond, `approx = "exact"`
#' is the only way.
#'
#' @section New groups:
#' A group that no row of the fit has is predicted with the variance between
#' groups, and a message names it. In joint draws of [simulate.btg()], rows of one new group share
#' its effect. `predict(exclude = "(1 | site)")` leaves the term out, which is a prediction for the
#' population, and new data then need no sites. `simulate()`, [predict_region()],
#' `posterior_predict()` and `emmeans()` have the same arguments. A factor that is a plain input has
#' no distribution over levels: there, new levels are an error.
#'
#' @section Reading a fit:
#' [variance_shares()] divides the variance among terms and noise, and `summary()` shows it.
#' `predict(type = "terms")` returns the contribution of each term, `plot(fit, which = "terms")`
#' draws them, and [group_effects()] and `tidy(effects = "ran_vals")` list the effects of groups
#' with intervals.
#'
#' @seealso [btg()], [periodic()], [sphere()] and [rotated()], [btg_prior()], [group_effects()],
#'   [variance_shares()]; the vignette *Groups, seasons and additive effects*.
#' @examples
#' # Chicks that differ in weight and growth
#' d <- transform(ChickWeight, Chick = as.character(Chick))
#' d <- d[as.numeric(d$Chick) <= 10, ]
#' fit <- btg(weight ~ Time + (Time | Chick), d, transform = "softplus")
#' variance_shares(fit)
#' predict(fit, data.frame(Time = 21, Chick = c("1", "new")), interval = "prediction")
#' predict(fit, data.frame(Time = 21, Chick = "1"), exclude = "(Time | Chick)")
#' @name btg-terms
NULL
