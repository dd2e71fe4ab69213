// The index set of a dimension-adaptive sparse grid (Gerstner and Griebel 2003). An index holds the
// level of each coordinate, from 0. The set is downward closed and grows above the indices that
// contribute most.
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

  // Records that `index`, one of grow(), will not be inserted.
  void reject(const LevelIndex& index) {
    for (const LevelIndex& parent : below(index)) found_.at(parent).state = State::cut;
  }

  // Sum of the contributions of the outermost indices, which lack some index above them.
  double remaining() const;

  bool can_grow() const;

  // Returns the indices to insert next: those above the open ones that contribute at least half as
  // much as the largest. Returning several lets their points be evaluated together.
  std::vector<LevelIndex> grow();

 private:
  // Nothing above an open index has been tried; something above a cut one was rejected.
  enum class State { open, refined, cut };
  struct Found {
    State state;
    double contribution;
  };

  // The indices one level below, in each coordinate above level 0.
  static std::vector<LevelIndex> below(const LevelIndex& index);

  bool has_all_below(const LevelIndex& index) const;

  int levels_;
  std::map<LevelIndex, Found> found_;
};

}  // namespace btg
