#include "btg/factor/input_space.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "btg/factor/low_rank.hpp"

namespace btg {

Eigen::MatrixXd InputSpace::coordinates(const Eigen::MatrixXd& points) const {
  Eigen::MatrixXd inputs = points;
  for (const InputMap& map : maps) map.apply(inputs);
  Eigen::Index columns = 0;
  for (Eigen::Index from = 0; from < inputs.cols(); ++from) {
    if (std::isinf(length_scales[from])) continue;
    const Levels* factor = levels_of(levels, from);
    columns += factor ? factor->count : 1;
  }
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(inputs.rows(), std::max<Eigen::Index>(columns, 1));
  Eigen::Index to = 0;
  for (Eigen::Index from = 0; from < inputs.cols(); ++from) {
    if (std::isinf(length_scales[from])) continue;
    const Levels* factor = levels_of(levels, from);
    if (!factor) {
      result.col(to++) = inputs.col(from) / length_scales[from];
      continue;
    }
    // Indicators of two levels differ in two coordinates.
    const double indicator = std::sqrt(0.5 * factor->squared_distance) / length_scales[from];
    for (Eigen::Index i = 0; i < inputs.rows(); ++i) {
      const auto code = static_cast<Eigen::Index>(inputs(i, from));
      if (code >= 1 && code <= factor->count) result(i, to + code - 1) = indicator;
    }
    to += factor->count;
  }
  return result;
}

InputSpace space_of(const Covariance& covariance, std::vector<Levels> factors) {
  Eigen::RowVectorXd scales = covariance.length_scales;
  for (const CovarianceTerm& term : covariance.terms) {
    const double times = is_low_rank(term) || term.share == 0.0
                             ? std::numeric_limits<double>::infinity()
                             : 1.0 / std::sqrt(term.share);
    scales.segment(term.first, term.columns) *= times;
  }
  return InputSpace(std::move(scales), std::move(factors), covariance.maps);
}

}  // namespace btg
