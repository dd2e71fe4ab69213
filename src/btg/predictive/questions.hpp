// The list of questions about a predictive distribution: argument, units of the answer, cost,
// answer and slopes. R reads this table too.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "btg/predictive/law.hpp"
#include "btg/predictive/law_slopes.hpp"

namespace btg {

enum class AskedAt { probability, response, nothing };

// The unit of an answer: a response; a difference of responses, its square, its inverse or the log
// of that; or a pure number.
enum class Unit { response, length, variance, density, log_density, probability };

struct QuestionType {
  std::string name;
  AskedAt asked_at;
  std::vector<Unit> units;  // of the answer's columns for each value
  double cost;              // per node and value, in nanoseconds
  void (*answer)(PredictiveLaw& law, const Eigen::RowVectorXd& at,
                 Eigen::Ref<Eigen::RowVectorXd> out);
  SlopesOfAnswer slopes = nullptr;  // null if there are none
  bool has_standard_error = false;  // from the quadrature
  // Instead of slopes of the answer, the same answer about the posterior of the slope.
  void (*slope_posterior)(PredictiveLaw& law, const Eigen::RowVectorXd& at,
                          const ProcessSlope& slope, Eigen::Ref<Eigen::RowVectorXd> out) = nullptr;

  Eigen::Index columns(Eigen::Index values) const {
    return static_cast<Eigen::Index>(units.size()) * (asked_at == AskedAt::nothing ? 1 : values);
  }
};

// The mass at y is P(Y = y). A partial moment is E(y - Y)+ or E(Y - y)+. A draw is a value of Y for
// a uniform random number, which also chooses a node. It is cheaper than a quantile and not
// increasing in that number. The conditional mean is E(Y | process): see conditional_mean.hpp.
const std::vector<QuestionType>& question_types();
const QuestionType& find_question(const std::string& name);

// A question with its arguments: one row per point, or one row for all.
struct Question {
  const QuestionType* type;
  Eigen::MatrixXd at;

  Eigen::RowVectorXd at_point(Eigen::Index i) const { return at.row(at.rows() == 1 ? 0 : i); }
  Eigen::Index columns() const { return type->columns(at.cols()); }
};

}  // namespace btg
