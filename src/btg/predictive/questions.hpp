// Every question that can be put to a predictive distribution, once: what it is asked at, the
// units of its answer, what it costs, and how it is answered. R asks this table too.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "btg/base/error.hpp"
#include "btg/predictive/functionals.hpp"
#include "btg/predictive/law.hpp"
#include "btg/predictive/partial_moment.hpp"

namespace btg {

enum class AskedAt { probability, response, level, nothing };

// Of an answer: a response itself; what is measured in units of it, in their square, or in their
// inverse, or the logarithm of that; and what has none.
enum class Unit { response, length, variance, density, log_density, probability };

struct Question {
  using Values = Eigen::RowVectorXd;

  std::string name;
  AskedAt asked_at;
  std::vector<Unit> units;  // of the columns of the answer to each value
  double cost;              // of a node and a value, in nanoseconds
  void (*answer)(PredictiveLaw& law, const Values& at, Eigen::Ref<Values> out);
  bool has_standard_error = false;  // from the quadrature

  Eigen::Index columns(Eigen::Index values) const {
    return static_cast<Eigen::Index>(units.size()) * (asked_at == AskedAt::nothing ? 1 : values);
  }
};

namespace questions {

using Values = Question::Values;

// A sum of weighted probabilities, which rounding may have taken out of [0, 1]. NaN stays.
inline double into_unit(double p) { return std::min(std::max(p, 0.0), 1.0); }

// An answer to each value by itself.
template <class Answer>
void each(const Values& at, Eigen::Ref<Values> out, Answer answer) {
  for (Eigen::Index j = 0; j < at.size(); ++j) out[j] = answer(at[j]);
}

// In order, where quantiles are as close as rounding.
inline void quantile(PredictiveLaw& law, const Values& at, Eigen::Ref<Values> out) {
  for (Eigen::Index j = 0; j < at.size(); ++j) {
    out[j] = law.quantile(at[j]);
    if (j > 0 && at[j] >= at[j - 1]) out[j] = std::max(out[j], out[j - 1]);
  }
}

inline void draw(PredictiveLaw& law, const Values& at, Eigen::Ref<Values> out) {
  each(at, out, [&](double uniform) { return law.draw(uniform); });
}

inline void cdf(PredictiveLaw& law, const Values& at, Eigen::Ref<Values> out) {
  each(at, out, [&](double y) { return into_unit(law.evaluate(y).cdf); });
}

inline void exceedance(PredictiveLaw& law, const Values& at, Eigen::Ref<Values> out) {
  each(at, out, [&](double y) { return into_unit(law.evaluate(y).survival); });
}

inline void density(PredictiveLaw& law, const Values& at, Eigen::Ref<Values> out) {
  each(at, out, [&](double y) { return std::max(law.evaluate(y).density, 0.0); });
}

inline void log_density(PredictiveLaw& law, const Values& at, Eigen::Ref<Values> out) {
  each(at, out, [&](double y) { return law.log_density(y); });
}

inline void mass(PredictiveLaw& law, const Values& at, Eigen::Ref<Values> out) {
  each(at, out, [&](double y) { return into_unit(law.mass(y)); });
}

inline void crps(PredictiveLaw& law, const Values& at, Eigen::Ref<Values> out) {
  each(at, out, [&](double y) { return btg::crps(law, y); });
}

inline void shortest(PredictiveLaw& law, const Values& at, Eigen::Ref<Values> out) {
  for (Eigen::Index j = 0; j < at.size(); ++j) {
    const std::array<double, 2> interval = shortest_interval(law, at[j]);
    out[2 * j] = interval[0];
    out[2 * j + 1] = interval[1];
  }
}

inline void moments(PredictiveLaw& law, const Values& /*at*/, Eigen::Ref<Values> out) {
  const MeanVariance moments = law.moments();
  out << moments.mean, moments.variance;
}

inline void lower_partial_moment(PredictiveLaw& law, const Values& at, Eigen::Ref<Values> out) {
  each(at, out, [&](double y) { return partial_moment(law, y, false); });
}

inline void upper_partial_moment(PredictiveLaw& law, const Values& at, Eigen::Ref<Values> out) {
  each(at, out, [&](double y) { return partial_moment(law, y, true); });
}

inline void mode(PredictiveLaw& law, const Values& /*at*/, Eigen::Ref<Values> out) {
  out[0] = btg::mode(law);
}

}  // namespace questions

// The mass at y is P(Y = y). A partial moment is E(y - Y)+ or E(Y - y)+. A draw is a value of Y for
// a uniform random number, which chooses a node as well: cheaper than a quantile, and not
// increasing.
inline const std::vector<Question>& question_registry() {
  using questions::lower_partial_moment;
  using questions::upper_partial_moment;
  static const std::vector<Question> all{
      {"quantile", AskedAt::probability, {Unit::response}, 80.0, questions::quantile, true},
      {"draw", AskedAt::probability, {Unit::response}, 80.0, questions::draw},
      {"cdf", AskedAt::response, {Unit::probability}, 10.0, questions::cdf},
      {"exceedance", AskedAt::response, {Unit::probability}, 10.0, questions::exceedance},
      {"density", AskedAt::response, {Unit::density}, 10.0, questions::density},
      {"log_density", AskedAt::response, {Unit::log_density}, 10.0, questions::log_density},
      {"mass", AskedAt::response, {Unit::probability}, 10.0, questions::mass},
      {"crps", AskedAt::response, {Unit::length}, 1000.0, questions::crps},
      {"shortest", AskedAt::level, {Unit::response, Unit::response}, 1000.0, questions::shortest},
      {"moments", AskedAt::nothing, {Unit::response, Unit::variance}, 1000.0, questions::moments},
      {"lower_partial_moment", AskedAt::response, {Unit::length}, 1000.0, lower_partial_moment},
      {"upper_partial_moment", AskedAt::response, {Unit::length}, 1000.0, upper_partial_moment},
      {"mode", AskedAt::nothing, {Unit::response}, 1000.0, questions::mode},
  };
  return all;
}

inline const Question& find_question(const std::string& name) {
  for (const Question& question : question_registry()) {
    if (question.name == name) return question;
  }
  throw Error("argument", "A predictive distribution has no \"" + name + "\".");
}

}  // namespace btg
