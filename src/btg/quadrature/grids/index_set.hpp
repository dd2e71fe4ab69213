// The indices of a dimension-adaptive sparse grid (Gerstner and Griebel 2003): levels of
// each coordinate, from 0. With an index, the set contains all those below it; it grows
// above the indices that contribute most.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace btg {

using LevelIndex = std::vector<int>;

class IndexSet {
 public:
  explicit IndexSet(int levels) : levels_(levels) {}

  void insert(const LevelIndex& index, double contribution) {
    found_[index] = {State::open, contribution};
  }

  // Says that `index`, one of grow(), will not be inserted.
  void reject(const LevelIndex& index) {
    for (const LevelIndex& parent : below(index)) found_.at(parent).state = State::cut;
  }

  // What the outermost indices contribute, those on top of which something is missing.
  double remaining() const {
    double sum = 0.0;
    for (const auto& [index, found] : found_) {
      if (found.state != State::refined) sum += found.contribution;
    }
    return sum;
  }

  bool can_grow() const {
    return std::any_of(found_.begin(), found_.end(),
                       [](const auto& entry) { return entry.second.state == State::open; });
  }

  // The indices to insert next: those above the open ones that contribute at least half as
  // much as the largest. Several at a time, so that their points are evaluated together.
  std::vector<LevelIndex> grow() {
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

 private:
  // Above an open index nothing was asked for; above a cut one, something is missing.
  enum class State { open, refined, cut };
  struct Found {
    State state;
    double contribution;
  };

  // The indices one below, in each coordinate where there is one.
  static std::vector<LevelIndex> below(const LevelIndex& index) {
    std::vector<LevelIndex> result;
    for (std::size_t k = 0; k < index.size(); ++k) {
      if (index[k] == 0) continue;
      result.push_back(index);
      --result.back()[k];
    }
    return result;
  }

  bool has_all_below(const LevelIndex& index) const {
    const std::vector<LevelIndex> parents = below(index);
    return std::all_of(parents.begin(), parents.end(), [&](const LevelIndex& parent) {
      const auto at = found_.find(parent);
      return at != found_.end() && at->second.state != State::open;
    });
  }

  int levels_;
  std::map<LevelIndex, Found> found_;
};

}  // namespace btg
