// Student's t with one number of degrees of freedom, shared by all nodes of a fit.
#pragma once

#include <boost/math/distributions/students_t.hpp>

#include "policy.hpp"

namespace btg {

class StudentT {
 public:
  explicit StudentT(double degrees_of_freedom) : t_(degrees_of_freedom) {}

  double degrees_of_freedom() const { return t_.degrees_of_freedom(); }
  double density(double x) const { return boost::math::pdf(t_, x); }
  double cdf(double x) const { return boost::math::cdf(t_, x); }
  double quantile(double p) const { return boost::math::quantile(t_, p); }

 private:
  boost::math::students_t_distribution<double, MathPolicy> t_;
};

}  // namespace btg
