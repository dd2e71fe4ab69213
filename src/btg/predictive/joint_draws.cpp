#include "btg/predictive/joint_draws.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "btg/base/error.hpp"
#include "btg/node/predict.hpp"
#include "btg/predictive/drawn_nodes.hpp"
#include "btg/predictive/noisy_mean.hpp"

namespace btg {

namespace {

// Divides each row of the lower triangle by its length, column by column.
void normalise_rows(Eigen::MatrixXd& lower) {
  const Eigen::Index m = lower.rows();
  Eigen::VectorXd squares = Eigen::VectorXd::Zero(m);
  for (Eigen::Index j = 0; j < m; ++j) squares.tail(m - j) += lower.col(j).tail(m - j).cwiseAbs2();
  const Eigen::VectorXd lengths = squares.cwiseSqrt();
  for (Eigen::Index j = 0; j < m; ++j) {
    lower.col(j).tail(m - j).array() /= lengths.tail(m - j).array();
  }
}

// Factors the correlations of C in the lower triangle, with the points' `noise` on its diagonal.
// The noise-free process at many close points is singular to rounding, so the diagonal is raised by
// the level of rounding, or more until C is positive definite. Rows are normalised to length 1, so
// margins do not widen.
Eigen::MatrixXd joint_factor(const Model& model, const CrossPoints& cross,
                             const Eigen::VectorXd& noise) {
  Eigen::MatrixXd c = cross.terms->covariance();
  const int m = static_cast<int>(c.rows());
  model.execution.check();
  c.selfadjointView<Eigen::Lower>().rankUpdate(cross.trend_error.transpose(), 1.0);
  c.diagonal() += noise;
  const double rounding =
      smallest_pivot(std::max<Eigen::Index>(m, model.site_count()), 1.0 + noise.maxCoeff());
  for (const double times : {1.0, 1e2, 1e4, 1e6}) {
    Eigen::MatrixXd factor = c;
    factor.diagonal().array() += times * rounding;
    if (model.compute->cholesky(factor.data(), m) != 0) continue;
    normalise_rows(factor);
    return factor;
  }
  throw Error("numerical", "The covariance of a joint draw could not be factored.");
}

// Correlated deviations of the draws `mine` at the points that are not known, one column per draw.
Eigen::MatrixXd joint_deviations(const Model& model, const Eigen::MatrixXd& factor,
                                 const DrawPlan& plan, const std::vector<int>& mine) {
  const Eigen::Index count = static_cast<Eigen::Index>(mine.size()), most = 64;
  const Eigen::Index known = plan.known.rows(), drawn = plan.normals.rows();
  Eigen::MatrixXd deviations(drawn, count), given(known, count);
  for (Eigen::Index k = 0; k < count; ++k) {
    deviations.col(k) = plan.normals.col(mine[k]) / std::sqrt(plan.chi_square[mine[k]]);
    if (known > 0) given.col(k) = plan.known.col(mine[k]);
  }
  // The factor of the known points gives the normals that their deviations came from.
  if (known > 0) {
    factor.topLeftCorner(known, known).triangularView<Eigen::Lower>().solveInPlace(given);
  }
  for (Eigen::Index first = 0; first < count; first += most) {
    model.execution.check();
    const Eigen::Index some = std::min(most, count - first);
    Eigen::Ref<Eigen::MatrixXd> here = deviations.middleCols(first, some);
    here = factor.bottomRightCorner(drawn, drawn).triangularView<Eigen::Lower>() * here;
    if (known > 0) {
      here.noalias() += factor.bottomLeftCorner(drawn, known) * given.middleCols(first, some);
    }
  }
  return deviations;
}

Points without_noise(Points points) {
  points.relative_noise.setZero();
  return points;
}

// Draws for one group of nodes, which share the covariance of the points.
class GroupDraws {
 public:
  GroupDraws(const Model& model, const PreparedGroup& group, const double* eta,
             const Points& points, const DrawPlan& plan)
      : model_(model),
        group_(group),
        plan_(plan),
        cross_(cross_points(model, PredictingNode(group.node, group.trend_directions), eta,
                            plan.of_mean ? without_noise(points) : points)),
        noise_(relative_noise(model, eta, points)),
        factor_(joint_factor(model, cross_, adds_noise() ? 0.0 * cross_.noise : cross_.noise)) {}

