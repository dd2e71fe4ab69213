// The sites that new points are predicted from, for a state that does not hold V: see
// BlockState::holds_v. V at n sites takes n r numbers, more than all else that predictions need,
// and computing it where it is needed costs less than the predictions.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <vector>

#include "btg/factor/block_state.hpp"
#include "btg/factor/site_groups.hpp"

namespace btg {

class LocalSites {
 public:
  // Restricts a state without V to the sites of the groups, computes V there and renumbers the
  // sites of the groups. Other states stay as they are.
  LocalSites(std::shared_ptr<const BlockState> of, SiteGroups its_groups);

  // For predictions only: the structure is still that of all sites, and there are no W_b.
  std::shared_ptr<const BlockState> state;
  SiteGroups groups;

  // Selects the rows of the sites in the columns that Factor::prepare returns. The rows of the
  // inducing functions are left out.
  Eigen::MatrixXd select(const Eigen::MatrixXd& prepared) const;

 private:
  void restrict_to(const BlockState& all, const std::vector<int>& positions);

  std::vector<int> positions_;  // of the renumbered sites
};

}  // namespace btg
