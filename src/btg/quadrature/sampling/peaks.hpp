// What a proposal is made of: modes, and where the prior is a mixture the modes given each of its
// parts. A narrow part is a peak on top of wide ones, which the curvature at its mode says nothing
// of; given a part, the posterior is nearly normal.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "btg/quadrature/modes.hpp"
#include "btg/quadrature/rule.hpp"

namespace btg {

struct Peak {
  Mode mode;
  Target target;  // whose posterior it is a mode of
  int family;     // those of one mode of the whole have the same
  bool of_part;   // given a part of the prior; else of the whole
};

// The precision of a posterior with no axis much longer than that of its prior.
Eigen::MatrixXd floored(const Eigen::MatrixXd& precision, const Eigen::MatrixXd& prior);

// The mode given each part of the prior, or the mode itself where that makes no difference.
void add_peaks(const Target& target, const Mode& mode, int family, std::vector<Peak>& peaks);

}  // namespace btg
