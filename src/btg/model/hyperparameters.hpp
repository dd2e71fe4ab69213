// The hyperparameters of a model, in the order of their roles: theta, the lengthscales; the
// kernel's own parameters; the noise; and lambda, the parameters of the transform. `eta` is one
// value of all of them, each on its natural scale.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "btg/base/parameter.hpp"
#include "btg/numerics/normal_part.hpp"
#include "btg/numerics/value_gradient.hpp"
#include "btg/priors/common_prior.hpp"
#include "btg/priors/prior.hpp"

namespace btg {

enum class Role { length_scale, kernel, noise, transform };

struct Hyperparameter {
  std::string name;
  Role role;
  Scale scale;
  std::optional<Prior> prior;  // none: fixed at `value`
  double value;
  bool in_common = false;  // a lengthscale of the common prior

  bool free() const { return prior.has_value(); }
};

// Neighbours in eta.
struct Segment {
  int first = 0, count = 0;
  const double* of(const double* eta) const { return eta + first; }
  double* of(double* eta) const { return eta + first; }
};

class Hyperparameters {
 public:
  Hyperparameters() = default;
  explicit Hyperparameters(std::vector<Hyperparameter> all, std::optional<CommonPrior> common = {});

  int size() const { return static_cast<int>(all_.size()); }
  const Hyperparameter& operator[](int j) const { return all_[j]; }
  Segment segment(Role role) const { return segments_[static_cast<int>(role)]; }

  // How many there are that K depends on: all but the transform's, which come last.
  int covariance_size() const { return segment(Role::transform).first; }

  // Those that are integrated over.
  int free_count() const { return count_free(0, size()); }
  int free_covariance_count() const { return count_free(0, covariance_size()); }

  // The log prior density of the free coordinates.
  double log_prior(const double* eta) const;

  // From independent standard normals, one for each free hyperparameter, to those that the priors
  // take to the coordinates; and derivatives in the latter to those in the former.
  Eigen::VectorXd correlate(const Eigen::VectorXd& u) const {
    return common_ ? with_sharing(u, common_->correlate(sharing_of(u))) : u;
  }
  // And back.
  Eigen::VectorXd decorrelate(const Eigen::VectorXd& v) const {
    return common_ ? with_sharing(v, common_->decorrelate(sharing_of(v))) : v;
  }

  // The prior of those normals, a mixture where some have a common prior; else none.
  std::vector<NormalPart> prior_parts() const;

  // The log prior density less what it would be if those normals were all; its gradient is in the
  // coordinates of all hyperparameters.
  ValueGradient excess(const double* eta) const;

 private:
  struct Sharing {
    int index, free;  // where it is in eta, and among the free ones
  };

  // The part of a point of those that have a common prior, and the point with another part.
  Eigen::VectorXd sharing_of(const Eigen::VectorXd& u) const;
  Eigen::VectorXd with_sharing(Eigen::VectorXd u, const Eigen::VectorXd& part) const;

  Eigen::VectorXd common_coordinates(const double* eta) const;

  int count_free(int first, int end) const;

  std::vector<Hyperparameter> all_;
  std::optional<CommonPrior> common_;
  std::vector<Sharing> sharing_;
  Segment segments_[4];
};

}  // namespace btg
