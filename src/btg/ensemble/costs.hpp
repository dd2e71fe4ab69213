// Roughly how long loops take, in nanoseconds: enough for a progress bar to move evenly.
#pragma once

#include <Eigen/Core>

#include "btg/model/model.hpp"
#include "btg/node/evaluate.hpp"
#include "btg/predictive/answers.hpp"

namespace btg {

constexpr double flop = 0.1;

inline double cost_of_nodes(const Model& model, const Eigen::MatrixXd& etas, double flops_each) {
  return flop * flops_each * static_cast<double>(group_nodes(model, etas).size());
}

inline double cost_of_factor(const Model& model) {
  return model.factor_method->factor_cost(static_cast<double>(model.site_count()));
}

// Of predict_latent, with or without factors that were kept.
inline double cost_of_latent(const Model& model, const Eigen::MatrixXd& etas, double points,
                             bool kept) {
  const double n = static_cast<double>(model.site_count());
  return cost_of_nodes(
      model, etas,
      (kept ? 0.0 : cost_of_factor(model)) + points * model.factor_method->cross_cost(n));
}

// Of leave_out.
inline double cost_of_leave_out(const Model& model, const Eigen::MatrixXd& etas) {
  const double n = static_cast<double>(model.site_count());
  return cost_of_nodes(model, etas, cost_of_factor(model) + model.factor_method->project_cost(n));
}

// Of ask_mixtures.
inline double cost_of_answers(const std::vector<Inquiry>& inquiries, double points, double nodes) {
  double each = 0.0;
  for (const Inquiry& inquiry : inquiries) {
    each += inquiry.question->cost * static_cast<double>(inquiry.at.cols());
  }
  return each * points * nodes;
}

}  // namespace btg
