// Models of a subset of the rows.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "btg/model/model.hpp"
#include "btg/model/noise.hpp"
#include "btg/model/trend.hpp"

namespace btg {

// Returns the site of each of `rows`.
std::vector<int> sites_of(const Model& model, const std::vector<int>& rows);

std::vector<int> all_rows(const Model& model);

Eigen::VectorXd weights_of(const Model& model, const std::vector<int>& rows);

// The trend at every row; model.trend is the trend at the sites.
Trend trend_of_rows(const Model& model);

// Restricts the noise model to these sites.
NoiseModel noise_at(const Model& model, const std::vector<int>& sites);

// Returns the same model with every row as its own site.
Model spread_out(const Model& model);

// Returns the model of `rows` with a dense covariance. Its trend is the whole model's orthonormal
// basis, which sets the units of its marginal likelihoods. Throws if they do not identify the
// trend.
Model keep_rows(const Model& model, const std::vector<int>& rows);

// Returns nodes of `model` with the latent responses of the model of `rows`.
Eigen::MatrixXd keep_latent(const Model& model, const std::vector<int>& rows,
                            const Eigen::MatrixXd& etas);

// The model of the rows at `count` sites. The modes of its posterior are close to those of the
// whole model and cheap to find. Returns nothing if these rows do not identify the trend.
std::optional<Model> thin_model(const Model& model, int count);

}  // namespace btg
