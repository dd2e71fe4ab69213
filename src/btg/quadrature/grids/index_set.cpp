#include "btg/quadrature/grids/index_set.hpp"

#include <algorithm>
#include <cstddef>
#include <set>

namespace btg {

double IndexSet::remaining() const {
  double sum = 0.0;
  for (const auto& [index, found] : found_) {
    if (found.state != State::refined) sum += found.contribution;
  }
  return sum;
}

bool IndexSet::can_grow() const {
  return std::any_of(found_.begin(), found_.end(),
                     [](const auto& entry) { return entry.second.state == State::open; });
}

std::vector<LevelIndex> IndexSet::grow() {
  double largest = 0.0;
  for (const auto& [index, found] : found_) {
    if (found.state == State::open) largest = std::max(largest, found.contribution);
  }
  std::set<LevelIndex> above;
  for (auto& [index, found] : found_) {
    if (found.state != State::open || found.contribution < 0.5 * largest) continue;
    found.state = State::refined;
    for (std::size_t k = 0; k < index.size(); ++k) {
      LevelIndex next = index;
      if (++next[k] < levels_) {
        above.insert(next);
      } else {
        found.state = State::cut;
      }
    }
  }
  std::vector<LevelIndex> result;
  for (const LevelIndex& index : above) {
    if (has_all_below(index)) result.push_back(index);
  }
  return result;
}

std::vector<LevelIndex> IndexSet::below(const LevelIndex& index) {
  std::vector<LevelIndex> result;
  for (std::size_t k = 0; k < index.size(); ++k) {
    if (index[k] == 0) continue;
    result.push_back(index);
    --result.back()[k];
  }
  return result;
}

bool IndexSet::has_all_below(const LevelIndex& index) const {
  const std::vector<LevelIndex> parents = below(index);
  return std::all_of(parents.begin(), parents.end(), [&](const LevelIndex& parent) {
    const auto at = found_.find(parent);
    return at != found_.end() && at->second.state != State::open;
  });
}

}  // namespace btg
