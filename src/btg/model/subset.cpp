#include "btg/model/subset.hpp"

#include <cstddef>
#include <numeric>

#include "btg/base/error.hpp"
#include "btg/base/select_rows.hpp"
#include "btg/factor/dense_factor.hpp"
#include "btg/model/sites.hpp"
#include "btg/numerics/spread_points.hpp"

namespace btg {

std::vector<int> sites_of(const Model& model, const std::vector<int>& rows) {
  std::vector<int> sites;
  for (const int row : rows) sites.push_back(model.sites.of_row(row));
  return sites;
}

std::vector<int> all_rows(const Model& model) {
  std::vector<int> rows(model.response.size());
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

Eigen::VectorXd weights_of(const Model& model, const std::vector<int>& rows) {
  Eigen::VectorXd weights(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) weights[i] = model.sites.weight(rows[i]);
  return weights;
}

Trend trend_of_rows(const Model& model) {
  return model.sites.replicated() ? model.trend.at_rows(sites_of(model, all_rows(model)))
                                  : model.trend;
}

NoiseModel noise_at(const Model& model, const std::vector<int>& sites) {
  if (model.noise.constant()) return model.noise;
  return model.noise.at(select_rows(model.noise.columns(), sites));
}

Model spread_out(const Model& model) {
  Model spread = model;
  const std::vector<int> rows = all_rows(model);
  const std::vector<int> sites = sites_of(model, rows);
  spread.inputs = select_rows(model.inputs, sites);
  spread.noise = noise_at(model, sites);
  spread.trend = trend_of_rows(model);
  spread.sites = weighted_rows(weights_of(model, rows));
  return spread;
}

namespace {

// The censored rows among `rows`, which are in increasing order, by their indices in the model.
std::vector<int> censored_among(const Model& model, const std::vector<int>& rows) {
  std::vector<int> indices;
  for (const int row : rows) {
    const int index = model.censored.index_of(row);
    if (index >= 0) indices.push_back(index);
  }
  return indices;
}

}  // namespace

Model keep_rows(const Model& model, const std::vector<int>& rows) {
  std::vector<int> new_site(model.site_count(), -1), kept_sites, site_of_row;
  for (const int site : sites_of(model, rows)) {
    if (new_site[site] < 0) {
      new_site[site] = static_cast<int>(kept_sites.size());
      kept_sites.push_back(site);
    }
    site_of_row.push_back(new_site[site]);
  }
  Model kept = model;
  kept.inputs = select_rows(model.inputs, kept_sites);
  kept.noise = noise_at(model, kept_sites);
  kept.trend = Trend(select_rows(model.trend.basis(), kept_sites));
  kept.response = select_rows(model.response, rows);
  kept.sites = Sites(site_of_row, weights_of(model, rows));
  kept.factor_method = dense_method();
  const std::vector<int> censored = censored_among(model, rows);
  std::vector<int> places;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (model.censored.index_of(rows[k]) >= 0) places.push_back(static_cast<int>(k));
  }
  kept.censored = Censored(places, select_rows(model.censored.lower(), censored),
                           select_rows(model.censored.upper(), censored),
                           static_cast<int>(model.censored.points().cols()));
  return kept;
}

Eigen::MatrixXd keep_latent(const Model& model, const std::vector<int>& rows,
                            const Eigen::MatrixXd& etas) {
  const std::vector<int> censored = censored_among(model, rows);
  Eigen::MatrixXd kept(model.size() + static_cast<Eigen::Index>(censored.size()), etas.cols());
  kept.topRows(model.size()) = etas.topRows(model.size());
  for (std::size_t k = 0; k < censored.size(); ++k) {
    kept.row(model.size() + static_cast<Eigen::Index>(k)) = etas.row(model.size() + censored[k]);
  }
  return kept;
}

std::optional<Model> thin_model(const Model& model, int count) {
  std::vector<char> chosen(model.site_count(), 0);
  for (const int site : scattered_subset(static_cast<int>(model.site_count()), count)) {
    chosen[site] = 1;
  }
  std::vector<int> rows;
  for (const int row : all_rows(model)) {
    if (chosen[model.sites.of_row(row)]) rows.push_back(row);
  }
  try {
    Model kept = keep_rows(model, rows);
    check_model(kept);
    return kept;
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace btg
