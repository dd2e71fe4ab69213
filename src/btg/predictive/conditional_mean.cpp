#include "btg/predictive/conditional_mean.hpp"

#include <algorithm>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "btg/numerics/normal.hpp"
#include "btg/numerics/one_dimensional.hpp"
#include "btg/predictive/moments.hpp"
#include "btg/predictive/noisy_mean.hpp"
#include "btg/predictive/omega_rule.hpp"

namespace btg {

namespace {

// Knots of x at equal steps, for moments by the trapezoidal rule, which is spectrally accurate.
constexpr double step = 0.75;
constexpr int reach = 9;

bool is_at_step(double x) { return std::abs(x / step - std::round(x / step)) < 1e-12; }

// Solves cdf(v) = p between two values.
template <class Cdf>
double invert(Cdf cdf, double p, double lower, double upper) {
  const double least = cdf(lower), most = cdf(upper);
  if (!(lower < upper) || least >= p) return lower;
  if (most <= p) return upper;
  std::uintmax_t steps = 100;
  const double width = 1e-12 * (upper - lower);
  const std::pair<double, double> bracket = boost::math::tools::toms748_solve(
      [&](double v) { return cdf(v) - p; }, lower, upper, least - p, most - p,
      [&](double a, double b) { return b - a <= width; }, steps);
  return 0.5 * (bracket.first + bracket.second);
}

}  // namespace

// Sums of weights, and of weights times mu - origin and its square.
struct ConditionalMean::Sums {
  double origin;
  double zero = 0.0, first = 0.0, second = 0.0;

  void add(double weight, double mu) {
    zero += weight;
    first += weight * (mu - origin);
    second += weight * (mu - origin) * (mu - origin);
  }
};

// The process and the noise at a node, given omega.
struct GivenOmega {
  const CensoredInverse& response;
  const NoisyMeans* means;  // null without noise
  double location, process, noise;
  bool truncated;

  double f(double x) const { return location + process * x; }

  // mu, and its derivative in x.
  NoisyMean mu(double x) const {
    if (means) {
      const NoisyMean mean = means->at(f(x), noise);
      return {mean.value, process * mean.slope};
    }
    const double apart = 1e-4;
    const double rise = response.mean(f(x + apart)) - response.mean(f(x - apart));
    return {response.mean(f(x)), rise / (2.0 * apart)};
  }

  // dmu / dlog noise.
  double noise_slope(double x) const {
    const double apart = 1e-3;
    if (!means) return 0.0;
    return (means->at(f(x), noise * (1.0 + apart)).value -
            means->at(f(x), noise * (1.0 - apart)).value) /
           (2.0 * apart);
  }

  // P(g(Y) inside the image | x).
  double inside(double x) const {
    if (!truncated) return 1.0;
    const double lower = response.image().lower - f(x), upper = response.image().upper - f(x);
    if (noise > 0.0) return normal_mass(lower / noise, upper / noise);
    return lower <= 0.0 && upper >= 0.0 ? 1.0 : 0.0;
  }

  double probability_inside(double a, double b) const {
    static const OneDimensionalRule rule = gauss_legendre(8);
    double sum = 0.0;
    for (Eigen::Index k = 0; k < rule.nodes.size(); ++k) {
      const double x = a + (b - a) * rule.nodes[k];
      sum += rule.weights[k] * normal_density(x) * inside(x);
    }
    return (b - a) * sum;
  }

