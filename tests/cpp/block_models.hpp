// Models with a block factor beside those with a dense one, and what a block factor stands for.
#pragma once

#include <vector>

#include "btg/factor/block_factor.hpp"
#include "btg/model/folds.hpp"
#include "btg/node/gradient.hpp"
#include "btg/predictive/latent.hpp"
#include "btg/validation/left_out.hpp"
#include "check.hpp"
#include "random_model.hpp"

namespace blocks {

using btg::BlockOptions;
using btg::Model;
using btg_compute::Kernel;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using problems::NaiveFit;
using problems::Random;
using problems::RandomModel;

// `n` sites with rows of different weights, of which every third site has two if `replicated`.
RandomModel large_model(Random& random, const Kernel& kernel, btg::Form form, int n, int p,
                        bool replicated);

Model with_blocks(const Model& model, const BlockOptions& options);

double evaluate_one(const Model& model, const VectorXd& eta);

btg::Points random_points(Random& random, const Model& model, int count, int p);

void check_close(const MatrixXd& actual, const MatrixXd& expected, double tolerance);

void check_same_model(const Model& block, const Model& dense, const VectorXd& eta, Random& random,
                      double tolerance);

// body(model, eta, random) of dense models with all kernels.
template <class Body>
void for_each(int n, Body body) {
  Random random(3);
  int turn = 0;
  for (const Kernel& kernel : problems::kernels()) {
    for (const bool replicated : {false, true}) {
      const btg::Form form = turn % 3 == 1 ? btg::Form::product : btg::Form::radial;
      RandomModel made = large_model(random, kernel, form, n, 1 + turn % 3, replicated);
      if (turn % 4 == 3) made.model.likelihood = btg::Likelihood::profiled;
      ++turn;
      body(made, made.random_eta(random), random);
    }
  }
}

// The covariance of the sites that a factor stands for.
MatrixXd covariance_of(const btg::Factor& factor, int n);

// Of all rows.
MatrixXd covariance_of_rows(const Model& model, const btg::KernelNode& node);

inline const std::vector<BlockOptions> few = {
    {7, 5, 6, 1}, {10, 1, 0, 2}, {6, 8, 0, 3}, {4, 1, 9, 4}, {0, 5, 7, 5}};

}  // namespace blocks
