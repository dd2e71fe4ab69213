#include "btg/predictive/noisy_mean.hpp"

#include <algorithm>
#include <cmath>

#include "btg/numerics/normal.hpp"
#include "btg/numerics/one_dimensional.hpp"

namespace btg {

namespace {

// Probability beyond this many standard deviations is neglected.
constexpr double far = 7.5;

// A panel has this many points. A response that needs more panels is not tabulated.
constexpr int per_panel = 8, most_panels = 80;

const OneDimensionalRule& panel_rule() {
  static const OneDimensionalRule rule = gauss_legendre(per_panel);
  return rule;
}

// With e = (z - f) / sd, the integral of h(e) phi(e) and of e h(e) phi(e), which is sd times the
// derivative of the former in f.
struct Integral {
  double value = 0.0, slope = 0.0;

  void add(double weight, double e) {
    value += weight;
    slope += weight * e;
  }
  void add_constant(double h, double a, double b) {
    if (!(a < b)) return;
    value += h * normal_mass(a, b);
    slope += h * (normal_density(a) - normal_density(b));
  }
};

// The distribution of e given f and sd: the ends of the image, and where the response is censored.
struct NoiseRange {
  NoiseRange(const CensoredInverse& response, double f, double sd)
      : lower((response.image().lower - f) / sd),
        upper((response.image().upper - f) / sd),
        floor((response.at_floor() - f) / sd),
        ceiling((response.at_ceiling() - f) / sd) {}

  bool is_outside() const { return lower > far || upper < -far; }
  bool is_smooth() const { return floor < -far && ceiling > far; }

  // Adds the constant parts, and divides by the mass inside the image.
  NoisyMean finish(const CensoredInverse& response, Integral sum, double sd) const {
    const Censoring& censoring = response.censoring();
    if (response.constant_below()) sum.add_constant(censoring.floor, lower, floor);
    sum.add_constant(censoring.ceiling, ceiling, upper);
    Integral mass;
    mass.add_constant(1.0, lower, upper);
    const double value = sum.value / mass.value;
    return {value, (sum.slope - value * mass.slope) / mass.value / sd};
  }

  double lower, upper, floor, ceiling;
};

}  // namespace

NoisyMean noisy_mean(const CensoredInverse& response, double f, double sd) {
  static const OneDimensionalRule hermite = gauss_hermite(16), legendre = gauss_legendre(32);
  const NoiseRange range(response, f, sd);
  if (range.is_outside()) return {response.mean(f), 0.0};
  Integral sum;
  if (range.is_smooth()) {
    for (Eigen::Index k = 0; k < hermite.nodes.size(); ++k) {
      const double e = hermite.nodes[k];
      sum.add(hermite.weights[k] * response.mean(f + sd * e), e);
    }
    return {sum.value, sum.slope / sd};
  }
  const auto integrate = [&](double a, double b) {
    a = std::fmax(a, -far), b = std::fmin(b, far);
    for (Eigen::Index k = 0; a < b && k < legendre.nodes.size(); ++k) {
      const double e = a + (b - a) * legendre.nodes[k];
      sum.add((b - a) * legendre.weights[k] * normal_density(e) * response.mean(f + sd * e), e);
    }
  };
  if (!response.constant_below()) integrate(range.lower, range.floor);
  integrate(range.floor, range.ceiling);
  return range.finish(response, sum, sd);
}

NoisyMeans::NoisyMeans(const CensoredInverse& response, const Interval& f, const Interval& sd)
    : response_(response) {
  const double width = 2.5 * sd.lower;
  const double lowest = f.lower - far * sd.upper, highest = f.upper + far * sd.upper;
  if (!(highest - lowest < most_panels * width)) {
    tabulated_ = false;
    return;
  }
  const auto add = [&](double from, double to) {
    add_piece(std::fmax(from, lowest), std::fmin(to, highest), width);
  };
  if (!response.constant_below()) add(response.image().lower, response.at_floor());
  add(response.at_floor(), response.at_ceiling());
}

void NoisyMeans::add_piece(double from, double to, double width) {
  if (!(from < to)) return;
  const OneDimensionalRule& rule = panel_rule();
  const int panels = static_cast<int>(std::ceil((to - from) / width));
  Piece piece{from, (to - from) / panels, Eigen::ArrayXd(panels * per_panel),
              Eigen::ArrayXd(panels * per_panel)};
  for (int k = 0; k < panels * per_panel; ++k) {
    piece.z[k] = from + piece.width * (k / per_panel + rule.nodes[k % per_panel]);
    piece.value[k] = piece.width * rule.weights[k % per_panel] * response_.mean(piece.z[k]);
  }
  pieces_.push_back(piece);
}

NoisyMean NoisyMeans::at(double f, double sd) const {
  if (!tabulated_) return noisy_mean(response_, f, sd);
  const NoiseRange range(response_, f, sd);
  if (range.is_outside()) return {response_.mean(f), 0.0};
  Integral sum;
  for (const Piece& piece : pieces_) {
    const int panels = static_cast<int>(piece.z.size()) / per_panel;
    const auto panel_of = [&](double z) { return std::floor((z - piece.first) / piece.width); };
    const int first = static_cast<int>(std::fmax(panel_of(f - far * sd), 0.0));
    const int last = static_cast<int>(std::fmin(panel_of(f + far * sd), panels - 1.0));
    if (first > last) continue;
    const auto some = [&](const Eigen::ArrayXd& x) {
      return x.segment(first * per_panel, (last - first + 1) * per_panel);
    };
    const Eigen::ArrayXd e = (some(piece.z) - f) / sd;
    const Eigen::ArrayXd weight =
        (-0.5 * e.square()).exp() * some(piece.value) * (normal_density(0.0) / sd);
    sum.value += weight.sum();
    sum.slope += (weight * e).sum();
  }
  return range.finish(response_, sum, sd);
}

}  // namespace btg
