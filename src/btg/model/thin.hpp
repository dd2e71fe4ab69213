// A model of some of the data: modes of its posterior are close to those of the whole model's, and
// cheap to find.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "btg/base/error.hpp"
#include "btg/model/folds.hpp"
#include "btg/model/model.hpp"
#include "btg/model/sites.hpp"

namespace btg {

// `count` of the numbers from 0 to n - 1, in increasing order, without a pattern that rows may have
// as well, and the same at every call.
inline std::vector<int> scattered_subset(int n, int count) {
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::uint64_t state = 1;
  for (int i = 0; i < count; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    std::swap(order[i], order[i + static_cast<int>((state >> 33) % (n - i))]);
  }
  order.resize(count);
  std::sort(order.begin(), order.end());
  return order;
}

// The model of the rows at `count` sites; none where these do not tell the trend.
inline std::optional<Model> thin_model(const Model& model, int count) {
  const std::vector<int> kept = scattered_subset(static_cast<int>(model.inputs.rows()), count);
  std::vector<int> new_site(model.inputs.rows(), -1);
  for (int k = 0; k < count; ++k) new_site[kept[k]] = k;
  std::vector<int> rows, site_of_row;
  std::vector<double> weights;
  for (int i = 0; i < static_cast<int>(model.response.size()); ++i) {
    const int site = new_site[model.sites.of_row(i)];
    if (site < 0) continue;
    rows.push_back(i);
    site_of_row.push_back(site);
    weights.push_back(model.sites.weight(i));
  }
  try {
    Model thin = model;
    thin.trend = Trend(select_rows(model.trend.basis(), kept));
    thin.inputs = select_rows(model.inputs, kept);
    thin.response = select_rows(model.response, rows);
    thin.sites = Sites(site_of_row, Eigen::Map<Eigen::VectorXd>(weights.data(), weights.size()));
    return thin;
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace btg
