// The predictive distribution of one point: a mixture over nodes of Student t
// distributions of g(Y), each truncated to the image of its transform.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <vector>

#include "btg/compute/compute.hpp"
#include "btg/numerics/log_sum_exp.hpp"
#include "btg/numerics/student_t.hpp"
#include "btg/transforms/compose.hpp"

namespace btg {

// The nodes of one model. Its transform acts on (y - shift) / unit.
struct NodeBlock {
  NodeBlock(const Composition& g_, const Eigen::MatrixXd& lambda_, double shift_ = 0.0,
            double unit_ = 1.0)
      : g(g_), lambda(lambda_), shift(shift_), unit(unit_) {
    for (Eigen::Index i = 0; i < lambda.cols(); ++i) {
      const Interval domain = g.domain(lambda.col(i).data());
      domains.push_back({shift + unit * domain.lower, shift + unit * domain.upper});
      images.push_back(g.image(lambda.col(i).data()));
      common.lower = std::max(common.lower, domains.back().lower);
      common.upper = std::min(common.upper, domains.back().upper);
    }
  }

  int size() const { return static_cast<int>(lambda.cols()); }
  const double* parameters(int i) const { return lambda.col(i).data(); }
  double forward(int i, double y) const { return g.forward((y - shift) / unit, parameters(i)); }

  // z is taken into the image, and what comes out into the domain: rounding may leave either.
  double inverse(int i, double z) const {
    const double inside = std::fmin(std::fmax(z, images[i].lower), images[i].upper);
    const double y = shift + unit * g.inverse(inside, parameters(i));
    return std::fmin(std::fmax(y, domains[i].lower), domains[i].upper);
  }

  Composition g;
  Eigen::MatrixXd lambda;  // parameters of g, one column a node
  double shift, unit;
  std::vector<Interval> domains, images;
  Interval common;  // the y in all domains
};

// What the mixtures of all points share: the nodes, one block after the other. Without `compute`
// they are evaluated one by one.
struct MixtureNodes {
  MixtureNodes(const StudentT& t_, const std::vector<NodeBlock>& blocks_,
               const Compute* compute_ = nullptr)
      : t(t_), blocks(blocks_), compute(compute_), support{INFINITY, -INFINITY} {
    for (const NodeBlock& block : blocks) {
      size += block.size();
      for (const Interval& domain : block.domains) {
        support.lower = std::min(support.lower, domain.lower);
        support.upper = std::max(support.upper, domain.upper);
      }
    }
  }

  StudentT t;
  std::vector<NodeBlock> blocks;
  const Compute* compute;
  Interval support;  // the union of all domains
  int size = 0;
};

struct MixtureValue {
  double cdf;
  double survival;  // 1 - cdf, without cancellation
  double density;
};

// `weights` sum to 1; some may be negative, by rules with signed weights.
class Mixture {
 public:
  Mixture(const MixtureNodes& nodes, const Eigen::VectorXd& location, const Eigen::VectorXd& scale,
          const Eigen::VectorXd& weights)
      : nodes_(nodes),
        location_(location),
        inverse_scale_(scale.cwiseInverse()),
        weights_(weights),
        u_(nodes.size),
        slope_(nodes.size),
        x_(nodes.size) {
    components_.reserve(nodes.size);
    origins_.reserve(nodes.size);
    int i = 0;
    for (const NodeBlock& block : nodes.blocks) {
      bool whole = true;
      for (int k = 0; k < block.size(); ++k, ++i) {
        components_.push_back(make_component(location[i], scale[i], block.images[k]));
        origins_.push_back({&block, k});
        whole = whole && components_.back().mass == 1.0;
      }
      whole_.push_back(whole);
    }
  }

  int size() const { return static_cast<int>(components_.size()); }
  const Eigen::VectorXd& weights() const { return weights_; }
  const MixtureNodes& nodes() const { return nodes_; }

  MixtureValue evaluate(double y) const {
    ++evaluations_;
    MixtureValue total{0.0, 0.0, 0.0};
    int first = 0;
    for (std::size_t b = 0; b < nodes_.blocks.size(); ++b) {
      const NodeBlock& block = nodes_.blocks[b];
      const bool together = nodes_.compute && whole_[b] && block.common.contains(y);
      if (!together || !add_whole_block(block, first, y, total)) {
        for_each_in_block(block, first, y,
                          [&](int i, const MixtureValue& part) { add(i, part, total); });
      }
      first += block.size();
    }
    return total;
  }

  // How often the whole mixture has been evaluated.
  long evaluations() const { return evaluations_; }

