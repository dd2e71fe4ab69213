// The response given its transformed value at one node: g^-1, censored at a floor and a ceiling.
#pragma once

#include <cmath>

#include "btg/predictive/mixture.hpp"
#include "btg/transforms/transform.hpp"

namespace btg {

// Probability beyond floor and ceiling is moved to them, except for a share `open` of the
// probability below the floor.
struct Censoring {
  double floor = -INFINITY, ceiling = INFINITY;
  double open = 0.0;
};

class CensoredInverse {
 public:
  CensoredInverse(const Mixture::Origin& from, const Censoring& censoring)
      : from_(from), censoring_(censoring), image_(from.model->images[from.index]) {
    at_floor_ = latent(censoring.floor);
    at_ceiling_ = latent(censoring.ceiling);
  }

  const Interval& image() const { return image_; }
  const Censoring& censoring() const { return censoring_; }
  // The z at which g^-1 reaches the floor or the ceiling, or the nearest end of the image.
  double at_floor() const { return at_floor_; }
  double at_ceiling() const { return at_ceiling_; }
  // True if Y is the same for all z below, or above, these.
  bool constant_below() const { return censoring_.open == 0.0; }

  // E(Y | z) - origin.
  double mean(double z, double origin = 0.0) const {
    const double y = from_.model->inverse(from_.index, z);
    if (!(y < censoring_.floor)) return std::fmin(y, censoring_.ceiling) - origin;
    const double from_floor = censoring_.floor - origin;
    return constant_below() ? from_floor : from_floor + censoring_.open * (y - censoring_.floor);
  }

  // E((Y - origin)^2 | z), given mean(z, origin).
  double square(double mean, double origin) const {
    const double from_floor = censoring_.floor - origin;
    if (!(mean < from_floor)) return mean * mean;
    const double below = (mean - from_floor) / censoring_.open + from_floor;
    return from_floor * from_floor + censoring_.open * (below * below - from_floor * from_floor);
  }

 private:
  double latent(double y) const {
    const Interval& domain = from_.model->domains[from_.index];
    if (y <= domain.lower) return image_.lower;
    if (y >= domain.upper) return image_.upper;
    return from_.model->forward(from_.index, y);
  }

  Mixture::Origin from_;
  Censoring censoring_;
  Interval image_;
  double at_floor_, at_ceiling_;
};

}  // namespace btg
