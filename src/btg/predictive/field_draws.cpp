#include "btg/predictive/field_draws.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>

#include "btg/base/constants.hpp"
#include "btg/node/predict.hpp"
#include "btg/numerics/normal_points.hpp"
#include "btg/numerics/sobol_points.hpp"
#include "btg/predictive/drawn_nodes.hpp"
#include "btg/predictive/low_rank_root.hpp"

namespace btg {

namespace {

// Coordinates of a draw that are Sobol points: node, chi-square, and normals.
constexpr int most_sobol_normals = 62;

// Pseudo-random normals, the same on every machine: splitmix64 and the method of Box and Muller.
class NormalStream {
 public:
  explicit NormalStream(std::uint64_t seed) : state_(seed) {}
  double next() {
    if (has_spare_) {
      has_spare_ = false;
      return spare_;
    }
    const double radius = std::sqrt(-2.0 * std::log(uniform()));
    const double angle = 2.0 * pi * uniform();
    spare_ = radius * std::sin(angle);
    has_spare_ = true;
    return radius * std::cos(angle);
  }

 private:
  double uniform() {
    std::uint64_t x = (state_ += 0x9e3779b97f4a7c15u);
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return (static_cast<double>((x ^ (x >> 31)) >> 11) + 0.5) * 0x1p-53;
  }
  std::uint64_t state_;
  double spare_ = 0.0;
  bool has_spare_ = false;
};

std::uint64_t seed_of_draw(const FieldPlan& plan, int draw) {
  return (plan.seed * 1000003u + static_cast<unsigned>(draw) + 1u) * 0x2545f4914f6cdd1du +
         static_cast<unsigned>(plan.first);
}

// Rotates L to L Q, where Q R = L' totals.
void rotate_to_totals(const Eigen::MatrixXd& totals, Eigen::MatrixXd& columns) {
  if (totals.cols() == 0 || columns.cols() < 2) return;
  const Eigen::MatrixXd along = columns.transpose() * totals;
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(along);
  columns.applyOnTheRight(qr.householderQ());
}

// Draws for one group of nodes, which share the covariance of the points.
class GroupField {
 public:
  GroupField(const Model& model, const PreparedGroup& group, const double* eta,
             const Points& points, const FieldPlan& plan, const FieldPoints& sequence)
      : model_(model),
        group_(group),
        plan_(plan),
        sequence_(sequence),
        cross_(
            cross_points(model, PredictingNode(group.node, group.trend_directions), eta, points)),
        root_(low_rank_root(model, cross_, plan.share, plan.seed + 1u)) {
    rotate_to_totals(plan.totals, root_.columns);
  }

  int rank() const { return static_cast<int>(root_.columns.cols()); }

  void draw(const DrawnNode& node, FieldDraws& draws) const {
    const PredictingFit& fit = group_.fits[node.in_group];
    const Eigen::VectorXd location = predictive_location(cross_, fit);
    const Eigen::VectorXd scale = predictive_scale(cross_, fit, model_.likelihood);
    std::vector<Mixture> margins;
    std::vector<char> truncated;
    for (Eigen::Index a = 0; a < location.size(); ++a) {
      margins.emplace_back(node.alone, location.segment(a, 1), scale.segment(a, 1),
                           Eigen::VectorXd::Ones(1));
      truncated.push_back(margins.back().lost_mass() > 0.0);
    }
    constexpr std::size_t most = 32;
    for (std::size_t first = 0; first < node.draws.size(); first += most) {
      model_.execution.check();
      const std::vector<int> some(node.draws.begin() + first,
                                  node.draws.begin() + std::min(first + most, node.draws.size()));
      const Eigen::MatrixXd deviations = standard_deviations(some);
      for (std::size_t k = 0; k < some.size(); ++k) {
        for (Eigen::Index a = 0; a < location.size(); ++a) {
          const double x = deviations(a, static_cast<Eigen::Index>(k));
          draws.response(a, some[k]) =
              margins[a].component_quantile(0, truncated[a] ? node.alone.t.cdf(x) : 1.0, x);
        }
      }
    }
  }

