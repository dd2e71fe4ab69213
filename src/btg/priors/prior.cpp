#include "btg/priors/prior.hpp"

#include <limits>

#include "btg/base/error.hpp"
#include "btg/priors/registry.hpp"

namespace btg {

Prior::Prior(const PriorSpec& spec, Scale scale)
    : family_(make_family(spec)), scale_(scale), lower_(spec.lower), upper_(spec.upper) {
  if (scale == Scale::positive) lower_ = std::fmax(lower_, 0.0);
  below_ = family_->cdf(lower_);
  mass_ = family_->cdf(upper_) - below_;
  // Also tests the bounds, because x87 rounding can give an empty interval positive mass.
  if (!(lower_ < upper_ && mass_ > 0.0)) {
    throw Error("prior", "A \"" + spec.family + "\" prior has no mass between its bounds.");
  }
}

double Prior::log_density(double coordinate) const {
  const double value = from_coordinate(coordinate, scale_);
  if (!(value >= lower_ && value <= upper_)) return -std::numeric_limits<double>::infinity();
  const double log_jacobian = scale_ == Scale::positive ? coordinate : 0.0;
  return family_->log_density(value) + log_jacobian - std::log(mass_);
}

double Prior::cdf(double value) const {
  if (value <= lower_) return 0.0;
  return value >= upper_ ? 1.0 : std::fmin((family_->cdf(value) - below_) / mass_, 1.0);
}

double Prior::quantile(double p) const {
  const double above = std::fmax(1.0 - below_ - mass_, 0.0);
  const double value = p <= 0.5 ? family_->quantile(below_ + mass_ * p)
                                : family_->upper_quantile(above + mass_ * (1.0 - p));
  return std::fmin(std::fmax(value, lower_), upper_);
}

double Prior::from_normal(double u) const {
  const double above = std::fmax(1.0 - below_ - mass_, 0.0);
  const double tail = 0.5 * std::erfc(std::abs(u) / sqrt_two);
  const double value = u <= 0.0 ? family_->quantile(below_ + mass_ * tail)
                                : family_->upper_quantile(above + mass_ * tail);
  return to_coordinate(std::fmin(std::fmax(value, lower_), upper_), scale_);
}

}  // namespace btg
