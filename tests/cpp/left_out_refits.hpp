// Rows left out by refits with explicit inverses and determinants in long double, and how far a
// result is from them.
#pragma once

#include <string>
#include <vector>

#include "btg/validation/left_out.hpp"
#include "check.hpp"
#include "random_model.hpp"

namespace refits {

using btg::Folds;
using btg::FoldStatus;
using btg::LeftOut;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using problems::NaiveFit;
using problems::Random;
using problems::RandomModel;

// Rows `out` predicted from the others at eta, as the formulas read.
struct Refit {
  Refit(const RandomModel& problem, const VectorXd& eta, const std::vector<int>& out,
        bool observation);

  std::vector<double> location, scale;
  double log_marginal;
};

// The largest differences from refits at node i: locations relative to the larger of their size
// and the scale, scales relatively, log marginals as they are.
struct Errors {
  double location = 0.0, scale = 0.0, log_marginal = 0.0;
};

Errors errors(const RandomModel& problem, const VectorXd& eta, const Folds& folds,
              const LeftOut& left_out, int node, bool observation);

void check_errors(const Errors& e, double tolerance);

// With n rows exactly.
RandomModel random_problem_of(Random& random, const btg_compute::Kernel& kernel, int n, int p = 1,
                              const std::vector<std::string>& transform = {"boxcox"});

MatrixXd columns(const std::vector<VectorXd>& etas);

}  // namespace refits