  // Also where the density itself underflows, if all weights are positive.
  double log_density(double y) const {
    if (negative_mass() > 0.0) return std::log(std::fmax(evaluate(y).density, 0.0));
    Eigen::VectorXd terms = Eigen::VectorXd::Constant(size(), -INFINITY);
    for (int i = 0; i < size(); ++i) {
      const Component& c = components_[i];
      const NodeBlock& block = *origins_[i].block;
      if (!block.domains[origins_[i].index].contains(y) || !(c.mass > 0.0)) continue;
      const Jet g =
          block.g.jet((y - block.shift) / block.unit, block.parameters(origins_[i].index));
      terms[i] = std::log(weights_[i]) + nodes_.t.log_density((g.value - c.location) / c.scale) +
                 g.log_derivative - std::log(c.scale * c.mass * block.unit);
    }
    return log_sum_exp(terms);
  }

  // f_i^-1(p), for 0 <= p <= 1, given the t quantile at p, which is that of every component
  // that is not truncated.
  double component_quantile(int i, double p, double t_quantile) const {
    const Component& c = components_[i];
    const Origin& origin = origins_[i];
    if (!(c.mass > 0.0)) {
      const Interval& domain = origin.block->domains[origin.index];
      return c.side < 0 ? domain.lower : domain.upper;
    }
    double x = t_quantile;
    if (c.mass < 1.0) {
      const double below = c.below + p * c.mass, above = c.above + (1.0 - p) * c.mass;
      x = below < above ? -nodes_.t.upper_quantile(below) : nodes_.t.upper_quantile(above);
    }
    return origin.block->inverse(origin.index, c.location + c.scale * x);
  }

  // The predictive mass that the untruncated t distributions put outside the images.
  double lost_mass() const {
    double kept = 0.0;
    for (int i = 0; i < size(); ++i) kept += weights_[i] * components_[i].mass;
    return std::fmax(0.0, 1.0 - kept);
  }

  // sum |w_i| over the negative weights.
  double negative_mass() const { return -weights_.cwiseMin(0.0).sum(); }

  // sqrt(sum_i v_i (F_i(y) - p)^2): the standard error of F(y) = p as an importance sampling
  // estimate, where v_i is w_i^2, or what stands for several of them.
  double cdf_error(double y, double p, const Eigen::VectorXd& variances) const {
    double sum = 0.0;
    for_each_component(y, [&](int i, const MixtureValue& part) {
      sum += variances[i] * (part.cdf - p) * (part.cdf - p);
    });
    return std::sqrt(sum);
  }

  // visit(i, g_i(y)) of all nodes with y in their domains.
  template <class Visit>
  void for_each_latent(double y, Visit visit) const {
    int i = 0;
    for (const NodeBlock& block : nodes_.blocks) {
      const bool together = block.common.contains(y);
      if (together) advance(block, y);
      for (int k = 0; k < block.size(); ++k, ++i) {
        if (together)
          visit(i, u_[k]);
        else if (block.domains[k].contains(y))
          visit(i, block.forward(k, y));
      }
    }
  }

  struct Component {
    double location, scale, inverse_scale;
    double below, above;  // t mass on either side of the image
    double mass;          // t mass inside it
    int side;             // of the image: -1 if in the upper half of the t, 1 lower, else 0
  };
  const Component& component(int i) const { return components_[i]; }

  struct Origin {
    const NodeBlock* block;
    int index;  // in the block
  };
  const Origin& origin(int i) const { return origins_[i]; }

 private:
  Component make_component(double location, double scale, const Interval& image) const {
    Component c{location, scale, 1.0 / scale, 0.0, 0.0, 1.0, 0};
    if (std::isinf(image.lower) && std::isinf(image.upper)) return c;
    const double lower = (image.lower - location) / scale;
    const double upper = (image.upper - location) / scale;
    c.below = nodes_.t.cdf(lower);
    c.above = nodes_.t.cdf(-upper);
    // Tail differences are taken on the side where they do not cancel.
    if (lower > 0.0) {
      c.mass = nodes_.t.cdf(-lower) - c.above;
      c.side = -1;
    } else if (upper < 0.0) {
      c.mass = nodes_.t.cdf(upper) - c.below;
      c.side = 1;
    } else {
      c.mass = 1.0 - c.below - c.above;
    }
    return c;
  }

  // visit(i, F_i(y))
  template <class Visit>
  void for_each_component(double y, Visit visit) const {
    int first = 0;
    for (const NodeBlock& block : nodes_.blocks) {
      for_each_in_block(block, first, y, visit);
      first += block.size();
    }
  }

