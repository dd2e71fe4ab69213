// The peaks of a posterior, from which a proposal is built: its modes or, if the prior is a
// mixture, the modes given each component. A narrow component is a peak on top of wide ones, which
// the curvature at its mode does not show. Given one component, the posterior is nearly normal.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "btg/quadrature/modes.hpp"
#include "btg/quadrature/rule.hpp"

namespace btg {

struct Peak {
  Mode mode;
  Target target;  // the target of which it is a mode
  int family;     // equal for peaks from the same mode of the whole posterior
  bool of_part;   // given a component of the prior, else of the whole
};

// Bounds the precision of a posterior so that no axis is much longer than its prior's.
Eigen::MatrixXd floored(const Eigen::MatrixXd& precision, const Eigen::MatrixXd& prior);

// Adds the mode given each component of the prior, or the mode itself if that makes no difference.
void add_peaks(const Target& target, const Mode& mode, int family, std::vector<Peak>& peaks);

}  // namespace btg
