#include "btg/predictive/mixture_slopes.hpp"

#include <cmath>

#include "btg/numerics/student_t.hpp"
#include "btg/transforms/transform.hpp"

namespace btg {

namespace {

// Adds `times` the slopes of w_i F_i at u = g_i(y). T(x) has slopes -t(x) / s and -x t(x) / s. For
// a t truncated to (a, b), F = (T(x) - T(a)) / (T(b) - T(a)) has the slopes of
// (T(x) - (1 - F) T(a) - F T(b)) / (T(b) - T(a)) with F fixed.
void add_component_slopes(const Mixture& mixture, int i, double u, double times,
                          NodeSlopes& slopes) {
  const Mixture::Component& c = mixture.component(i);
  if (!(c.mass > 0.0)) return;
  const StudentT& t = mixture.nodes().t;
  const auto add_end = [&](double z, double share) {
    const double x = (z - c.location) * c.inverse_scale;
    if (!std::isfinite(x)) return;
    const double part = times * share * mixture.weights()[i] / c.mass * c.inverse_scale *
                        t.tail_and_density(std::abs(x)).density;
    slopes.location[i] -= part;
    slopes.scale[i] -= x * part;
  };
  add_end(u, 1.0);
  if (c.mass == 1.0) return;
  const double x = (u - c.location) * c.inverse_scale;
  const double cdf =
      c.side < 0 ? 1.0 - (t.cdf(-x) - c.above) / c.mass : (t.cdf(x) - c.below) / c.mass;
  const Mixture::Origin& origin = mixture.origin(i);
  const Interval& image = origin.model->images[origin.index];
  add_end(image.lower, cdf - 1.0);
  add_end(image.upper, -cdf);
}

}  // namespace

void add_cdf_slopes(const Mixture& mixture, double y, double times, NodeSlopes& slopes) {
  mixture.for_each_latent(
      y, [&](int i, double u) { add_component_slopes(mixture, i, u, times, slopes); });
}

}  // namespace btg
