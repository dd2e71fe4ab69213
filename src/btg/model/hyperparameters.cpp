#include "btg/model/hyperparameters.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "btg/base/error.hpp"

namespace btg {

Hyperparameters::Hyperparameters(std::vector<Hyperparameter> all, std::optional<CommonPrior> common)
    : all_(std::move(all)), common_(std::move(common)) {
  const bool ordered = std::is_sorted(all_.begin(), all_.end(),
                                      [](const Hyperparameter& a, const Hyperparameter& b) {
                                        return static_cast<int>(a.role) < static_cast<int>(b.role);
                                      });
  if (!ordered) throw Error("argument", "Hyperparameters must be in the order of their roles.");
  for (const Hyperparameter& one : all_) ++segments_[static_cast<int>(one.role)].count;
  for (int k = 1; k < role_count; ++k) {
    segments_[k].first = segments_[k - 1].first + segments_[k - 1].count;
  }
  int free = 0;
  for (int j = 0; j < size(); ++j) {
    if (all_[j].in_common) {
      sharing_.push_back({j, free});
      all_[j].prior.emplace(PriorSpec{"lognormal", {common_->centre(), common_->scale()}},
                            all_[j].scale);
    }
    free += all_[j].free();
  }
}

double Hyperparameters::log_prior(const double* eta) const {
  double total = common_ ? common_->log_density(common_coordinates(eta)).value : 0.0;
  for (int j = 0; j < size(); ++j) {
    if (all_[j].prior && !all_[j].in_common) {
      total += all_[j].prior->log_density(to_coordinate(eta[j], all_[j].scale));
    }
  }
  return total;
}

std::vector<NormalPart> Hyperparameters::prior_parts() const {
  std::vector<NormalPart> parts;
  if (!common_) return parts;
  const double d = static_cast<double>(sharing_.size());
  for (const CommonPart& part : common_->parts()) {
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

ValueGradient Hyperparameters::excess(const double* eta) const {
  ValueGradient result{0.0, Eigen::VectorXd::Zero(size())};
  if (!common_) return result;
  const ValueGradient shared = common_->excess(common_coordinates(eta));
  result.value = shared.value;
  for (std::size_t k = 0; k < sharing_.size(); ++k) {
    result.gradient[sharing_[k].index] = shared.gradient[k];
  }
  return result;
}

Eigen::VectorXd Hyperparameters::sharing_of(const Eigen::VectorXd& u) const {
  Eigen::VectorXd part(sharing_.size());
  for (std::size_t k = 0; k < sharing_.size(); ++k) part[k] = u[sharing_[k].free];
  return part;
}

Eigen::VectorXd Hyperparameters::with_sharing(Eigen::VectorXd u,
                                              const Eigen::VectorXd& part) const {
  for (std::size_t k = 0; k < sharing_.size(); ++k) u[sharing_[k].free] = part[k];
  return u;
}

Eigen::VectorXd Hyperparameters::common_coordinates(const double* eta) const {
  Eigen::VectorXd x(sharing_.size());
  for (std::size_t k = 0; k < sharing_.size(); ++k) x[k] = std::log(eta[sharing_[k].index]);
  return x;
}

int Hyperparameters::count_free(int first, int end) const {
  return static_cast<int>(std::count_if(all_.begin() + first, all_.begin() + end,
                                        [](const Hyperparameter& h) { return h.free(); }));
}

}  // namespace btg
