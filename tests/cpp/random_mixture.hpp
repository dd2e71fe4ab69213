// Random predictive mixtures, and whether a quantile inverts one.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "btg/numerics/student_t.hpp"
#include "btg/predictive/mixture.hpp"
#include "btg/transforms/registry.hpp"
#include "problems.hpp"

namespace problems {

struct RandomMixture {
  std::string name;
  btg::MixtureNodes nodes;
  Eigen::VectorXd location, scale, weights;
  btg::Mixture mixture() const { return btg::Mixture(nodes, location, scale, weights); }
};

// Its table takes a while to make.
const btg::StudentT& student_t(double df);

std::vector<std::vector<std::string>> mixture_transforms();

// Up to `most` nodes around responses of 0.01 to 100, weights over 12 orders of magnitude.
RandomMixture random_mixture(Random& random, const std::vector<std::string>& names, double df,
                             int most = 200);

// Every third weight negative; false, and nothing done, if hardly anything would be left.
bool make_signed(RandomMixture& problem);

// F(q) = p to the tolerance, or F jumps over p within a few doubles (of asinh q) around
// q, or within 1e-299 of 0, where the solver stops. Infinite only if F has not reached p at 1e100.
bool inverts(const btg::Mixture& mixture, double q, double p, double tolerance);

}  // namespace problems
