// The options of a rule by name: numbers, and words where there is a choice.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <iomanip>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "btg/base/error.hpp"

namespace btg {

class RuleOptions {
 public:
  using Value = std::variant<double, std::string>;
  using Values = std::map<std::string, Value>;

  RuleOptions() = default;
  RuleOptions(std::initializer_list<std::pair<const std::string, Value>> values)
      : values_(values) {}

  bool has(const std::string& name) const { return values_.count(name) > 0; }
  const Values& values() const { return values_; }

  // Throws unless the rule has an option of this name and kind.
  void set(const std::string& name, const Value& value) {
    const auto found = values_.find(name);
    if (found == values_.end() || found->second.index() != value.index()) {
      throw Error("quadrature", "The rule has no such option as this `" + name + "`.");
    }
    found->second = value;
  }

  double number(const std::string& name) const { return std::get<double>(values_.at(name)); }

  // Throws unless the option is a whole number from `lowest` to `highest`.
  int whole(const std::string& name, int lowest,
            int highest = std::numeric_limits<int>::max()) const {
    const double value = number(name);
    if (value == std::floor(value) && value >= lowest && value <= highest) {
      return static_cast<int>(value);
    }
    std::string message = "`" + name + "` must be a whole number ";
    if (highest == std::numeric_limits<int>::max()) {
      message += "of at least " + std::to_string(lowest) + ".";
    } else {
      message += "from " + std::to_string(lowest) + " to " + std::to_string(highest) + ".";
    }
    throw Error("quadrature", message);
  }

  // Seeds are counted on from, by more than an int has room for.
  std::uint64_t seed() const { return static_cast<std::uint64_t>(whole("seed", 0)); }

  // Throws unless the option is one of `choices`.
  const std::string& choice(const std::string& name,
                            const std::vector<std::string>& choices) const {
    const std::string& value = std::get<std::string>(values_.at(name));
    if (std::find(choices.begin(), choices.end(), value) != choices.end()) return value;
    std::string message = "`" + name + "` must be one of";
    for (const std::string& choice : choices) {
      message += (&choice == &choices.front() ? " \"" : ", \"") + choice + "\"";
    }
    throw Error("quadrature", message + ".");
  }

 private:
  Values values_;
};

// Throws if a rule would need more nodes than its option `most`. `count` may be far
// beyond the integers.
inline void check_node_count(const std::string& rule, double count, const RuleOptions& options) {
  const int most = options.whole("most", 1);
  if (count <= most) return;
  std::ostringstream message;
  message << "The rule \"" << rule << "\" would need up to " << std::setprecision(15) << count
          << " nodes, more than `most` = " << most
          << ". Ask less of it, raise `most`, or choose another rule.";
  throw Error("quadrature", message.str());
}

}  // namespace btg
