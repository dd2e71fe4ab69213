// The hyperparameters of a model, ordered by role: the lengthscales theta, the kernel parameters,
// the parameters of input maps, the shares of the covariance's terms, the noise, and the transform
// parameters lambda. `eta` holds one value of each, on its natural scale.
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

enum class Role { length_scale, kernel, map, share, noise, transform };
constexpr int role_count = 6;

struct Hyperparameter {
  std::string name;
  Role role;
  Scale scale;
  std::optional<Prior> prior;  // none if fixed at `value`
  double value;
  bool in_common = false;  // a lengthscale under the common prior

  bool free() const { return prior.has_value(); }
};

// Consecutive elements of eta.
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

  // Number of hyperparameters that K depends on: all except the transform's, which come last.
  int covariance_size() const { return segment(Role::transform).first; }

  // Number of hyperparameters that are integrated over.
  int free_count() const { return count_free(0, size()); }
  int free_covariance_count() const { return count_free(0, covariance_size()); }

  // Log prior density of the free coordinates.
  double log_prior(const double* eta) const;

  // Maps independent standard normals u, one per free hyperparameter, to the normals v that the
  // priors map to coordinates. Also maps derivatives in v to derivatives in u.
  Eigen::VectorXd correlate(const Eigen::VectorXd& u) const {
    return common_ ? with_sharing(u, common_->correlate(sharing_of(u))) : u;
  }
  // Inverse of `correlate`.
  Eigen::VectorXd decorrelate(const Eigen::VectorXd& v) const {
    return common_ ? with_sharing(v, common_->decorrelate(sharing_of(v))) : v;
  }

  // The prior of u as a mixture of normals if some lengthscales have a common prior, else empty.
  std::vector<NormalPart> prior_parts() const;

  // Log prior density minus its value under independent standard normal u. The gradient is in the
  // coordinates of all hyperparameters.
  ValueGradient excess(const double* eta) const;

 private:
  struct Sharing {
    int index, free;  // positions in eta and among the free ones
  };

  // Extracts, or replaces, the elements of a point that have a common prior.
  Eigen::VectorXd sharing_of(const Eigen::VectorXd& u) const;
  Eigen::VectorXd with_sharing(Eigen::VectorXd u, const Eigen::VectorXd& part) const;

  Eigen::VectorXd common_coordinates(const double* eta) const;

  int count_free(int first, int end) const;

  std::vector<Hyperparameter> all_;
  std::optional<CommonPrior> common_;
  std::vector<Sharing> sharing_;
  Segment segments_[role_count];
};

}  // namespace btg
