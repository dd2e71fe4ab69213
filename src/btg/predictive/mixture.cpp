#include "btg/predictive/mixture.hpp"

#include <algorithm>
#include <cstddef>

#include "btg/numerics/log_sum_exp.hpp"

namespace btg {

ModelNodes::ModelNodes(const Composition& g_, const Eigen::MatrixXd& lambda_, double shift_,
                       double scale_)
    : g(g_), lambda(lambda_), shift(shift_), scale(scale_) {
  for (Eigen::Index i = 0; i < lambda.cols(); ++i) {
    const Interval domain = g.domain(lambda.col(i).data());
    domains.push_back({shift + scale * domain.lower, shift + scale * domain.upper});
    images.push_back(g.image(lambda.col(i).data()));
    common.lower = std::max(common.lower, domains.back().lower);
    common.upper = std::min(common.upper, domains.back().upper);
  }
}

double ModelNodes::inverse(int i, double z) const {
  const double inside = std::fmin(std::fmax(z, images[i].lower), images[i].upper);
  const double y = shift + scale * g.inverse(inside, parameters(i));
  return std::fmin(std::fmax(y, domains[i].lower), domains[i].upper);
}

MixtureNodes::MixtureNodes(const StudentT& t_, const std::vector<ModelNodes>& models_,
                           const Compute* compute_)
    : t(t_), models(models_), compute(compute_), support{INFINITY, -INFINITY} {
  for (const ModelNodes& model : models) {
    size += model.size();
    for (const Interval& domain : model.domains) {
      support.lower = std::min(support.lower, domain.lower);
      support.upper = std::max(support.upper, domain.upper);
    }
  }
}

Mixture::Mixture(const MixtureNodes& nodes, const Eigen::VectorXd& location,
                 const Eigen::VectorXd& scale, const Eigen::VectorXd& weights,
                 const Eigen::VectorXd& noise)
    : nodes_(nodes),
      location_(location),
      inverse_scale_(scale.cwiseInverse()),
      weights_(weights),
      noise_(noise),
      u_(nodes.size),
      slope_(nodes.size),
      x_(nodes.size) {
  components_.reserve(nodes.size);
  origins_.reserve(nodes.size);
  int i = 0;
  for (const ModelNodes& model : nodes.models) {
    bool whole = true;
    for (int k = 0; k < model.size(); ++k, ++i) {
      components_.push_back(make_component(location[i], scale[i], model.images[k]));
      origins_.push_back({&model, k});
      whole = whole && components_.back().mass == 1.0;
    }
    whole_.push_back(whole);
  }
}

MixtureValue Mixture::evaluate(double y) const {
  ++evaluations_;
  MixtureValue total{0.0, 0.0, 0.0};
  int first = 0;
  for (std::size_t b = 0; b < nodes_.models.size(); ++b) {
    const ModelNodes& model = nodes_.models[b];
    const bool together = nodes_.compute && whole_[b] && model.common.contains(y);
    if (!together || !add_whole_model(model, first, y, total)) {
      for_each_in_model(model, first, y,
                        [&](int i, const MixtureValue& part) { add(i, part, total); });
    }
    first += model.size();
  }
  return total;
}

double Mixture::log_density(double y) const {
  if (negative_mass() > 0.0) return std::log(std::fmax(evaluate(y).density, 0.0));
  Eigen::VectorXd terms = Eigen::VectorXd::Constant(size(), -INFINITY);
  for (int i = 0; i < size(); ++i) {
    const Component& c = components_[i];
    const ModelNodes& model = *origins_[i].model;
    if (!model.domains[origins_[i].index].contains(y) || !(c.mass > 0.0)) continue;
    const Jet g = model.g.jet((y - model.shift) / model.scale, model.parameters(origins_[i].index));
    terms[i] = std::log(weights_[i]) + nodes_.t.log_density((g.value - c.location) / c.scale) +
               g.log_derivative - std::log(c.scale * c.mass * model.scale);
  }
  return log_sum_exp(terms);
}

double Mixture::component_quantile(int i, double p, double t_quantile) const {
  const Component& c = components_[i];
  const Origin& origin = origins_[i];
  if (!(c.mass > 0.0)) {
    const Interval& domain = origin.model->domains[origin.index];
    return c.side < 0 ? domain.lower : domain.upper;
  }
  double x = t_quantile;
  if (c.mass < 1.0) {
    const double below = c.below + p * c.mass, above = c.above + (1.0 - p) * c.mass;
    x = below < above ? -nodes_.t.upper_quantile(below) : nodes_.t.upper_quantile(above);
  }
  return origin.model->inverse(origin.index, c.location + c.scale * x);
}

double Mixture::lost_mass() const {
  double kept = 0.0;
  for (int i = 0; i < size(); ++i) kept += weights_[i] * components_[i].mass;
  return std::fmax(0.0, 1.0 - kept);
}

double Mixture::cdf_error(double y, double p, const Eigen::VectorXd& variances) const {
  double sum = 0.0;
  for_each_component(y, [&](int i, const MixtureValue& part) {
    sum += variances[i] * (part.cdf - p) * (part.cdf - p);
  });
  return std::sqrt(sum);
}

Eigen::MatrixX2d Mixture::components_at(double y) const {
  Eigen::MatrixX2d values(size(), 2);
  for_each_component(y, [&](int i, const MixtureValue& part) {
    values(i, 0) = part.cdf;
    values(i, 1) = part.density;
  });
  return values;
}

Mixture::Component Mixture::make_component(double location, double scale,
                                           const Interval& image) const {
  Component c{location, scale, 1.0 / scale, 0.0, 0.0, 1.0, 0};
  if (std::isinf(image.lower) && std::isinf(image.upper)) return c;
  const double lower = (image.lower - location) / scale;
  const double upper = (image.upper - location) / scale;
  c.below = nodes_.t.cdf(lower);
  c.above = nodes_.t.cdf(-upper);
  // Takes the tail difference on the side where it does not cancel.
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

void Mixture::advance(const ModelNodes& model, double y) const {
  u_.head(model.size()).setConstant((y - model.shift) / model.scale);
  slope_.head(model.size()).setConstant(1.0 / model.scale);
  model.g.advance(model.size(), model.lambda.data(), u_.data(), slope_.data());
}

bool Mixture::add_whole_model(const ModelNodes& model, int first, double y,
                              MixtureValue& total) const {
  advance(model, y);
  const btg_compute::TMixture part = nodes_.compute->mix_t(
      nodes_.t.table(), model.size(), u_.data(), slope_.data(), location_.data() + first,
      inverse_scale_.data() + first, weights_.data() + first, x_.data());
  if (part.far < 0) return false;
  total.cdf += part.cdf;
  total.survival += part.survival;
  total.density += part.density;
  for (int k = 0, left = part.far; left > 0 && k < model.size(); ++k) {
    if (std::abs(x_[k]) < nodes_.t.table().end * (1.0 - 1e-15)) continue;
    add(first + k, evaluate_component(components_[first + k], u_[k], slope_[k]), total);
    --left;
  }
  return true;
}

void Mixture::add(int i, const MixtureValue& part, MixtureValue& total) const {
  total.cdf += weights_[i] * part.cdf;
  total.survival += weights_[i] * part.survival;
  total.density += weights_[i] * part.density;
}

MixtureValue Mixture::evaluate_apart(int i, double y) const {
  const ModelNodes& model = *origins_[i].model;
  const int k = origins_[i].index;
  if (!(y > model.domains[k].lower)) return {0.0, 1.0, 0.0};
  if (!(y < model.domains[k].upper)) return {1.0, 0.0, 0.0};
  const Jet g = model.g.jet((y - model.shift) / model.scale, model.parameters(k));
  return evaluate_component(components_[i], g.value, std::exp(g.log_derivative) / model.scale);
}

MixtureValue Mixture::evaluate_component(const Component& c, double u, double slope) const {
  const double x = (u - c.location) * c.inverse_scale;
  const StudentT::TailDensity f = nodes_.t.tail_and_density(std::abs(x));
  const double density = f.density * slope * c.inverse_scale;
  // A lookup instead of a branch, which would be unpredictable.
  const double sides[] = {f.tail, 1.0 - f.tail};
  const double lower = sides[x >= 0.0], upper = sides[x < 0.0];
  if (c.mass == 1.0) return {lower, upper, finite_or_0(density)};
  return truncate(c, lower, upper, density);
}

MixtureValue Mixture::truncate(const Component& c, double lower, double upper, double density) {
  if (!(c.mass > 0.0)) {  // all mass at an end of the image
    return c.side < 0 ? MixtureValue{1.0, 0.0, 0.0} : MixtureValue{0.0, 1.0, 0.0};
  }
  double cdf = clamp_to_unit((lower - c.below) / c.mass);
  double survival = clamp_to_unit((upper - c.above) / c.mass);
  if (c.side < 0) cdf = 1.0 - survival;
  if (c.side > 0) survival = 1.0 - cdf;
  return {cdf, survival, finite_or_0(density / c.mass)};
}

}  // namespace btg
