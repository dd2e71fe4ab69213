#include "btg/predictive/drawn_nodes.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>

#include "btg/base/error.hpp"
#include "btg/base/parallel.hpp"
#include "btg/node/node.hpp"
#include "btg/numerics/student_t.hpp"

namespace btg {

namespace {

// Returns the cached group, or makes it and keeps it in `made`.
const PreparedGroup& find_group(const Model& model, const Eigen::MatrixXd& etas,
                                const NodeGroup& group, const PreparedGroups& cached,
                                std::unique_ptr<const PreparedGroup>& made) {
  for (const auto& one : cached) {
    if (one->group.first == group.first) return *one;
  }
  const std::optional<KernelNode> node = kernel_node(model, etas.col(group.first).data());
  if (!node) throw Error("numerical", "The kernel matrix of a kept node could not be factored.");
  made = std::make_unique<const PreparedGroup>(model, etas, group, *node, true);
  return *made;
}

}  // namespace

void for_each_drawn_group(const Model& model, const ModelNodes& nodes, const Eigen::MatrixXd& etas,
                          int first, const std::vector<int>& node_of_draw,
                          const PreparedGroups& cached, const VisitDrawnGroup& visit) {
  std::vector<std::vector<int>> draws_of_node(etas.cols());
  for (std::size_t k = 0; k < node_of_draw.size(); ++k) {
    const int i = node_of_draw[k] - first;
    if (i >= 0 && i < etas.cols()) draws_of_node[i].push_back(static_cast<int>(k));
  }
  std::vector<NodeGroup> used;
  for (const NodeGroup& group : group_nodes(model, etas)) {
    const auto begin = draws_of_node.begin() + group.first;
    if (std::any_of(begin, begin + group.count, [](const auto& mine) { return !mine.empty(); })) {
      used.push_back(group);
    }
  }
  const StudentT t(model.degrees_of_freedom());
  parallel_for(static_cast<long>(used.size()), model.execution, [&](long g) {
    const NodeGroup& group = used[g];
    std::unique_ptr<const PreparedGroup> made;
    const PreparedGroup& prepared = find_group(model, etas, group, cached, made);
    std::vector<DrawnNode> drawn;
    for (Eigen::Index i = 0; i < group.count; ++i) {
      const std::vector<int>& mine = draws_of_node[group.first + i];
      if (mine.empty()) continue;
      const ModelNodes alone(nodes.g, nodes.lambda.col(group.first + i), nodes.shift, nodes.scale);
      drawn.push_back({i, MixtureNodes(t, {alone}), mine});
    }
    visit(prepared, etas.col(group.first).data(), drawn);
  });
}

}  // namespace btg
