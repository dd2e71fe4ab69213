#include "random_mixture.hpp"

#include <cmath>
#include <map>

namespace problems {

const btg::StudentT& student_t(double df) {
  static std::map<double, btg::StudentT> made;
  return made.try_emplace(df, df).first->second;
}

std::vector<std::vector<std::string>> mixture_transforms() {
  std::vector<std::vector<std::string>> transforms{
      {}, {"affine", "sinharcsinh"}, {"boxcox", "arcsinh"}, {"affine", "boxcox"}};
  for (const std::string& name : unbounded_transforms()) transforms.push_back({name});
  return transforms;
}

RandomMixture random_mixture(Random& random, const std::vector<std::string>& names, double df,
                             int most) {
  const btg::Composition g = btg::compose(names);
  const int size = static_cast<int>(std::pow(most + 0.99, random.uniform(0, 1)));
  const Eigen::MatrixXd lambda = random.matrix(g.size(), size, 0.2, 1.7);
  Eigen::VectorXd weights(size), location(size), scale(size);
  for (int i = 0; i < size; ++i) {
    weights[i] = std::pow(10, random.uniform(-12, 0));
    location[i] = g.forward(std::pow(10, random.uniform(-2, 2)), lambda.col(i).data());
    scale[i] = std::pow(10, random.uniform(-2.5, 0.5));
  }
  const std::string name = "df " + std::to_string(df) + (names.empty() ? "" : ", " + names[0]);
  return {name, btg::MixtureNodes(student_t(df), {btg::ModelNodes(g, lambda)}), location, scale,
          weights / weights.sum()};
}

bool make_signed(RandomMixture& problem) {
  Eigen::VectorXd weights = problem.weights;
  for (int i = 1; i < weights.size(); i += 3) weights[i] *= -0.5;
  if (weights.sum() < 0.2) return false;
  problem.weights = weights / weights.sum();
  return true;
}

bool inverts(const btg::Mixture& mixture, double q, double p, double tolerance) {
  if (std::isinf(q)) return (mixture.evaluate(q > 0 ? 1e100 : -1e100).cdf < p) == (q > 0);
  const double error = mixture.evaluate(q).cdf - p;
  if (std::abs(error) <= tolerance * std::fmin(p, 1 - p) + 1e-13) return true;
  const double step = std::fmax(1e-15 * std::abs(q) * (1 + std::asinh(std::abs(q))), 1e-299);
  return mixture.evaluate(q - step).cdf <= p && p <= mixture.evaluate(q + step).cdf;
}

}  // namespace problems
