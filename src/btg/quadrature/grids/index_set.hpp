// The indices of a dimension-adaptive sparse grid (Gerstner and Griebel 2003): levels of
// each coordinate, from 0. With an index, the set contains all those below it; it grows
// above the indices that contribute most.
#pragma once

#include <map>
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
  double remaining() const;

  bool can_grow() const;

  // The indices to insert next: those above the open ones that contribute at least half as
  // much as the largest. Several at a time, so that their points are evaluated together.
  std::vector<LevelIndex> grow();

 private:
  // Above an open index nothing was asked for; above a cut one, something is missing.
  enum class State { open, refined, cut };
  struct Found {
    State state;
    double contribution;
  };

  // The indices one below, in each coordinate where there is one.
  static std::vector<LevelIndex> below(const LevelIndex& index);

  bool has_all_below(const LevelIndex& index) const;

  int levels_;
  std::map<LevelIndex, Found> found_;
};

}  // namespace btg
