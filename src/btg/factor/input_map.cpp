#include "btg/factor/input_map.hpp"

#include <cmath>

namespace btg {

namespace {

// cosh(t/2), s(t) = sinh(t/2) / t, and s'(t) / t, by series near 0, where the last cancels.
struct Hyperbolic {
  double c, s, slope;
};

Hyperbolic hyperbolic(double u, double v) {
  const double t = std::hypot(u, v), t2 = t * t;
  const double c = std::cosh(0.5 * t);
  if (t < 0.1) {
    return {c, 0.5 + t2 * (1.0 / 48 + t2 * (1.0 / 3840 + t2 / 645120)),
            1.0 / 24 + t2 * (1.0 / 960 + t2 * (1.0 / 107520 + t2 / 23224320))};
  }
  const double s = std::sinh(0.5 * t) / t;
  return {c, s, (0.5 * c - s) / t2};
}

Eigen::Matrix2d traceless(double u, double v) {
  Eigen::Matrix2d t;
  t << u, v, v, -u;
  return t;
}

}  // namespace

Eigen::Matrix2d InputMap::matrix() const {
  const Hyperbolic h = hyperbolic(u, v);
  return h.c * Eigen::Matrix2d::Identity() - h.s * traceless(u, v);
}

std::array<Eigen::Matrix2d, 2> InputMap::slopes() const {
  const Hyperbolic h = hyperbolic(u, v);
  const Eigen::Matrix2d t = traceless(u, v);
  const Eigen::Matrix2d inverse = h.c * Eigen::Matrix2d::Identity() + h.s * t;
  // dc/du = s u / 2 and ds/du = slope u, from dt/du = u / t.
  const auto slope = [&](double x, const Eigen::Matrix2d& dt) -> Eigen::Matrix2d {
    const Eigen::Matrix2d da =
        0.5 * h.s * x * Eigen::Matrix2d::Identity() - h.slope * x * t - h.s * dt;
    const Eigen::Matrix2d g = da * inverse;
    return 0.5 * (g + g.transpose());
  };
  return {slope(u, traceless(1.0, 0.0)), slope(v, traceless(0.0, 1.0))};
}

void InputMap::apply(Eigen::MatrixXd& points) const {
  const Eigen::MatrixXd images = points.middleCols<2>(column) * matrix();  // A = A'
  points.middleCols<2>(column) = images;
}

}  // namespace btg
