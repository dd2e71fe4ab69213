// The table of questions: each has an answer of the columns and units it says, and a name of its
// own.
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "btg/base/error.hpp"
#include "btg/base/parallel.hpp"
#include "btg/predictive/answers.hpp"
#include "btg/predictive/law.hpp"
#include "btg/predictive/questions.hpp"
#include "check.hpp"
#include "random_mixture.hpp"

using btg::AskedAt;
using btg::find_question;
using btg::question_types;
using btg::QuestionType;
using btg::Unit;
using Eigen::MatrixXd;
using Eigen::RowVectorXd;
using Eigen::VectorXd;

namespace {

btg::Mixture mixture(const btg::MixtureNodes& nodes) {
  return btg::Mixture(nodes, Eigen::Vector3d(0.2, 1.0, -0.5), Eigen::Vector3d(0.4, 0.3, 0.6),
                      Eigen::Vector3d(0.5, 0.3, 0.2));
}

// Of three normals in units of `unit`, from `shift` on.
btg::MixtureNodes normal_nodes(double shift = 0, double unit = 1) {
  return btg::MixtureNodes(problems::student_t(INFINITY),
                           {btg::ModelNodes(btg::Composition(), MatrixXd(0, 3), shift, unit)});
}

// Where the question may be asked.
RowVectorXd values_for(const QuestionType& question, double shift, double unit) {
  RowVectorXd at(3);
  at << 0.1, 0.4, 0.9;
  if (question.asked_at == AskedAt::response) at = shift + unit * at.array();
  return at;
}

RowVectorXd answer(const QuestionType& question, double shift = 0, double unit = 1) {
  const btg::MixtureNodes nodes = normal_nodes(shift, unit);
  const btg::Mixture of = mixture(nodes);
  btg::PredictiveLaw law(of, {});
  const RowVectorXd at = values_for(question, shift, unit);
  RowVectorXd out = RowVectorXd::Constant(question.columns(at.size()), NAN);
  question.answer(law, at, out);
  return out;
}

double in_units(double value, Unit unit, double shift, double size) {
  switch (unit) {
    case Unit::response:
      return shift + size * value;
    case Unit::length:
      return size * value;
    case Unit::variance:
      return size * size * value;
    case Unit::density:
      return value / size;
    case Unit::log_density:
      return value - std::log(size);
    case Unit::probability:
      return value;
  }
  return NAN;
}

}  // namespace

TEST("names are unique, and find their questions") {
  std::set<std::string> names;
  for (const QuestionType& question : question_types()) {
    CHECK(names.insert(question.name).second);
    CHECK(&find_question(question.name) == &question);
    CHECK(question.cost > 0 && !question.units.empty());
  }
  CHECK(names.size() == 16);
  CHECK_THROWS(find_question("average"), btg::Error);
  CHECK_THROWS(find_question(""), btg::Error);
}

TEST("an answer has a column for each unit and value, or each unit alone") {
  for (const QuestionType& question : question_types()) {
    const Eigen::Index units = static_cast<Eigen::Index>(question.units.size());
    for (Eigen::Index values : {1, 3}) {
      CHECK(question.columns(values) ==
            units * (question.asked_at == AskedAt::nothing ? 1 : values));
    }
    const RowVectorXd out = answer(question);
    CHECK(out.allFinite());
    const btg::MixtureNodes nodes = normal_nodes();
    const btg::Answers asked = btg::ask(
        2, [&](long) { return mixture(nodes); }, {{&question, values_for(question, 0, 1)}}, {},
        btg::Execution(1));
    CHECK(asked.of.size() == 1 && asked.of[0].values.rows() == 2);
    CHECK(asked.of[0].values.row(0) == out && asked.of[0].values.row(1) == out);
    CHECK(asked.of[0].standard_error.rows() == 0);
  }
}

TEST("answers are in the units they say") {
  const double shift = -3, unit = 7;
  for (const QuestionType& question : question_types()) {
    const RowVectorXd plain = answer(question), scaled = answer(question, shift, unit);
    const std::size_t units = question.units.size();
    for (Eigen::Index k = 0; k < plain.size(); ++k) {
      const Unit of = question.units[static_cast<std::size_t>(k) % units];
      CHECK_CLOSE(scaled[k], in_units(plain[k], of, shift, unit), 1e-4);
    }
  }
}

TEST("several questions are answered at once, as one by one") {
  const btg::MixtureNodes nodes = normal_nodes();
  std::vector<btg::Question> all;
  for (const QuestionType& question : question_types()) {
    all.push_back({&question, values_for(question, 0, 1)});
  }
  const btg::Answers answers = btg::ask(
      1, [&](long) { return mixture(nodes); }, all, {}, btg::Execution(1));
  CHECK(answers.of.size() == all.size());
  for (std::size_t k = 0; k < all.size(); ++k) {
    const RowVectorXd alone = answer(*all[k].type);
    for (Eigen::Index j = 0; j < alone.size(); ++j) {
      CHECK_CLOSE(answers.of[k].values(0, j), alone[j], 1e-9);
    }
  }
}

TEST("quantiles alone have standard errors, where the variances of the weights are known") {
  const btg::MixtureNodes nodes = normal_nodes();
  btg::AnswerOptions options;
  options.weight_variances = VectorXd::Constant(3, 1e-4);
  for (const QuestionType& question : question_types()) {
    CHECK(question.has_standard_error == (question.name == "quantile"));
    const btg::Question asked{&question, values_for(question, 0, 1)};
    const btg::Answers answers = btg::ask(
        1, [&](long) { return mixture(nodes); }, {asked}, options, btg::Execution(1));
    const MatrixXd& errors = answers.of[0].standard_error;
    CHECK((errors.rows() == 1) == question.has_standard_error);
    if (question.has_standard_error) CHECK((errors.array() > 0).all());
  }
}
