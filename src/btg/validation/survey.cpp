#include "btg/validation/survey.hpp"

#include <vector>

#include "btg/base/error.hpp"
#include "btg/node/evaluate.hpp"

namespace btg {

Survey survey(const Model& model, const Eigen::MatrixXd& etas, const Points& data_points,
              const Folds& folds) {
  const Points points = model.expand(data_points);
  LatentPredictions at(etas.cols(), points.size(), 0, false);
  LeftOut left_out = nothing_left_out(model, folds, etas.cols());
  const std::vector<PointBatch> batches = batches_of(model, points, {});
  for_each_group(model, etas, [&](const KernelNode* node, const NodeGroup& group) {
    if (!node) throw Error("numerical", "The kernel matrix of a kept node could not be factored.");
    predict_group(model, etas, PreparedGroup(model, etas, group, *node, false), batches, at);
    if (folds.count() > 0) leave_out_group(model, *node, etas, group, folds, true, left_out);
  });
  note_exact_fits(left_out);
  return {at.at, left_out};
}

}  // namespace btg
