#include "btg/quadrature/sampling/transform_mixture.hpp"

#include <algorithm>
#include <cmath>

#include "btg/numerics/decompositions.hpp"
#include "btg/quadrature/sampling/mixture_sample.hpp"

namespace btg {

SplitT normal_part(const Eigen::VectorXd& mean, const Eigen::MatrixXd& root, double nu) {
  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(mean.size());
  return SplitT(mean, root, ones, ones, nu);
}

std::vector<Eigen::Index> spread_out(const Eigen::MatrixXd& points, const Eigen::VectorXd& weights,
                                     int count) {
  std::vector<Eigen::Index> chosen(1);
  weights.maxCoeff(&chosen[0]);
  Eigen::VectorXd distance = Eigen::VectorXd::Constant(points.cols(), INFINITY);
  while (static_cast<int>(chosen.size()) < count) {
    distance = distance.cwiseMin(
        (points.colwise() - points.col(chosen.back())).colwise().squaredNorm().transpose());
    Eigen::Index next;
    distance.cwiseProduct(weights).maxCoeff(&next);
    chosen.push_back(next);
  }
  return chosen;
}

SplitMixture fit_normals(const Eigen::MatrixXd& points, const Eigen::VectorXd& weights) {
  // Compromises: more components follow bent posteriors but need 2 (d + 1) effective points each. A
  // stronger prior, more inflation or a lower nu costs draws; the opposite loses mass.
  const int most = 8, steps = 25;
  const double prior = 4.0, inflation = 1.15, nu = 30.0;
  const Eigen::Index d = points.rows();
  const double effective = 1.0 / weights.squaredNorm();
  const int parts = std::max(1, std::min(most, static_cast<int>(effective / (2.0 * (d + 1.0)))));
  const Eigen::MatrixXd centred = points.colwise() - Eigen::VectorXd(points * weights);
  Eigen::MatrixXd whole = centred * weights.asDiagonal() * centred.transpose();
  whole.diagonal().array() += 1e-6;
  const Eigen::MatrixXd share_of_whole = std::pow(parts, -2.0 / static_cast<double>(d)) * whole;

  std::vector<Eigen::VectorXd> means;
  const Eigen::MatrixXd white = CholeskyRoot(whole).whiten(centred);
  for (const Eigen::Index i : spread_out(white, weights, parts)) means.emplace_back(points.col(i));
  std::vector<Eigen::MatrixXd> covariances(parts, share_of_whole);
  Eigen::VectorXd shares = Eigen::VectorXd::Constant(parts, 1.0 / parts);
  Eigen::MatrixXd logs(parts, points.cols()), belongs(points.cols(), parts);
  for (int step = 0; step < steps; ++step) {
    for (int k = 0; k < parts; ++k) {
      const CholeskyRoot root(covariances[k]);
      const Eigen::MatrixXd e = root.whiten(points.colwise() - means[k]);
      logs.row(k) =
          std::log(shares[k]) - root.half_log_det() - 0.5 * e.colwise().squaredNorm().array();
    }
    for (Eigen::Index i = 0; i < points.cols(); ++i) {
      logs.col(i) = (logs.col(i).array() - logs.col(i).maxCoeff()).exp();
      logs.col(i) *= weights[i] / logs.col(i).sum();
    }
    belongs = logs.transpose();
    for (int k = 0; k < parts; ++k) {
      const double mass = belongs.col(k).sum();
      shares[k] = std::max(mass, 1e-3);
      if (mass < 1e-8) continue;
      means[k] = points * belongs.col(k) / mass;
      const Eigen::MatrixXd e = points.colwise() - means[k];
      const double count = mass * mass / belongs.col(k).squaredNorm();
      covariances[k] = (count / mass * e * belongs.col(k).asDiagonal() * e.transpose() +
                        prior * share_of_whole) /
                       (count + prior);
    }
    shares /= shares.sum();
  }
  SplitMixture mixture;
  for (int k = 0; k < parts; ++k) {
    const Eigen::MatrixXd root = CholeskyRoot(covariances[k]).matrix();
    mixture.components.push_back(normal_part(means[k], inflation * root, nu));
    mixture.shares.push_back(shares[k]);
  }
  return mixture;
}

SplitMixture transform_mixture(const Target& target, const Mode& mode, std::uint64_t seed) {
  const int draws = 150, k = target.kernel_dimension, d = target.dimension - k;
  Target conditional;
  conditional.dimension = d;
  conditional.log_likelihood = [&](const Eigen::MatrixXd& trailing) -> Eigen::VectorXd {
    Eigen::MatrixXd points = mode.point.replicate(1, trailing.cols());
    points.bottomRows(d) = trailing;
    return target.log_likelihood(points);
  };
  const Eigen::MatrixXd covariance =
      (mode.axes * mode.curvatures.cwiseInverse().asDiagonal() * mode.axes.transpose())
          .bottomRightCorner(d, d);
  const Eigen::MatrixXd root = CholeskyRoot(covariance).matrix();
  Proposal first;
  first.add({{{SplitT::standard_normal(d)}, {1.0}}, {}}, 0.5);
  first.add({{{normal_part(mode.point.tail(d), 1.3 * root, 8.0)}, {1.0}}, {}}, 0.5);
  MixtureSample sample(conditional, seed);
  sample.extend(first, draws);
  Proposal second;
  second.add({fit_normals(sample.points(), sample.weights()), {}}, 1.0);
  sample.extend(second, draws);
  return fit_normals(sample.points(), sample.weights());
}

}  // namespace btg
