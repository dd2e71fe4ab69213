// What a user may ask of the predictive mixtures, answered for all points.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "btg/base/error.hpp"
#include "btg/base/parallel.hpp"
#include "btg/predictive/functionals.hpp"
#include "btg/predictive/mixture.hpp"
#include "btg/predictive/moments.hpp"
#include "btg/predictive/quantile.hpp"
#include "btg/predictive/rearrangement.hpp"

namespace btg {

// Asked at probabilities: quantile, and draw (a value of Y for a uniform random number, which
// chooses a node as well; cheaper than a quantile, and not increasing). Asked at responses: cdf,
// exceedance, density, log_density, crps. Asked at levels: shortest (two columns for each). Asked
// at nothing: moments (mean and variance), mode.
enum class Question {
  quantile,
  draw,
  cdf,
  exceedance,
  density,
  log_density,
  crps,
  shortest,
  moments,
  mode
};

inline Question find_question(const std::string& name) {
  const std::vector<std::string> names{"quantile",    "draw", "cdf",      "exceedance", "density",
                                       "log_density", "crps", "shortest", "moments",    "mode"};
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) throw Error("argument", "A mixture has no \"" + name + "\".");
  return static_cast<Question>(found - names.begin());
}

struct AnswerOptions {
  double tolerance = 1e-10;  // of quantiles
  Bound bound = Bound::automatic;
  double floor = -INFINITY;          // what is predicted below is predicted there
  Eigen::VectorXd weight_variances;  // for standard errors of quantiles; empty for none
};

struct Answers {
  Eigen::MatrixXd values;          // points x what was asked
  Eigen::MatrixXd standard_error;  // of quantiles, from the quadrature, if wanted; else empty
  Eigen::VectorXd lost_mass;
  int rearranged = 0;    // points whose signed mixture was not a cdf
  long evaluations = 0;  // of mixtures
};

// The distribution of max(Y, floor), of a mixture or of its rearrangement.
class PredictiveLaw {
 public:
  PredictiveLaw(const Mixture& mixture, const AnswerOptions& options)
      : mixture_(mixture),
        solver_(mixture, options.tolerance, options.bound),
        floor_(options.floor) {
    if (mixture.negative_mass() > 0.0) {
      Rearrangement rearrangement(mixture);
      if (rearrangement.needed()) rearranged_ = rearrangement;
    }
  }

  bool rearranged() const { return rearranged_.has_value(); }

  MixtureValue evaluate(double y) const {
    if (y < floor_) return {0.0, 1.0, 0.0};
    return rearranged_ ? rearranged_->evaluate(y) : mixture_.evaluate(y);
  }

  double log_density(double y) const {
    if (y < floor_) return -INFINITY;
    return rearranged_ ? std::log(rearranged_->evaluate(y).density) : mixture_.log_density(y);
  }

  // At 0 and 1 the ends of the support.
  double quantile(double p) {
    const Interval& support = mixture_.nodes().support;
    const double y = p == 0.0      ? support.lower
                     : p == 1.0    ? support.upper
                     : rearranged_ ? rearranged_->quantile(p)
                                   : solver_.quantile(p);
    return std::fmax(y, floor_);
  }

  double rough_quantile(double p) const {
    return std::fmax(rearranged_ ? rearranged_->quantile(p) : solver_.guess(p), floor_);
  }

  double draw(double uniform) {
    if (mixture_.negative_mass() > 0.0) return quantile(uniform);
    int i = 0;
    while (i + 1 < mixture_.size() && uniform > mixture_.weights()[i]) {
      uniform -= mixture_.weights()[i++];
    }
    const double p = std::fmin(uniform / mixture_.weights()[i], 1.0);
    return std::fmax(mixture_.component_quantile(i, p, mixture_.nodes().t.quantile(p)), floor_);
  }

  MeanVariance moments(const TExpectation& whole_line) {
    return mean_variance(mixture_, whole_line, quantile(0.5), floor_);
  }

 private:
  const Mixture& mixture_;
  QuantileSolver solver_;
  std::optional<Rearrangement> rearranged_;
  double floor_;
};

