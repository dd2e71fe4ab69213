// The standard normal distribution on an interval, accurate in far tails and for narrow intervals.
#pragma once

namespace btg {

// log(Phi(b) - Phi(a)) for a <= b, which may be infinite; -Inf if a = b.
double log_normal_mass(double a, double b);

// The normal on [a, b]: the log of its mass, and the densities at both ends divided by the mass.
struct NormalInterval {
  double log_mass;
  double lower_density, upper_density;

  // Mean and variance of the truncated normal. With densities p and P at the ends,
  //   mean = p - P,   variance = 1 + a p - b P - mean^2.
  double mean() const { return lower_density - upper_density; }
  double variance(double a, double b) const;
};
NormalInterval normal_interval(double a, double b);

// Solves Phi(x) - Phi(a) = u (Phi(b) - Phi(a)) for x in [a, b], with 0 < u < 1.
double truncated_normal_quantile(double u, double a, double b);

// log P(a <= T <= b) for Student's t with `degrees_of_freedom`, which may be infinite.
double log_t_mass(double a, double b, double degrees_of_freedom);

}  // namespace btg
