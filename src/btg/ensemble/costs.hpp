// Roughly how long loops take, in nanoseconds: enough for a progress bar to move evenly.
#pragma once

#include <Eigen/Core>

#include "btg/model/model.hpp"
#include "btg/predictive/answers.hpp"

namespace btg {

constexpr double flop = 0.1;

inline double cost_of_nodes(const Model& model, const Eigen::MatrixXd& etas, double flops_each) {
  return flop * flops_each * static_cast<double>(group_nodes(model, etas).size());
}

inline double cost_of_factor(const Model& model) {
  const double n = static_cast<double>(model.inputs.rows());
  return n * n * (n / 3.0 + 20.0);  // and its kernel matrix
}

// Of predict_latent.
inline double cost_of_latent(const Model& model, const Eigen::MatrixXd& etas, double points) {
  const double n = static_cast<double>(model.inputs.rows());
  return cost_of_nodes(model, etas, cost_of_factor(model) + points * n * (n + 20.0));
}

// Of leave_out.
inline double cost_of_leave_out(const Model& model, const Eigen::MatrixXd& etas) {
  return cost_of_nodes(model, etas, 3.0 * cost_of_factor(model));
}

// Of ask_mixtures.
inline double cost_of_answers(Question question, double points, double columns, double nodes) {
  double each = 10.0;  // of one evaluation of a node
  switch (question) {
    case Question::quantile:
    case Question::draw:
      each = 80.0;
      break;
    case Question::moments:
    case Question::mode:
    case Question::crps:
    case Question::shortest:
      each = 1000.0;
      break;
    default:
      break;
  }
  return each * points * columns * nodes;
}

}  // namespace btg
