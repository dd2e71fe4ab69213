// The hyperparameters of a model, in the order of their roles: theta, the lengthscales; the
// kernel's own parameters; the noise; and lambda, the parameters of the transform. `eta` is one
// value of all of them, each on its natural scale.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "btg/base/error.hpp"
#include "btg/base/parameter.hpp"
#include "btg/priors/prior.hpp"

namespace btg {

enum class Role { length_scale, kernel, noise, transform };

struct Hyperparameter {
  std::string name;
  Role role;
  Scale scale;
  std::optional<Prior> prior;  // none: fixed at `value`
  double value;

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
  explicit Hyperparameters(std::vector<Hyperparameter> all) : all_(std::move(all)) {
    const bool ordered = std::is_sorted(
        all_.begin(), all_.end(), [](const Hyperparameter& a, const Hyperparameter& b) {
          return static_cast<int>(a.role) < static_cast<int>(b.role);
        });
    if (!ordered) throw Error("argument", "Hyperparameters must be in the order of their roles.");
    for (const Hyperparameter& one : all_) ++segments_[static_cast<int>(one.role)].count;
    for (int k = 1; k < 4; ++k) {
      segments_[k].first = segments_[k - 1].first + segments_[k - 1].count;
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
    double total = 0.0;
    for (int j = 0; j < size(); ++j) {
      if (all_[j].prior) {
        total += all_[j].prior->log_density(to_coordinate(eta[j], all_[j].scale));
      }
    }
    return total;
  }

 private:
  int count_free(int first, int end) const {
    return static_cast<int>(std::count_if(all_.begin() + first, all_.begin() + end,
                                          [](const Hyperparameter& h) { return h.free(); }));
  }

  std::vector<Hyperparameter> all_;
  Segment segments_[4];
};

}  // namespace btg
