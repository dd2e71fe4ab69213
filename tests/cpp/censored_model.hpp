// Random models with censored rows, and their likelihood as an integral of that of complete data.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "random_model.hpp"

namespace problems {

// A model whose first row and third row lie in [below, y] and in [y, above].
RandomModel censored_model(Random& random, int p, double below, double above, int points);

// log of the integral over the intervals of the rows `integrated` of the density of the complete
// data, up to a constant. Rows `left_out` are not part of the data. Other censored rows have the
// latent responses of `eta`.
double integrated_marginal(const RandomModel& made, const Eigen::VectorXd& eta,
                           const std::vector<int>& integrated, const std::vector<int>& left_out);

}  // namespace problems