 private:
  // Deviations of the draws in units of the scale of each point, one column per draw.
  Eigen::MatrixXd standard_deviations(const std::vector<int>& draws) const {
    const int m = static_cast<int>(root_.columns.rows()), rank = this->rank();
    const int count = static_cast<int>(draws.size());
    Eigen::MatrixXd normals(rank, count), deviations(m, count);
    const Eigen::VectorXd independent = (root_.residual + cross_.noise).cwiseSqrt();
    const bool has_independent = independent.maxCoeff() > 0.0;
    for (int k = 0; k < count; ++k) {
      NormalStream random(seed_of_draw(plan_, draws[k]));
      const Eigen::Index given = std::min<Eigen::Index>(rank, sequence_.normals.rows());
      normals.col(k).head(given) = sequence_.normals.col(draws[k]).head(given);
      for (Eigen::Index j = given; j < rank; ++j) normals(j, k) = random.next();
      if (has_independent) {
        for (int a = 0; a < m; ++a) deviations(a, k) = independent[a] * random.next();
      } else {
        deviations.col(k).setZero();
      }
    }
    if (rank > 0) {
      model_.compute->add_product(1.0, {root_.columns.data(), m, false},
                                  {normals.data(), rank, false}, m, rank, count, deviations.data(),
                                  m);
    }
    for (int k = 0; k < count; ++k) {
      deviations.col(k).array() /=
          cross_.variance.array().sqrt() * std::sqrt(sequence_.chi_square[draws[k]]);
    }
    return deviations;
  }

  const Model& model_;
  const PreparedGroup& group_;
  const FieldPlan& plan_;
  const FieldPoints& sequence_;
  CrossPoints cross_;
  LowRankRoot root_;
};

}  // namespace

FieldPoints::FieldPoints(const FieldPlan& plan, const Eigen::VectorXd& weights,
                         double degrees_of_freedom)
    : chi_square(Eigen::VectorXd::Ones(Eigen::Index{plan.replicates} * plan.count)),
      normals(most_sobol_normals, Eigen::Index{plan.replicates} * plan.count) {
  for (int r = 0; r < plan.replicates; ++r) {
    const Eigen::MatrixXd u = sobol_points(most_sobol_normals + 2, plan.count, plan.first,
                                           plan.seed * 7919u + static_cast<unsigned>(r) + 1u);
    for (int k = 0; k < plan.count; ++k) {
      double below = 0.0;
      int i = 0;
      while (i + 1 < weights.size() && (below += weights[i]) <= u(0, k)) ++i;
      node.push_back(i);
      if (std::isfinite(degrees_of_freedom)) {
        chi_square[Eigen::Index{r} * plan.count + k] =
            chi_square_quantile(u(1, k), degrees_of_freedom) / degrees_of_freedom;
      }
    }
    normals.middleCols(Eigen::Index{r} * plan.count, plan.count) =
        normal_points(u.bottomRows(most_sobol_normals));
  }
}

void field_draws(const Model& model, const ModelNodes& nodes, const Eigen::MatrixXd& etas,
                 int first, const Points& data_points, const FieldPlan& plan,
                 const FieldPoints& sequence, const PreparedGroups& cached, FieldDraws& draws) {
  const Points points = model.expand(data_points);
  std::atomic<int> rank{draws.rank};
  for_each_drawn_group(
      model, nodes, etas, first, sequence.node, cached,
      [&](const PreparedGroup& group, const double* eta, const std::vector<DrawnNode>& used) {
        const GroupField drawn(model, group, eta, points, plan, sequence);
        int largest = rank;
        while (largest < drawn.rank() && !rank.compare_exchange_weak(largest, drawn.rank())) {
        }
        for (const DrawnNode& one : used) drawn.draw(one, draws);
      });
  draws.rank = rank;
}

}  // namespace btg
