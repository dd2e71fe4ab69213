// The contract of a prior family: a distribution of a hyperparameter on its natural scale.
// `log_density` is -Inf outside the support.
#pragma once

namespace btg {

class Family {
 public:
  virtual ~Family() = default;
  virtual double log_density(double x) const = 0;
  virtual double cdf(double x) const = 0;
  virtual double quantile(double p) const = 0;
  virtual double upper_quantile(double p) const = 0;  // the point with mass p above it
};

}  // namespace btg
