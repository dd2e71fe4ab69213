// The predictive distribution at one point: a mixture over nodes of Student t distributions of
// g(Y), each truncated to the image of its transform.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <vector>

#include "btg/compute/compute.hpp"
#include "btg/numerics/student_t.hpp"
#include "btg/transforms/compose.hpp"
#include "btg/transforms/transform.hpp"

namespace btg {

// The nodes of one model. Its transform acts on (y - shift) / scale.
struct ModelNodes {
  ModelNodes(const Composition& g_, const Eigen::MatrixXd& lambda_, double shift_ = 0.0,
             double scale_ = 1.0);

  int size() const { return static_cast<int>(lambda.cols()); }
  const double* parameters(int i) const { return lambda.col(i).data(); }
  double forward(int i, double y) const { return g.forward((y - shift) / scale, parameters(i)); }

  // Clamps z to the image and the result to the domain, since rounding may leave either.
  double inverse(int i, double z) const;

  Composition g;
  Eigen::MatrixXd lambda;  // parameters of g, one column per node
  double shift, scale;
  std::vector<Interval> domains, images;
  Interval common;  // intersection of all domains
};

// The nodes of all models, in order, shared by the mixtures of all points. Without `compute`, they
// are evaluated one at a time.
struct MixtureNodes {
  MixtureNodes(const StudentT& t_, const std::vector<ModelNodes>& models_,
               const Compute* compute_ = nullptr);

  StudentT t;
  std::vector<ModelNodes> models;
  const Compute* compute;
  Interval support;  // the union of all domains
  int size = 0;
};

struct MixtureValue {
  double cdf;
  double survival;  // 1 - cdf, without cancellation
  double density;
};

// `weights` sum to 1. Rules with signed weights make some of them negative. `noise` is the part of
// each scale that is noise, in the sense that squares add; empty if there is none.
class Mixture {
 public:
  Mixture(const MixtureNodes& nodes, const Eigen::VectorXd& location, const Eigen::VectorXd& scale,
          const Eigen::VectorXd& weights, const Eigen::VectorXd& noise = {});

  int size() const { return static_cast<int>(components_.size()); }
  const Eigen::VectorXd& weights() const { return weights_; }
  const MixtureNodes& nodes() const { return nodes_; }
  double noise(int i) const { return noise_.size() > 0 ? noise_[i] : 0.0; }

  MixtureValue evaluate(double y) const;

  // Number of evaluations of the whole mixture.
  long evaluations() const { return evaluations_; }

  // Also finite where the density underflows, if all weights are positive.
  double log_density(double y) const;

  // f_i^-1(p) for 0 <= p <= 1. `t_quantile` is the t quantile at p, which serves every component
  // that is not truncated.
  double component_quantile(int i, double p, double t_quantile) const;

  // Predictive mass of the untruncated t distributions outside the images.
  double lost_mass() const;

  // sum |w_i| over the negative weights.
  double negative_mass() const { return -weights_.cwiseMin(0.0).sum(); }

  // sqrt(sum_i v_i (F_i(y) - p)^2), the standard error of F(y) = p as an importance sampling
  // estimate, where v_i is w_i^2 or its equivalent for several merged nodes.
  double cdf_error(double y, double p, const Eigen::VectorXd& variances) const;

  // Cdf and density of each component at y, one row per component.
  Eigen::MatrixX2d components_at(double y) const;

  // Calls visit(i, g_i(y)) for all nodes with y in their domains.
  template <class Visit>
  void for_each_latent(double y, Visit visit) const {
    int i = 0;
    for (const ModelNodes& model : nodes_.models) {
      const bool together = model.common.contains(y);
      if (together) advance(model, y);
      for (int k = 0; k < model.size(); ++k, ++i) {
        if (together)
          visit(i, u_[k]);
        else if (model.domains[k].contains(y))
          visit(i, model.forward(k, y));
      }
    }
  }

  struct Component {
    double location, scale, inverse_scale;
    double below, above;  // t mass on either side of the image
    double mass;          // t mass inside it
    int side;  // -1 if the image is in the upper half of the t, 1 if in the lower, else 0
  };
  const Component& component(int i) const { return components_[i]; }

  struct Origin {
    const ModelNodes* model;
    int index;  // in the model
  };
  const Origin& origin(int i) const { return origins_[i]; }

 private:
  Component make_component(double location, double scale, const Interval& image) const;

  // Calls visit(i, F_i(y)).
  template <class Visit>
  void for_each_component(double y, Visit visit) const {
    int first = 0;
    for (const ModelNodes& model : nodes_.models) {
      for_each_in_model(model, first, y, visit);
      first += model.size();
    }
  }

  // Evaluates all nodes of a model together if y is in all their domains.
  template <class Visit>
  void for_each_in_model(const ModelNodes& model, int first, double y, Visit visit) const {
    if (model.common.contains(y)) {
      advance(model, y);
      for (int k = 0; k < model.size(); ++k) {
        visit(first + k, evaluate_component(components_[first + k], u_[k], slope_[k]));
      }
    } else {
      for (int k = 0; k < model.size(); ++k) visit(first + k, evaluate_apart(first + k, y));
    }
  }

  // Computes u = g(y) and its slope at all nodes of a model.
  void advance(const ModelNodes& model, double y) const;

  // Adds a model without truncated nodes, for y in all their domains. Returns false if NaN occurs.
  bool add_whole_model(const ModelNodes& model, int first, double y, MixtureValue& total) const;

  void add(int i, const MixtureValue& part, MixtureValue& total) const;

  MixtureValue evaluate_apart(int i, double y) const;

  // At u = g(y), with slope g'(y).
  MixtureValue evaluate_component(const Component& c, double u, double slope) const;

  static MixtureValue truncate(const Component& c, double lower, double upper, double density);

  static double clamp_to_unit(double p) { return std::fmin(std::fmax(p, 0.0), 1.0); }
  // Far out, the density may be 0 times infinity.
  static double finite_or_0(double density) { return density < INFINITY ? density : 0.0; }

  const MixtureNodes& nodes_;
  Eigen::VectorXd location_, inverse_scale_, weights_, noise_;
  std::vector<Component> components_;
  std::vector<Origin> origins_;
  std::vector<char> whole_;  // models without truncated nodes
  mutable Eigen::ArrayXd u_, slope_, x_;
  mutable long evaluations_ = 0;
};

}  // namespace btg