inline int answer_columns(Question question, int asked) {
  switch (question) {
    case Question::moments:
      return 2;
    case Question::mode:
      return 1;
    case Question::shortest:
      return 2 * asked;
    default:
      return asked;
  }
}

// A sum of weighted probabilities, which rounding may have taken out of [0, 1]. NaN stays.
inline double into_unit(double p) { return std::min(std::max(p, 0.0), 1.0); }

inline void answer(PredictiveLaw& law, Question question, const Eigen::RowVectorXd& at,
                   const TExpectation* whole_line, Eigen::Ref<Eigen::RowVectorXd> out) {
  if (question == Question::moments) {
    const MeanVariance moments = law.moments(*whole_line);
    out << moments.mean, moments.variance;
    return;
  }
  if (question == Question::mode) {
    out[0] = mode(law);
    return;
  }
  for (Eigen::Index j = 0; j < at.size(); ++j) {
    switch (question) {
      case Question::quantile:
        out[j] = law.quantile(at[j]);
        // In order, where they are as close as rounding.
        if (j > 0 && at[j] >= at[j - 1]) out[j] = std::max(out[j], out[j - 1]);
        break;
      case Question::draw:
        out[j] = law.draw(at[j]);
        break;
      case Question::cdf:
        out[j] = into_unit(law.evaluate(at[j]).cdf);
        break;
      case Question::exceedance:
        out[j] = into_unit(law.evaluate(at[j]).survival);
        break;
      case Question::density:
        out[j] = std::max(law.evaluate(at[j]).density, 0.0);
        break;
      case Question::log_density:
        out[j] = law.log_density(at[j]);
        break;
      case Question::crps:
        out[j] = crps(law, at[j]);
        break;
      default: {
        const std::array<double, 2> interval = shortest_interval(law, at[j]);
        out[2 * j] = interval[0];
        out[2 * j + 1] = interval[1];
      }
    }
  }
}

// mixture_of(i) is the mixture of point i. `at` has a row for each point, or one row for all.
template <class MixtureOf>
Answers ask_mixtures(long points, MixtureOf mixture_of, Question question,
                     const Eigen::MatrixXd& at, const AnswerOptions& options,
                     const Execution& execution) {
  if (at.rows() != 1 && at.rows() != points) {
    throw Error("argument", "`at` needs one row, or one for each point.");
  }
  const bool with_error = question == Question::quantile && options.weight_variances.size() > 0;
  Answers answers{Eigen::MatrixXd(points, answer_columns(question, static_cast<int>(at.cols()))),
                  Eigen::MatrixXd(with_error ? points : 0, at.cols()), Eigen::VectorXd(points)};
  std::vector<char> rearranged(points, 0);
  std::vector<long> evaluations(points, 0);
  parallel_for(points, execution, [&](long i) {
    try {
      const Mixture mixture = mixture_of(i);
      answers.lost_mass[i] = mixture.lost_mass();
      std::optional<TExpectation> whole_line;
      if (question == Question::moments) whole_line.emplace(mixture.nodes().t);
      PredictiveLaw law(mixture, options);
      rearranged[i] = law.rearranged();
      const Eigen::RowVectorXd asked = at.row(at.rows() == 1 ? 0 : i);
      Eigen::RowVectorXd row(answers.values.cols());
      answer(law, question, asked, whole_line ? &*whole_line : nullptr, row);
      answers.values.row(i) = row;
      evaluations[i] = mixture.evaluations();
      for (Eigen::Index j = 0; with_error && j < asked.size(); ++j) {
        // At the floor, where there is an atom, and with one node there is no such error.
        const bool exact = row[j] == options.floor || mixture.size() == 1;
        answers.standard_error(i, j) =
            exact ? 0.0
                  : mixture.cdf_error(row[j], asked[j], options.weight_variances) /
                        mixture.evaluate(row[j]).density;
      }
    } catch (const Error& error) {
      throw Error(error.kind, error.what(), i);
    }
  });
  answers.rearranged = static_cast<int>(std::count(rearranged.begin(), rearranged.end(), 1));
  for (const long count : evaluations) answers.evaluations += count;
  return answers;
}

}  // namespace btg
