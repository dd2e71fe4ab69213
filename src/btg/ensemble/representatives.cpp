#include "btg/ensemble/representatives.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "btg/numerics/nonnegative_path.hpp"
#include "btg/predictive/quantile.hpp"

namespace btg {

namespace {

constexpr double end_levels[] = {0.025, 0.975}, median_level = 0.5;
constexpr double ends_in_sds = 3.919927969080108;  // distance of the ends of a normal interval

// Features of the nodes, one per column: the change of an answer is the sum over nodes of weights
// times features.
class Features {
 public:
  void add(const Eigen::VectorXd& feature) { columns_.push_back(feature); }
  int count() const { return static_cast<int>(columns_.size()); }

  Eigen::MatrixXd matrix() const {
    Eigen::MatrixXd all(columns_.empty() ? 0 : columns_[0].size(), count());
    for (int k = 0; k < count(); ++k) all.col(k) = columns_[k];
    return all;
  }

 private:
  std::vector<Eigen::VectorXd> columns_;
};

// Mean over features of the products between nodes.
void add_gram(const Eigen::MatrixXd& features, Eigen::MatrixXd& gram) {
  if (features.cols() > 0) {
    gram.noalias() += features * features.transpose() / static_cast<double>(features.cols());
  }
}

double root_mean_square(const Eigen::MatrixXd& features, const Eigen::VectorXd& weights) {
  if (features.cols() == 0) return 0.0;
  return std::sqrt((features.transpose() * weights).squaredNorm() /
                   static_cast<double>(features.cols()));
}

// An interval of a mixture and its standard deviation; not usable if a bound of the response, or
// the limits of doubles, decide it.
struct Ends {
  double at[2], sd;
  bool usable;
};

Ends ends_of(const QuantileSolver& solver, const AnswerOptions& options) {
  Ends ends;
  for (int k = 0; k < 2; ++k) ends.at[k] = solver.quantile(end_levels[k]);
  ends.sd = (ends.at[1] - ends.at[0]) / ends_in_sds;
  ends.usable = std::isfinite(ends.at[0]) && std::isfinite(ends.at[1]) && ends.sd > 0.0 &&
                ends.at[0] > options.floor && ends.at[1] < options.ceiling;
  return ends;
}

// importance (F_i(y) - p) / (f(y) sd), or zeros where the mixture has hardly any density.
Eigen::VectorXd quantile_feature(const Mixture& mixture, double y, double p, double sd,
                                 double importance = 1.0) {
  const double slope = mixture.evaluate(y).density * sd;
  if (!(slope > 1e-6)) return Eigen::VectorXd::Zero(mixture.size());
  return importance * (mixture.components_at(y).col(0).array() - p) / slope;
}

// Features of interval ends at the checks, and at all probes of the same kind.
struct EndFeatures {
  Features checks, all;
};

struct ProbeFeatures {
  Features matched;
  EndFeatures observation, process;
};

ProbeFeatures probe_features(const NodePredictions& all, const RepresentPlan& plan) {
  ProbeFeatures features;
  for (Eigen::Index j = 0; j < all.location.cols(); ++j) {
    const Mixture mixture(all.nodes, all.location.col(j), all.scale.col(j), all.weights);
    const QuantileSolver solver(mixture, 1e-8);
    const Ends interval = ends_of(solver, plan.options);
    if (!interval.usable) continue;
    const Probe use = plan.uses[j];
    const bool check = use == Probe::check || use == Probe::process_check;
    const bool process = use == Probe::process_matched || use == Probe::process_check;
    EndFeatures& ends = process ? features.process : features.observation;
    for (int k = 0; k < 2; ++k) {
      const Eigen::VectorXd feature =
          quantile_feature(mixture, interval.at[k], end_levels[k], interval.sd, plan.importance[j]);
      (check ? ends.checks : features.matched).add(feature);
      ends.all.add(feature);
    }
    if (check) continue;
    const double median = solver.quantile(median_level);
    features.matched.add(
        quantile_feature(mixture, median, median_level, interval.sd, plan.importance[j]));
  }
  return features;
}

// Subtracts from each node's value the mean of its group: its model's nodes, or all. The weights of
// a group are normalised, so only such differences change a left-out answer.
Eigen::VectorXd centred(const Eigen::VectorXd& values, const Eigen::VectorXd& weights,
                        const std::vector<int>& groups) {
  Eigen::VectorXd result = values;
  Eigen::Index first = 0;
  for (const int size : groups) {
    const double total = weights.segment(first, size).sum();
    const double mean =
        total > 0.0 ? weights.segment(first, size).dot(values.segment(first, size)) / total : 0.0;
    result.segment(first, size).array() -= mean;
    first += size;
  }
  return result;
}

struct RowFeatures {
  Eigen::MatrixXd scores, ends;
};

RowFeatures row_features(const NodePredictions& all, const RepresentPlan& plan) {
  Features scores, ends;
  if (!all.left_out) return {};
  const std::vector<int> together{static_cast<int>(all.weights.size())};
  const std::vector<int>& groups = plan.joint ? together : all.sizes;
  for (std::size_t k = 0; k < all.left_out->rows().size(); ++k) {
    const Mixture mixture = all.left_out->mixture(static_cast<long>(k));
    // Without the row, a node's weight changes by this factor.
    const Eigen::ArrayXd ratios = mixture.weights().array() / all.weights.array();
    if (!ratios.isFinite().all()) continue;
    const auto add = [&](const Eigen::VectorXd& values, Features& to) {
      const Eigen::VectorXd feature = ratios * centred(values, mixture.weights(), groups).array();
      if (feature.array().isFinite().all()) to.add(feature);
    };
    const double y = all.response[k];
    const double density = mixture.evaluate(y).density;
    if (density > 0.0) add(mixture.components_at(y).col(1) / density, scores);
    const QuantileSolver solver(mixture, 1e-8);
    const Ends interval = ends_of(solver, plan.options);
    if (!interval.usable) continue;
    for (int e = 0; e < 2; ++e) {
      add(quantile_feature(mixture, interval.at[e], end_levels[e], interval.sd), ends);
    }
  }
  return {scores.matrix(), ends.matrix()};
}

// Scales the weights of each model to their former sum. A model without nodes gets its heaviest.
Eigen::VectorXd with_shares(const Eigen::VectorXd& x, const NodePredictions& all) {
  Eigen::VectorXd result = x;
  Eigen::Index first = 0;
  for (const int size : all.sizes) {
    const double share = all.weights.segment(first, size).sum();
    const double sum = x.segment(first, size).sum();
    if (sum > 0.0) {
      result.segment(first, size) *= share / sum;
    } else if (size > 0) {
      Eigen::Index heaviest;
      all.weights.segment(first, size).maxCoeff(&heaviest);
      result[first + heaviest] = share;
    }
    first += size;
  }
  return result;
}

// Adds the squared errors of the sums of weights of all models, so heavily that they stay.
void add_sums(const NodePredictions& all, Eigen::MatrixXd& gram, Eigen::VectorXd& target) {
  const double weight = 100.0;
  target.resize(all.weights.size());
  Eigen::Index first = 0;
  for (const int size : all.sizes) {
    gram.block(first, first, size, size).array() += weight;
    target.segment(first, size).setConstant(weight * all.weights.segment(first, size).sum());
    first += size;
  }
}

// Standard errors of quantiles, from the variances of the weights.
Eigen::VectorXd standard_errors(const Eigen::MatrixXd& ends, const Eigen::VectorXd& variances) {
  if (ends.cols() == 0) return Eigen::VectorXd::Zero(1);
  return (ends.array().square().matrix().transpose() * variances).cwiseMax(0.0).cwiseSqrt();
}

double root_mean_square(const Eigen::VectorXd& errors) {
  return std::sqrt(errors.squaredNorm() / static_cast<double>(errors.size()));
}

// Extends the path until all changes are within their limits. Returns false if they never are.
bool reduce(const NodePredictions& all, const ProbeFeatures& probes, const RowFeatures& rows,
            const Eigen::VectorXd& own, const Eigen::VectorXd& own_process,
            Representatives& result) {
  const Eigen::Index nodes = all.weights.size();
  Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(nodes, nodes);
  add_gram(probes.matched.matrix(), gram);
  add_gram(rows.scores, gram);
  add_gram(rows.ends, gram);
  Eigen::VectorXd target;
  add_sums(all, gram, target);
  NonnegativePath path(gram, target);

  const Eigen::MatrixXd checks = probes.observation.checks.matrix();
  const Eigen::MatrixXd process_checks = probes.process.checks.matrix();
  const double limit = observation_limit(root_mean_square(own));
  while (path.extend()) {
    result.weights = with_shares(path.solution(), all);
    result.change = root_mean_square(checks, result.weights);
    result.process_change = root_mean_square(process_checks, result.weights);
    result.score_change = root_mean_square(rows.scores, result.weights);
    if (result.change <= limit &&
        result.process_change <= process_limit(root_mean_square(own_process)) &&
        result.score_change <= std::max(limit, score_limit)) {
      return true;
    }
  }
  return false;
}

}  // namespace

Representatives represent(const NodePredictions& all, const RepresentPlan& plan) {
  const ProbeFeatures probes = probe_features(all, plan);
  const RowFeatures rows = row_features(all, plan);
  const Eigen::VectorXd& variances = plan.options.weight_variances;
  const Eigen::MatrixXd ends = probes.observation.all.matrix();
  const Eigen::VectorXd own = standard_errors(ends, variances);
  const Representatives unchanged{all.weights, variances, own.mean(), own.mean()};
  Representatives result = unchanged;
  if (probes.observation.checks.count() == 0 ||
      !reduce(all, probes, rows, own, standard_errors(probes.process.all.matrix(), variances),
              result)) {
    return unchanged;
  }
  result.reduced = true;
  // The nodes in use carry the variances of all.
  result.variances = variances.cwiseProduct(result.weights).cwiseQuotient(all.weights);
  const Eigen::ArrayXd wanted = own.array().square() + result.change * result.change;
  const double now = standard_errors(ends, result.variances).squaredNorm();
  if (now > 0.0) result.variances *= wanted.sum() / now;
  result.error = wanted.sqrt().mean();
  return result;
}

}  // namespace btg
