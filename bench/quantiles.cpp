// What quantiles.R compares with: Brent's method on library cdfs; and random mixtures, inverted.
// [[Rcpp::depends(RcppEigen, BH)]]
// [[Rcpp::plugins(cpp17)]]
#include <RcppEigen.h>

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <ctime>
#include <string>
#include <vector>

// The parts of the core that quantiles need, compiled here once more.
#include "btg/backend/compute_eigen.cpp"
#include "btg/numerics/student_t.cpp"
#include "btg/predictive/mixture.cpp"
#include "btg/predictive/quantile.cpp"
#include "btg/predictive/rearrangement.cpp"
#include "btg/transforms/unit.cpp"
#include "long_algebra.cpp"
#include "problems.cpp"
#include "random_mixture.cpp"

// Seconds of processor time, to the nanosecond: other processes do not count.
// [[Rcpp::export]]
double processor_seconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Brent's method (1973) for f(a) < 0 < f(b), until |f| <= accuracy.
template <class F>
double brent(F f, double a, double fa, double b, double fb, double accuracy) {
  double c = a, fc = fa, step = b - a, before = step;
  while (std::abs(fb) > accuracy) {
    if ((fb > 0.0) == (fc > 0.0)) c = a, fc = fa, step = before = b - a;
    if (std::abs(fc) < std::abs(fb)) a = b, b = c, c = a, fa = fb, fb = fc, fc = fa;
    const double least = 1e-16 * std::abs(b), half = 0.5 * (c - b);
    if (std::abs(half) <= least) break;
    if (std::abs(before) >= least && std::abs(fa) > std::abs(fb)) {
      const double s = fb / fa;
      double p = 2.0 * half * s, q = 1.0 - s;  // the secant, or inverse quadratic interpolation
      if (a != c) {
        const double r = fb / fc, t = fa / fc;
        p = s * (2.0 * half * t * (t - r) - (b - a) * (r - 1.0));
        q = (t - 1.0) * (r - 1.0) * (s - 1.0);
      }
      (p > 0.0 ? q : p) *= -1.0;
      const bool good =
          2.0 * p < std::min(3.0 * half * q - std::abs(least * q), std::abs(before * q));
      before = good ? step : half;
      step = good ? p / q : half;
    } else {
      step = before = half;
    }
    a = b, fa = fb;
    b += std::abs(step) > least ? step : std::copysign(least, half);
    fb = f(b);
  }
  return b;
}

// Quantiles of mixtures by Brent's method from `start`, widened until it holds them. `library` is
// "R" for R's pt(), else Boost's cdf with its default policy. Columns of `location` and `scale`
// are points. list(quantile, evaluations, seconds)
// [[Rcpp::export]]
Rcpp::List invert_by_brent(double df, const std::vector<std::string>& transform,
                           const Eigen::MatrixXd& lambda, const Eigen::VectorXd& weight,
                           const Eigen::MatrixXd& location, const Eigen::MatrixXd& scale,
                           const Eigen::VectorXd& probs, const Eigen::VectorXd& start,
                           double tolerance, const std::string& library) {
  const btg::Composition g = btg::compose(transform);
  const boost::math::students_t_distribution<double> t(df);
  const bool r = library == "R";
  Eigen::MatrixXd quantile(location.cols(), probs.size());
  double evaluations = 0.0;
  const double begin = processor_seconds();
  for (Eigen::Index point = 0; point < location.cols(); ++point) {
    for (Eigen::Index j = 0; j < probs.size(); ++j) {
      const double p = probs[j];
      const auto excess = [&](double y) {
        ++evaluations;
        double sum = 0.0;
        for (Eigen::Index i = 0; i < weight.size(); ++i) {
          const double x =
              (g.forward(y, lambda.col(i).data()) - location(i, point)) / scale(i, point);
          sum += weight[i] * (r ? R::pt(x, df, 1, 0) : boost::math::cdf(t, x));
        }
        return sum - p;
      };
      double a = start[0], b = start[1], width = b - a, fa = excess(a), fb = excess(b);
      for (; fa > 0.0; width *= 2.0) fa = excess(a -= width);
      for (; fb < 0.0; width *= 2.0) fb = excess(b += width);
      quantile(point, j) = brent(excess, a, fa, b, fb, tolerance * std::min(p, 1.0 - p));
    }
  }
  return Rcpp::List::create(Rcpp::Named("quantile") = quantile,
                            Rcpp::Named("evaluations") = evaluations,
                            Rcpp::Named("seconds") = processor_seconds() - begin);
}

// Quantiles of random mixtures with 1 to 1000 nodes and 1 to 1000 degrees of freedom, at
// probabilities from 1e-6 to 1 - 1e-6: of each how far F(quantile) is from p, relative to the
// smaller of p and 1 - p, the evaluations, and whether it inverts the mixture to `tolerance`.
// [[Rcpp::export]]
Rcpp::DataFrame invert_random_mixtures(int count, unsigned seed, bool negative_weights,
                                       double tolerance) {
  problems::Random random(seed);
  const std::vector<std::vector<std::string>> transforms = problems::mixture_transforms();
  std::vector<double> df, nodes, probability, quantile, error, evaluations;
  std::vector<std::string> name;
  std::vector<bool> inverts;
  while (static_cast<int>(df.size()) < count) {
    const double nu = std::round(10.0 * std::pow(1000.0, random.integer(0, 60) / 60.0)) / 10.0;
    const std::vector<std::string>& names =
        transforms[random.integer(0, static_cast<int>(transforms.size()) - 1)];
    problems::RandomMixture problem = problems::random_mixture(random, names, nu, 1000);
    if (negative_weights && !problems::make_signed(problem)) continue;
    const double tail = std::pow(10.0, random.uniform(-6.0, std::log10(0.5)));
    const double p = random.uniform(0.0, 1.0) < 0.5 ? tail : 1.0 - tail;
    const btg::Mixture mixture = problem.mixture();
    double q = NAN;
    try {
      q = btg::quantile(mixture, p, tolerance);
    } catch (const btg::Error&) {
    }
    df.push_back(nu);
    nodes.push_back(mixture.size());
    name.push_back(problem.name);
    probability.push_back(p);
    quantile.push_back(q);
    evaluations.push_back(mixture.evaluations());
    const btg::MixtureValue f = mixture.evaluate(q);
    error.push_back(std::abs(p < 0.5 ? f.cdf - p : f.survival - (1.0 - p)) / std::min(p, 1.0 - p));
    inverts.push_back(problems::inverts(mixture, q, p, tolerance));
  }
  return Rcpp::DataFrame::create(
      Rcpp::Named("name") = name, Rcpp::Named("df") = df, Rcpp::Named("nodes") = nodes,
      Rcpp::Named("probability") = probability, Rcpp::Named("quantile") = quantile,
      Rcpp::Named("error") = error, Rcpp::Named("evaluations") = evaluations,
      Rcpp::Named("inverts") = inverts);
}
