// Models of some of the rows.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "btg/model/model.hpp"
#include "btg/model/noise.hpp"
#include "btg/model/trend.hpp"

namespace btg {

// The site of each of `rows`.
std::vector<int> sites_of(const Model& model, const std::vector<int>& rows);

std::vector<int> all_rows(const Model& model);

// The weights of `rows`.
Eigen::VectorXd weights_of(const Model& model, const std::vector<int>& rows);

// The model's trend is that of its sites.
Trend trend_of_rows(const Model& model);

// The noise at these sites.
NoiseModel noise_at(const Model& model, const std::vector<int>& sites);

// The same model with a site for each row.
Model spread_out(const Model& model);

// The model of `rows`, with a dense covariance. Its trend is the orthonormal basis of that of all:
// marginal likelihoods are in its units. Throws if the rows do not determine the trend.
Model keep_rows(const Model& model, const std::vector<int>& rows);

// The model of the rows at `count` sites: modes of its posterior are close to those of the whole
// model's, and cheap to find. None where these do not tell the trend.
std::optional<Model> thin_model(const Model& model, int count);

}  // namespace btg
