// A proposal for the trailing coordinates, the transform's parameters. Their posterior is
// often far from normal (bent, or with several arms) but depends little on the kernel's
// coordinates, and with these held still its likelihoods share one factorisation: so a
// mixture of normals is fitted to many of them.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "btg/quadrature/modes.hpp"
#include "btg/quadrature/rule.hpp"
#include "btg/quadrature/sampling/mixture_sample.hpp"
#include "btg/quadrature/sampling/proposal.hpp"

namespace btg {

// A normal distribution with a root of its covariance; with tails a little heavier.
inline SplitT normal_part(const Eigen::VectorXd& mean, const Eigen::MatrixXd& root, double nu) {
  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(mean.size());
  return SplitT(mean, root, ones, ones, nu);
}

// First centres: the heaviest point, then in turn the one of largest weight times squared
// distance from those before.
inline std::vector<Eigen::Index> spread_out(const Eigen::MatrixXd& points,
                                            const Eigen::VectorXd& weights, int count) {
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

// A mixture of normals fitted to weighted points by EM. Covariances are drawn to a share of
// the whole's, as if four points had said so, and inflated in the end.
inline SplitMixture fit_normals(const Eigen::MatrixXd& points, const Eigen::VectorXd& weights) {
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
  const Eigen::MatrixXd white = Eigen::LLT<Eigen::MatrixXd>(whole).matrixL().solve(centred);
  for (const Eigen::Index i : spread_out(white, weights, parts)) means.emplace_back(points.col(i));
  std::vector<Eigen::MatrixXd> covariances(parts, share_of_whole);
  Eigen::VectorXd shares = Eigen::VectorXd::Constant(parts, 1.0 / parts);
  Eigen::MatrixXd logs(parts, points.cols()), belongs(points.cols(), parts);
  for (int step = 0; step < steps; ++step) {
    for (int k = 0; k < parts; ++k) {
      const Eigen::LLT<Eigen::MatrixXd> llt(covariances[k]);
      const Eigen::MatrixXd e = llt.matrixL().solve(points.colwise() - means[k]);
      logs.row(k) = std::log(shares[k]) - llt.matrixLLT().diagonal().array().log().sum() -
                    0.5 * e.colwise().squaredNorm().array();
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
    const Eigen::MatrixXd root = Eigen::LLT<Eigen::MatrixXd>(covariances[k]).matrixL();
    mixture.components.push_back(normal_part(means[k], inflation * root, nu));
    mixture.shares.push_back(shares[k]);
  }
  return mixture;
}

// The mixture for the trailing coordinates where the kernel's are those of the mode: fitted
// to draws from the prior and from the curvature at the mode, and again with draws from the
// first fit.
inline SplitMixture transform_mixture(const Target& target, const Mode& mode, std::uint64_t seed) {
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
  const Eigen::MatrixXd root = Eigen::LLT<Eigen::MatrixXd>(covariance).matrixL();
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
