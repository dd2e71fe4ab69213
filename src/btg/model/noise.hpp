// The noise of a row of weight 1, relative to the process, as a function of where it is and of the
// hyperparameters of role `noise`, sigma2 and gamma:
//
//   v(x) = sigma2 exp(b(x)' gamma)
//
// where b(x) are the columns of a model of the noise, standardised; without any it is the same
// everywhere. A row of weight w has v(x) / w.
#pragma once

#include <Eigen/Core>
#include <utility>

namespace btg {

class NoiseModel {
 public:
  // The rows of `columns` are b(x) of the sites.
  explicit NoiseModel(Eigen::MatrixXd columns = {}) : columns_(std::move(columns)) {}

  const Eigen::MatrixXd& columns() const { return columns_; }
  int parameter_count() const { return 1 + static_cast<int>(columns_.cols()); }

  // v of each of `count` places with these columns.
  static Eigen::VectorXd variance(const Eigen::MatrixXd& columns, Eigen::Index count,
                                  const double* parameters) {
    if (columns.cols() == 0) return Eigen::VectorXd::Constant(count, parameters[0]);
    const Eigen::Map<const Eigen::VectorXd> gamma(parameters + 1, columns.cols());
    return parameters[0] * (columns * gamma).array().exp();
  }

  // v of each of the `count` sites.
  Eigen::VectorXd variance(Eigen::Index count, const double* parameters) const {
    return variance(columns_, count, parameters);
  }

  // From the slopes of a function in each v to its slopes in log sigma2 and gamma.
  void gradient(const Eigen::VectorXd& slopes, const double* parameters, double* out) const {
    const Eigen::VectorXd relative = slopes.cwiseProduct(variance(slopes.size(), parameters));
    out[0] = relative.sum();
    if (columns_.cols() == 0) return;
    Eigen::Map<Eigen::VectorXd>(out + 1, columns_.cols()) = columns_.transpose() * relative;
  }

 private:
  Eigen::MatrixXd columns_;
};

}  // namespace btg
