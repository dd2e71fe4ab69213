// The nodes that a set of draws uses, with the factors of their kernel matrices.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <vector>

#include "btg/model/model.hpp"
#include "btg/predictive/latent.hpp"
#include "btg/predictive/mixture.hpp"

namespace btg {

// Node `in_group` of its group, alone in a mixture, and the draws from it.
struct DrawnNode {
  Eigen::Index in_group;
  MixtureNodes alone;
  std::vector<int> draws;
};

using VisitDrawnGroup =
    std::function<void(const PreparedGroup&, const double* eta, const std::vector<DrawnNode>&)>;

// Visits the groups of nodes that draws use, possibly on several threads. Draw k uses node
// node_of_draw[k], numbered over all models; the columns of `etas` are the nodes of this model,
// numbered from `first` on. `cached` holds their groups; if empty, they are made here.
void for_each_drawn_group(const Model& model, const ModelNodes& nodes, const Eigen::MatrixXd& etas,
                          int first, const std::vector<int>& node_of_draw,
                          const PreparedGroups& cached, const VisitDrawnGroup& visit);

}  // namespace btg
