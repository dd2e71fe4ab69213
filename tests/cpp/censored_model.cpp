#include "censored_model.hpp"

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>
#include <limits>

#include "btg/backend/compute_eigen.hpp"
#include "btg/model/censored.hpp"

namespace problems {

RandomModel censored_model(Random& random, int p, double below, double above, int points) {
  RandomModel made =
      random_model(random, kernels()[0], btg::Form::radial, {"affine", "sinharcsinh"}, p);
  Eigen::VectorXd lower(2), upper(2);
  lower << below, made.model.response[2];
  upper << made.model.response[0], above;
  made.model.censored = btg::Censored({0, 2}, lower, upper, points);
  return made;
}

namespace {

// Calls add(z, weight) at Gauss points of an interval of z, which may be infinite at one end.
template <class Add>
void over_interval(double lower, double upper, Add add) {
  using Rule = boost::math::quadrature::gauss<double, 30>;
  const int pieces = 4;
  const auto at = [&](double s, double weight) {
    if (std::isinf(lower)) {
      add(upper - s / (1.0 - s), weight / ((1.0 - s) * (1.0 - s)));
    } else if (std::isinf(upper)) {
      add(lower + s / (1.0 - s), weight / ((1.0 - s) * (1.0 - s)));
    } else {
      add(lower + s * (upper - lower), weight * (upper - lower));
    }
  };
  for (int piece = 0; piece < pieces; ++piece) {
    for (std::size_t i = 0; i < Rule::abscissa().size(); ++i) {
      for (const double side : {-1.0, 1.0}) {
        at((piece + 0.5 + 0.5 * side * Rule::abscissa()[i]) / pieces,
           0.5 * Rule::weights()[i] / pieces);
      }
    }
  }
}

}  // namespace

double integrated_marginal(const RandomModel& made, const Eigen::VectorXd& eta,
                           const std::vector<int>& integrated, const std::vector<int>& left_out) {
  const btg::Model& model = made.model;
  const double* lambda = model.lambda(eta.data());
  const auto among = [](const std::vector<int>& rows, int row) {
    return std::find(rows.begin(), rows.end(), row) != rows.end();
  };
  std::vector<int> kept;
  for (int row = 0; row < model.response.size(); ++row) {
    if (!among(left_out, row)) kept.push_back(row);
  }
  const int n = static_cast<int>(kept.size());
  Eigen::MatrixXd all = made.correlation(model.inputs, eta);
  all.diagonal().array() += eta[made.noise_index()];
  Eigen::MatrixXd k(n, n), m(n, made.trend.cols());
  Eigen::VectorXd z(n);
  double log_jacobian = 0.0, reference = 0.0;
  int references = 0;
  std::vector<int> places;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) k(i, j) = all(kept[i], kept[j]);
    m.row(i) = made.trend.row(kept[i]);
    const int index = model.censored.index_of(kept[i]);
    if (among(integrated, kept[i])) places.push_back(i);
    if (index >= 0) {
      z[i] = eta.size() > model.size() ? eta[model.size() + index] : 0.0;
      const double middle = 0.5 * (model.censored.lower()[index] + model.censored.upper()[index]);
      if (std::isinf(middle)) continue;
      reference += model.transform.log_derivative(middle, lambda);
    } else {
      z[i] = model.transform.forward(model.response[kept[i]], lambda);
      log_jacobian += model.transform.log_derivative(model.response[kept[i]], lambda);
      reference += model.transform.log_derivative(model.response[kept[i]], lambda);
    }
    ++references;
  }
  // Given K, the density is (z'Q z)^(-(n-p)/2) times a constant.
  const NaiveFit fit(k, m, z);
  const double p = static_cast<double>(m.cols());
  const Eigen::MatrixXd weighted = (fit.k_inverse * fit.m).cast<double>();
  const Eigen::MatrixXd q =
      fit.k_inverse.cast<double>() - weighted * fit.a_inverse.cast<double>() * weighted.transpose();
  const auto log_density = [&](const Eigen::VectorXd& at) {
    return -static_cast<double>(fit.half_log_det) - 0.5 * (n - p) * std::log(at.dot(q * at));
  };
  const double jacobian = log_jacobian - p / references * reference;
  if (places.empty()) return log_density(z) + jacobian;
  std::vector<int> indices;
  for (const int place : places) indices.push_back(model.censored.index_of(kept[place]));
  const btg::Censored::Limits limits =
      model.censored.latent_limits(model.transform, lambda, indices);
  const double height = log_density(z);
  double sum = 0.0;
  over_interval(limits.lower[0], limits.upper[0], [&](double first, double weight) {
    z[places[0]] = first;
    if (places.size() == 1) {
      sum += weight * std::exp(log_density(z) - height);
      return;
    }
    over_interval(limits.lower[1], limits.upper[1], [&](double second, double other) {
      z[places[1]] = second;
      sum += weight * other * std::exp(log_density(z) - height);
    });
  });
  return std::log(sum) + height + jacobian;
}

}  // namespace problems
