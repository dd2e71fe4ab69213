// New points, grouped by the sites that they are predicted from.
#pragma once

#include <vector>

namespace btg {

struct SiteGroup {
  int block;                // whose cell contains the points
  std::vector<int> points;  // rows of the points
  std::vector<int> sites;   // positions
};

using SiteGroups = std::vector<SiteGroup>;

}  // namespace btg
