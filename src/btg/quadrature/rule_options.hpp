// Named options of a rule: numbers, or strings for a choice.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

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

  // Throws unless the rule has an option of this name and type.
  void set(const std::string& name, const Value& value);

  double number(const std::string& name) const { return std::get<double>(values_.at(name)); }

  // Throws unless the option is a whole number from `lowest` to `highest`.
  int whole(const std::string& name, int lowest,
            int highest = std::numeric_limits<int>::max()) const;

  // 64 bits, because rules derive further seeds that exceed an int.
  std::uint64_t seed() const { return static_cast<std::uint64_t>(whole("seed", 0)); }

  // Throws unless the option is one of `choices`.
  const std::string& choice(const std::string& name, const std::vector<std::string>& choices) const;

 private:
  Values values_;
};

// Throws if a rule would need more nodes than its option `most`. `count` may exceed any integer.
void check_node_count(const std::string& rule, double count, const RuleOptions& options);

}  // namespace btg
