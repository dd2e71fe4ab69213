// A proper prior of one hyperparameter, as a density of the coordinate of integration: the log of a
// positive parameter, or a real parameter itself.
#pragma once

#include <cmath>
#include <memory>

#include "btg/base/constants.hpp"
#include "btg/base/parameter.hpp"
#include "btg/priors/family.hpp"

namespace btg {

inline double to_coordinate(double value, Scale scale) {
  return scale == Scale::positive ? std::log(value) : value;
}

inline double from_coordinate(double coordinate, Scale scale) {
  return scale == Scale::positive ? std::exp(coordinate) : coordinate;
}

class Prior {
 public:
  Prior(const PriorSpec& spec, Scale scale);

  // Log density of the coordinate; -Inf outside the bounds.
  double log_density(double coordinate) const;

  // The cdf and quantiles are on the natural scale.
  double cdf(double value) const;

  double quantile(double p) const;

  // Returns the coordinate at which the cdf equals the standard normal cdf at u. For u > 0 it uses
  // upper tails, because 1 - p would lose digits.
  double from_normal(double u) const;

  // d coordinate / d u of `from_normal`, the ratio of the two densities.
  double from_normal_slope(double u, double coordinate) const {
    return std::exp(-0.5 * (log_two_pi + u * u) - log_density(coordinate));
  }

 private:
  std::shared_ptr<const Family> family_;
  Scale scale_;
  double lower_, upper_;  // truncation, on the natural scale
  double below_;          // mass of the untruncated family below `lower_`
  double mass_;           // mass of the untruncated family between the bounds
};

}  // namespace btg
