// The hyperparameters of a model, in the order of their roles: theta, the lengthscales; the
// kernel's own parameters; the noise; and lambda, the parameters of the transform. `eta` is one
// value of all of them, each on its natural scale.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "btg/base/error.hpp"
#include "btg/base/parameter.hpp"
#include "btg/numerics/normal_part.hpp"
#include "btg/numerics/value_gradient.hpp"
#include "btg/priors/common_level.hpp"
#include "btg/priors/prior.hpp"

namespace btg {

enum class Role { length_scale, kernel, noise, transform };

struct Hyperparameter {
  std::string name;
  Role role;
  Scale scale;
  std::optional<Prior> prior;  // none: fixed at `value`
  double value;
  bool shares_level = false;  // a lengthscale whose prior is that of all which share a level

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
  explicit Hyperparameters(std::vector<Hyperparameter> all, std::optional<CommonLevel> level = {})
      : all_(std::move(all)), level_(std::move(level)) {
    const bool ordered = std::is_sorted(
        all_.begin(), all_.end(), [](const Hyperparameter& a, const Hyperparameter& b) {
          return static_cast<int>(a.role) < static_cast<int>(b.role);
        });
    if (!ordered) throw Error("argument", "Hyperparameters must be in the order of their roles.");
    for (const Hyperparameter& one : all_) ++segments_[static_cast<int>(one.role)].count;
    for (int k = 1; k < 4; ++k) {
      segments_[k].first = segments_[k - 1].first + segments_[k - 1].count;
    }
    int free = 0;
    for (int j = 0; j < size(); ++j) {
      if (all_[j].shares_level) {
        sharing_.push_back({j, free});
        all_[j].prior.emplace(PriorSpec{"lognormal", {level_->centre(), level_->scale()}},
                              all_[j].scale);
      }
      free += all_[j].free();
    }
  }

  int size() const { return static_cast<int>(all_.size()); }
  const Hyperparameter& operator[](int j) const { return all_[j]; }
  Segment segment(Role role) const { return segments_[static_cast<int>(role)]; }

  // How many there are that K depends on: all but the transform's, which come last.
  int covariance_size() const { return segment(Role::transform).first; }

  // Those that are integrated over.
  int free_count() const { return count_free(0, size()); }
  int free_covariance_count() const { return count_free(0, covariance_size()); }

  // The log prior density of the free coordinates.
  double log_prior(const double* eta) const {
    double total = level_ ? level_->log_density(level_coordinates(eta)).value : 0.0;
    for (int j = 0; j < size(); ++j) {
      if (all_[j].prior && !all_[j].shares_level) {
        total += all_[j].prior->log_density(to_coordinate(eta[j], all_[j].scale));
      }
    }
    return total;
  }

  // From independent standard normals, one for each free hyperparameter, to those that the priors
  // take to the coordinates; and derivatives in the latter to those in the former.
  Eigen::VectorXd correlate(const Eigen::VectorXd& u) const {
    return level_ ? with_sharing(u, level_->correlate(sharing_of(u))) : u;
  }
  // And back.
  Eigen::VectorXd decorrelate(const Eigen::VectorXd& v) const {
    return level_ ? with_sharing(v, level_->decorrelate(sharing_of(v))) : v;
  }

  // The prior of those normals, which is a mixture where there is a level; else none.
  std::vector<NormalPart> prior_parts() const {
    std::vector<NormalPart> parts;
    if (!level_) return parts;
    const double d = static_cast<double>(sharing_.size());
    for (const LevelPart& part : level_->parts()) {
      const double across = 1.0 / (part.across * part.across);
      const double along = 1.0 / (part.along * part.along);
      Eigen::MatrixXd precision = Eigen::MatrixXd::Identity(free_count(), free_count());
      for (const Sharing& a : sharing_) {
        for (const Sharing& b : sharing_) {
          precision(a.free, b.free) = (along - across) / d + (a.free == b.free ? across : 0.0);
        }
      }
      parts.emplace_back(part.share, precision);
    }
    return parts;
  }

  // The log prior density less what it would be if those normals were all; its gradient is in the
  // coordinates of all hyperparameters.
  ValueGradient excess(const double* eta) const {
    ValueGradient result{0.0, Eigen::VectorXd::Zero(size())};
    if (!level_) return result;
    const ValueGradient shared = level_->excess(level_coordinates(eta));
    result.value = shared.value;
    for (std::size_t k = 0; k < sharing_.size(); ++k) {
      result.gradient[sharing_[k].index] = shared.gradient[k];
    }
    return result;
  }

 private:
  struct Sharing {
    int index, free;  // where it is in eta, and among the free ones
  };

  // The part of a point that belongs to those which share a level, and the point with another part.
  Eigen::VectorXd sharing_of(const Eigen::VectorXd& u) const {
    Eigen::VectorXd part(sharing_.size());
    for (std::size_t k = 0; k < sharing_.size(); ++k) part[k] = u[sharing_[k].free];
    return part;
  }
  Eigen::VectorXd with_sharing(Eigen::VectorXd u, const Eigen::VectorXd& part) const {
    for (std::size_t k = 0; k < sharing_.size(); ++k) u[sharing_[k].free] = part[k];
    return u;
  }

  Eigen::VectorXd level_coordinates(const double* eta) const {
    Eigen::VectorXd x(sharing_.size());
    for (std::size_t k = 0; k < sharing_.size(); ++k) x[k] = std::log(eta[sharing_[k].index]);
    return x;
  }

  int count_free(int first, int end) const {
    return static_cast<int>(std::count_if(all_.begin() + first, all_.begin() + end,
                                          [](const Hyperparameter& h) { return h.free(); }));
  }

  std::vector<Hyperparameter> all_;
  std::optional<CommonLevel> level_;
  std::vector<Sharing> sharing_;
  Segment segments_[4];
};

}  // namespace btg