  // Adds knots where mu is not smooth without noise to the equal steps.
  std::vector<double> knots() const {
    std::vector<double> x;
    for (int j = -reach; j <= reach; ++j) x.push_back(step * j);
    for (const double z : {response.image().lower, response.image().upper, response.at_floor(),
                           response.at_ceiling()}) {
      const double at = (z - location) / process;
      if (std::abs(at) < reach * step) x.push_back(at);
    }
    std::sort(x.begin(), x.end());
    return x;
  }
};

namespace {

double process_scale(const Mixture& mixture, int i) {
  const double total = mixture.component(i).scale, noise = mixture.noise(i);
  return std::sqrt(std::fmax(total * total - noise * noise, 1e-14 * total * total));
}

// Nearly all mass of the node is at an end of the image.
bool is_at_end(const Mixture& mixture, int i) { return mixture.component(i).mass < 1e-8; }

// Calls visit(given, weight) for all omega.
template <class Visit>
void for_each_omega(const Mixture& mixture, int i, const CensoredInverse& response,
                    const OmegaRule& rule, Visit visit) {
  const Mixture::Component& c = mixture.component(i);
  const double process = process_scale(mixture, i), noise = mixture.noise(i);
  const double longest = 1.0 / std::sqrt(rule.omega.front());
  const double shortest = 1.0 / std::sqrt(rule.omega.back());
  const double farthest = step * reach * process * longest;
  const NoisyMeans means(response, {c.location - farthest, c.location + farthest},
                         {noise * shortest, noise * longest});
  for (std::size_t k = 0; k < rule.omega.size(); ++k) {
    const double root = std::sqrt(rule.omega[k]);
    visit(GivenOmega{response, noise > 0.0 ? &means : nullptr, c.location, process / root,
                     noise / root, c.mass < 1.0},
          rule.weight[k]);
  }
}

}  // namespace

ConditionalMean::ConditionalMean(const Mixture& mixture, const Censoring& censoring)
    : mixture_(mixture),
      censoring_(censoring),
      scale_{std::fmax(mixture.nodes().support.lower,
                       censoring.open > 0.0 ? -INFINITY : censoring.floor) >= 0.0} {
  const OmegaRule rule(mixture.nodes().t.degrees_of_freedom());
  Sums sums{CensoredInverse(mixture.origin(0), censoring).mean(mixture.component(0).location)};
  for (int i = 0; i < mixture.size(); ++i) {
    if (mixture.weights()[i] != 0.0) add_node(i, rule, sums);
  }
  const double mean = sums.first / sums.zero;
  const bool exists = moment_exists(mixture, censoring, 2);
  variance_ = exists ? std::fmax(sums.second / sums.zero - mean * mean, 0.0) : NAN;
}

void ConditionalMean::add_node(int i, const OmegaRule& rule, Sums& sums) {
  const double weight = mixture_.weights()[i];
  const CensoredInverse response(mixture_.origin(i), censoring_);
  if (is_at_end(mixture_, i)) {
    const double mu = response.mean(mixture_.component(i).location);
    sums.add(weight, mu);
    tables_.push_back({weight, false, {scale_.from(mu)}, {0.0}, {0.0}, {0.0}, {1.0}});
    return;
  }
  Sums own{sums.origin};
  const std::size_t first = tables_.size();
  double total = 0.0;
  for_each_omega(mixture_, i, response, rule, [&](const GivenOmega& given, double share) {
    Sums here{sums.origin};
    tables_.push_back(make_table(given, here));
    tables_.back().weight *= share;
    total += tables_.back().weight;
    own.zero += share * here.zero;
    own.first += share * here.first;
    own.second += share * here.second;
  });
  for (std::size_t k = first; k < tables_.size(); ++k) tables_[k].weight *= weight / total;
  sums.zero += weight;
  sums.first += weight * own.first / own.zero;
  sums.second += weight * own.second / own.zero;
}

ConditionalMean::Table ConditionalMean::make_table(const GivenOmega& given, Sums& sums) const {
  const std::vector<double> knots = given.knots();
  Table table{1.0, given.truncated, {}, {}, {}, {}, {}};
  double below = normal_cdf(knots.front()) * given.inside(knots.front());
  for (std::size_t j = 0; j < knots.size(); ++j) {
    const double x = knots[j];
    const NoisyMean mu = given.mu(x);
    if (is_at_step(x)) sums.add(step * normal_density(x) * given.inside(x), mu.value);
    if (given.truncated && j > 0) below += given.probability_inside(knots[j - 1], x);
    const double v = scale_.from(mu.value);
    table.add(v, x, mu.slope / scale_.slope(v), below, given.inside(x));
  }
  if (given.truncated) {
    for (double& p : table.below) p /= below;
    table.weight = below;
  }
  table.limit_slopes();
  return table;
}

// Where mu is constant, at a floor or a ceiling, keeps the knot next to where it is not.
void ConditionalMean::Table::add(double at, double its_x, double its_slope, double its_below,
                                 double its_inside) {
  const bool constant = !v.empty() && !(at - v.back() > 1e-13 * (1.0 + std::abs(at)));
  if (constant && v.size() > 1) return;
  if (constant) {
    for (std::vector<double>* column : {&v, &x, &slope, &below, &inside}) column->pop_back();
  }
  v.push_back(at);
  x.push_back(its_x);
  slope.push_back(its_slope);
  below.push_back(its_below);
  inside.push_back(its_inside);
}

// A cubic whose slopes are at most 3 times the secants is monotone (Fritsch and Carlson 1980).
void ConditionalMean::Table::limit_slopes() {
  for (std::size_t j = 0; j < v.size(); ++j) {
    double least = INFINITY;
    if (j > 0) least = std::fmin(least, (v[j] - v[j - 1]) / (x[j] - x[j - 1]));
    if (j + 1 < v.size()) least = std::fmin(least, (v[j + 1] - v[j]) / (x[j + 1] - x[j]));
    slope[j] = std::fmin(std::fmax(slope[j], 0.0), 3.0 * least);
  }
}

// Solves for x between knots j and j + 1, where v is a cubic, by Newton steps inside a bracket.
double ConditionalMean::Table::x_between(std::size_t j, double at) const {
  const double h = x[j + 1] - x[j], rise = v[j + 1] - v[j];
  const double left = h * slope[j], right = h * slope[j + 1];
  double lower = 0.0, upper = 1.0, t = (at - v[j]) / rise;
  for (int k = 0; k < 30; ++k) {
    const double r = 1.0 - t;
    const double value = t * t * (3.0 - 2.0 * t) * rise + t * r * (r * left - t * right);
    const double miss = v[j] + value - at;
    if (std::abs(miss) <= 1e-10 * rise) break;
    (miss > 0.0 ? upper : lower) = t;
    const double derivative =
        6.0 * t * r * rise + r * (r - 2.0 * t) * left + t * (t - 2.0 * r) * right;
    const double next = t - miss / derivative;
    t = next > lower && next < upper ? next : 0.5 * (lower + upper);
  }
  return x[j] + h * t;
}

// P(mu <= at), with `at` on the scale of the table.
double ConditionalMean::Table::cdf(double at) const {
  const std::size_t n = v.size();
  if (n == 1) return at >= v[0] ? 1.0 : 0.0;
  const std::size_t right = std::upper_bound(v.begin(), v.end(), at) - v.begin();
  if (right == 0) return 0.0;
  if (right == n) return 1.0;
  const std::size_t j = right - 1;
  const double found = x_between(j, at);
  if (!truncated) return normal_cdf(found);
  // Between knots, the probability inside the image is taken as linear.
  const double b = (inside[right] - inside[j]) / (x[right] - x[j]), a = inside[j] - b * x[j];
  const auto mass = [&](double to) {
    return a * normal_mass(x[j], to) + b * (normal_density(x[j]) - normal_density(to));
  };
  const double all = mass(x[right]);
  return below[j] + (all > 0.0 ? mass(found) / all : 0.0) * (below[right] - below[j]);
}

double ConditionalMean::cdf_at(double v) const {
  if (v >= scale_.from(censoring_.ceiling)) return 1.0;
  if (v < scale_.from(censoring_.floor) && censoring_.open == 0.0) return 0.0;
  double sum = 0.0;
  for (const Table& table : tables_) sum += table.weight * table.cdf(v);
  return sum;
}

double ConditionalMean::quantile(double p) const {
  double lower = INFINITY, upper = -INFINITY;
  for (const Table& table : tables_) {
    lower = std::fmin(lower, table.v.front());
    upper = std::fmax(upper, table.v.back());
  }
  return scale_.to(invert([&](double v) { return cdf_at(v); }, p, lower, upper));
}

ConditionalMeanSlope::ConditionalMeanSlope(const Mixture& mixture, const Censoring& censoring,
                                           const ProcessSlope& slope) {
  const OmegaRule rule(mixture.nodes().t.degrees_of_freedom());
  for (int i = 0; i < mixture.size(); ++i) {
    const double weight = mixture.weights()[i];
    if (weight == 0.0 || is_at_end(mixture, i)) {
      parts_.push_back({weight, 0.0, 0.0});
      continue;
    }
    const CensoredInverse response(mixture.origin(i), censoring);
    const double process = process_scale(mixture, i), noise = mixture.noise(i);
    // f' given f has this mean and variance; s s' = s_f s_f' + s_v s_v'.
    const double by_x = slope.covariance[i] / process;
    const double variance = std::fmax(slope.variance[i] - by_x * by_x, 0.0);
    const double log_noise_slope =
        noise > 0.0
            ? (mixture.component(i).scale * slope.scale[i] - slope.covariance[i]) / (noise * noise)
            : 0.0;
    const std::size_t first = parts_.size();
    double total = 0.0;
    for_each_omega(mixture, i, response, rule, [&](const GivenOmega& given, double share) {
      const double widening = given.process / process;  // 1 / sqrt(omega)
      for (int j = -reach; j <= reach; ++j) {
        const double x = step * j, part = share * normal_density(x) * given.inside(x);
        const double by_process = given.mu(x).slope / given.process;
        const double of_noise =
            log_noise_slope == 0.0 ? 0.0 : given.noise_slope(x) * log_noise_slope;
        parts_.push_back({part, of_noise + by_process * (slope.location[i] + widening * by_x * x),
                          by_process * widening * std::sqrt(variance)});
        total += part;
      }
    });
    for (std::size_t k = first; k < parts_.size(); ++k) parts_[k].weight *= weight / total;
  }
}

double ConditionalMeanSlope::cdf(double y) const {
  double sum = 0.0;
  for (const Part& part : parts_) {
    sum += part.weight * (part.scale > 0.0     ? normal_cdf((y - part.location) / part.scale)
                          : y >= part.location ? 1.0
                                               : 0.0);
  }
  return sum;
}

double ConditionalMeanSlope::quantile(double p) const {
  double lower = INFINITY, upper = -INFINITY;
  for (const Part& part : parts_) {
    if (!(std::abs(part.weight) > 1e-9)) continue;
    lower = std::fmin(lower, part.location - 6.0 * part.scale);
    upper = std::fmax(upper, part.location + 6.0 * part.scale);
  }
  return invert([&](double y) { return cdf(y); }, p, lower, upper);
}

}  // namespace btg