  // Node i of the group has the transform of `nodes`, a single one.
  void draw(Eigen::Index i, const MixtureNodes& nodes, const std::vector<int>& mine,
            JointDraws& draws) const {
    const PredictingFit& fit = group_.fits[i];
    const Eigen::VectorXd location = predictive_location(cross_, fit);
    const Eigen::VectorXd scale = predictive_scale(cross_, fit, model_.likelihood);
    const Eigen::MatrixXd deviations = joint_deviations(model_, factor_, plan_, mine);
    const Eigen::Index known = plan_.known.rows();
    if (plan_.of_mean) return draw_means(fit, nodes, location, scale, deviations, mine, draws);
    const double untruncated = 1.0;
    for (Eigen::Index a = 0; a < deviations.rows(); ++a) {
      model_.execution.check();
      const Mixture margin(nodes, location.segment(known + a, 1), scale.segment(known + a, 1),
                           Eigen::VectorXd::Ones(1));
      const bool truncated = margin.lost_mass() > 0.0;
      for (std::size_t k = 0; k < mine.size(); ++k) {
        const double deviation = deviations(a, static_cast<Eigen::Index>(k));
        const double x = with_noise(a, mine[k], deviation);
        draws.deviation(a, mine[k]) = deviation;
        draws.response(a, mine[k]) =
            margin.component_quantile(0, truncated ? nodes.t.cdf(x) : untruncated, x);
      }
    }
  }

 private:
  bool adds_noise() const { return plan_.noise.size() > 0; }

  // Draws the conditional mean given the process and its scale.
  void draw_means(const PredictingFit& fit, const MixtureNodes& nodes,
                  const Eigen::VectorXd& location, const Eigen::VectorXd& scale,
                  const Eigen::MatrixXd& deviations, const std::vector<int>& mine,
                  JointDraws& draws) const {
    const CensoredInverse response({&nodes.models[0], 0}, *plan_.of_mean);
    const Eigen::VectorXd noise = noise_scale(noise_, fit, model_.likelihood);
    for (Eigen::Index a = 0; a < deviations.rows(); ++a) {
      model_.execution.check();
      const Eigen::Index i = plan_.known.rows() + a;
      for (std::size_t k = 0; k < mine.size(); ++k) {
        const double deviation = deviations(a, static_cast<Eigen::Index>(k));
        const double f = location[i] + scale[i] * deviation;
        const double sd = noise[i] / std::sqrt(plan_.chi_square[mine[k]]);
        draws.deviation(a, mine[k]) = deviation;
        draws.response(a, mine[k]) =
            sd > 0.0 ? noisy_mean(response, f, sd).value : response.mean(f);
      }
    }
  }

  // Adds the noise of a draw at point `a` to the deviation of the process, and standardises.
  double with_noise(Eigen::Index a, int draw, double deviation) const {
    if (!adds_noise()) return deviation;
    const Eigen::Index i = plan_.known.rows() + a;
    const double noise = cross_.noise[i], process = std::fmax(0.0, cross_.variance[i] - noise);
    const double of_noise = plan_.noise(a, draw) / std::sqrt(plan_.chi_square[draw]);
    return (std::sqrt(process) * deviation + std::sqrt(noise) * of_noise) /
           std::sqrt(cross_.variance[i]);
  }

  const Model& model_;
  const PreparedGroup& group_;
  const DrawPlan& plan_;
  CrossPoints cross_;
  Eigen::VectorXd noise_;
  Eigen::MatrixXd factor_;
};

}  // namespace

void joint_draws(const Model& model, const ModelNodes& nodes, const Eigen::MatrixXd& etas,
                 int first, const Points& data_points, const DrawPlan& plan,
                 const PreparedGroups& cached, JointDraws& draws) {
  const Points points = model.expand(data_points);
  for_each_drawn_group(
      model, nodes, etas, first, plan.node, cached,
      [&](const PreparedGroup& group, const double* eta, const std::vector<DrawnNode>& used) {
        const GroupDraws drawn(model, group, eta, points, plan);
        for (const DrawnNode& one : used) drawn.draw(one.in_group, one.alone, one.draws, draws);
      });
}

}  // namespace btg
