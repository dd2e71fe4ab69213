// Terms of low rank in a block factor: groups and linear functions are exact, with any neighbours.
#include <vector>

#include "block_models.hpp"
#include "btg/base/error.hpp"
#include "btg/factor/low_rank.hpp"
#include "check.hpp"

using namespace blocks;
using btg::Form;
using problems::TermPlan;

namespace {

RandomModel model_of(Random& random, const std::vector<TermPlan>& plan, int n) {
  RandomModel made =
      problems::random_model(random, problems::kernels()[1], Form::radial, {"boxcox"}, 2);
  problems::set_terms(random, plan, n, made);
  return made;
}

Model with_blocks_of(const Model& model, const VectorXd& eta, const BlockOptions& options) {
  std::vector<btg::Levels> groups;
  for (const btg::Term& term : model.terms) {
    const int column = term.first + term.columns - 1;
    if (term.grouped) {
      groups.push_back({column, static_cast<int>(model.inputs.col(column).maxCoeff()), 2.0});
    }
  }
  Model result = model;
  result.factor_method = std::make_shared<btg::BlockMethod>(std::make_shared<btg::BlockStructure>(
      model.inputs, btg::space_of(model.covariance(eta.data()), groups), options));
  return result;
}

const std::vector<TermPlan> of_low_rank = {
    {Form::constant, 0, 5, 0}, {Form::linear, 2, 0, 0}, {Form::linear, 1, 3, 0}};
const std::vector<TermPlan> mixed = {{Form::radial, 2, 0, 1},
                                     {Form::constant, 0, 5, 0},
                                     {Form::linear, 2, 0, 0},
                                     {Form::additive, 2, 3, 1}};

}  // namespace

TEST("the functions of low rank sum to their terms") {
  Random random(1);
  const RandomModel made = model_of(random, of_low_rank, 30);
  const VectorXd eta = made.random_eta(random);
  const btg::Covariance covariance = made.model.covariance(eta.data());
  const MatrixXd& x = made.model.inputs;
  const auto functions = btg::low_rank_functions(covariance, x.transpose());
  CHECK(functions.size() == 5 + 2 + 3);
  MatrixXd sum = MatrixXd::Zero(30, 30);
  for (const btg::LowRankFunction& f : functions) {
    const VectorXd values = btg::low_rank_values(covariance, f, x);
    sum += values * values.transpose();
  }
  check_close(sum, made.correlation(x, eta), 1e-14);
}

TEST("terms of low rank alone are exact without neighbours") {
  Random random(2);
  const RandomModel made = model_of(random, of_low_rank, 40);
  const VectorXd eta = made.random_eta(random);
  for (const BlockOptions& options : {BlockOptions{0, 4, 0, 0}, BlockOptions{3, 6, 7, 1}}) {
    check_same_model(with_blocks_of(made.model, eta, options), made.model, eta, random, 1e-9);
  }
}

TEST("a sum of terms has the dense factor with all neighbours, or all sites inducing") {
  Random random(3);
  const RandomModel made = model_of(random, mixed, 45);
  const VectorXd eta = made.random_eta(random);
  for (const BlockOptions& options :
       {BlockOptions{45, 6, 0, 1}, BlockOptions{60, 6, 9, 2}, BlockOptions{8, 6, 45, 1}}) {
    check_same_model(with_blocks_of(made.model, eta, options), made.model, eta, random, 1e-8);
  }
}

TEST("with few neighbours the gradient is that of the likelihood") {
  Random random(4);
  const RandomModel made = model_of(random, mixed, 60);
  const VectorXd eta = made.random_eta(random);
  for (const BlockOptions& options : few) {
    const Model model = with_blocks_of(made.model, eta, options);
    const VectorXd gradient = btg::evaluate_gradient(model, eta.data()).gradient;
    for (int j = 0; j < model.size(); ++j) {
      const bool positive = model.hyperparameters[j].scale == btg::Scale::positive;
      const auto value = [&](double by) {
        VectorXd moved = eta;
        moved[j] = positive ? eta[j] * std::exp(by) : eta[j] + by;
        return evaluate_one(model, moved);
      };
      CHECK_CLOSE(gradient[j], problems::difference(value, 0.0, 1e-3), 1e-7);
    }
  }
}

TEST("too many groups are refused") {
  Random random(5);
  const RandomModel made =
      model_of(random, {{Form::radial, 1, 0, 1}, {Form::linear, 2, 260, 0}}, 2000);
  const VectorXd eta = made.random_eta(random);
  const Model model = with_blocks_of(made.model, eta, {5, 10, 5, 0});
  CHECK_THROWS(btg::kernel_node(model, eta.data()), btg::Error);
}