  // All nodes of a block together where y is in all their domains.
  template <class Visit>
  void for_each_in_block(const NodeBlock& block, int first, double y, Visit visit) const {
    if (block.common.contains(y)) {
      advance(block, y);
      for (int k = 0; k < block.size(); ++k) {
        visit(first + k, evaluate_component(components_[first + k], u_[k], slope_[k]));
      }
    } else {
      for (int k = 0; k < block.size(); ++k) visit(first + k, evaluate_apart(first + k, y));
    }
  }

  // u and its slope of all nodes of a block.
  void advance(const NodeBlock& block, double y) const {
    u_.head(block.size()).setConstant((y - block.shift) / block.unit);
    slope_.head(block.size()).setConstant(1.0 / block.unit);
    block.g.advance(block.size(), block.lambda.data(), u_.data(), slope_.data());
  }

  // The nodes of a block of which none is truncated, where y is in all their domains. False if that
  // leads to NaN.
  bool add_whole_block(const NodeBlock& block, int first, double y, MixtureValue& total) const {
    advance(block, y);
    const btg_compute::TMixture part = nodes_.compute->mix_t(
        nodes_.t.table(), block.size(), u_.data(), slope_.data(), location_.data() + first,
        inverse_scale_.data() + first, weights_.data() + first, x_.data());
    if (part.far < 0) return false;
    total.cdf += part.cdf;
    total.survival += part.survival;
    total.density += part.density;
    for (int k = 0, left = part.far; left > 0 && k < block.size(); ++k) {
      if (std::abs(x_[k]) < nodes_.t.table().end * (1.0 - 1e-15)) continue;
      add(first + k, evaluate_component(components_[first + k], u_[k], slope_[k]), total);
      --left;
    }
    return true;
  }

  void add(int i, const MixtureValue& part, MixtureValue& total) const {
    total.cdf += weights_[i] * part.cdf;
    total.survival += weights_[i] * part.survival;
    total.density += weights_[i] * part.density;
  }

  MixtureValue evaluate_apart(int i, double y) const {
    const NodeBlock& block = *origins_[i].block;
    const int k = origins_[i].index;
    if (!(y > block.domains[k].lower)) return {0.0, 1.0, 0.0};
    if (!(y < block.domains[k].upper)) return {1.0, 0.0, 0.0};
    const Jet g = block.g.jet((y - block.shift) / block.unit, block.parameters(k));
    return evaluate_component(components_[i], g.value, std::exp(g.log_derivative) / block.unit);
  }

  // At u = g(y), with slope g'(y).
  MixtureValue evaluate_component(const Component& c, double u, double slope) const {
    const double x = (u - c.location) * c.inverse_scale;
    const StudentT::TailDensity f = nodes_.t.tail_and_density(std::abs(x));
    const double density = f.density * slope * c.inverse_scale;
    // Looked up, not branched on: which of the two it is cannot be predicted.
    const double sides[] = {f.tail, 1.0 - f.tail};
    const double lower = sides[x >= 0.0], upper = sides[x < 0.0];
    if (c.mass == 1.0) return {lower, upper, finite_or_0(density)};
    return truncate(c, lower, upper, density);
  }

  static MixtureValue truncate(const Component& c, double lower, double upper, double density) {
    if (!(c.mass > 0.0)) {  // all of it at an end of the image
      return c.side < 0 ? MixtureValue{1.0, 0.0, 0.0} : MixtureValue{0.0, 1.0, 0.0};
    }
    double cdf = clamp_to_unit((lower - c.below) / c.mass);
    double survival = clamp_to_unit((upper - c.above) / c.mass);
    if (c.side < 0) cdf = 1.0 - survival;
    if (c.side > 0) survival = 1.0 - cdf;
    return {cdf, survival, finite_or_0(density / c.mass)};
  }

  static double clamp_to_unit(double p) { return std::fmin(std::fmax(p, 0.0), 1.0); }
  // 0 times infinity, far out.
  static double finite_or_0(double density) { return density < INFINITY ? density : 0.0; }

  const MixtureNodes& nodes_;
  Eigen::VectorXd location_, inverse_scale_, weights_;
  std::vector<Component> components_;
  std::vector<Origin> origins_;
  std::vector<char> whole_;  // blocks of which no node is truncated
  mutable Eigen::ArrayXd u_, slope_, x_;
  mutable long evaluations_ = 0;
};

}  // namespace btg
