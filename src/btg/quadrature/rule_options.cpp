#include "btg/quadrature/rule_options.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

#include "btg/base/error.hpp"

namespace btg {

void RuleOptions::set(const std::string& name, const Value& value) {
  const auto found = values_.find(name);
  if (found == values_.end() || found->second.index() != value.index()) {
    throw Error("quadrature", "The rule has no such option as this `" + name + "`.");
  }
  found->second = value;
}

int RuleOptions::whole(const std::string& name, int lowest, int highest) const {
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

const std::string& RuleOptions::choice(const std::string& name,
                                       const std::vector<std::string>& choices) const {
  const std::string& value = std::get<std::string>(values_.at(name));
  if (std::find(choices.begin(), choices.end(), value) != choices.end()) return value;
  std::string message = "`" + name + "` must be one of";
  for (const std::string& choice : choices) {
    message += (&choice == &choices.front() ? " \"" : ", \"") + choice + "\"";
  }
  throw Error("quadrature", message + ".");
}

void check_node_count(const std::string& rule, double count, const RuleOptions& options) {
  const int most = options.whole("most", 1);
  if (count <= most) return;
  std::ostringstream message;
  message << "The rule \"" << rule << "\" would need up to " << std::setprecision(15) << count
          << " nodes, more than `most` = " << most
          << ". Ask less of it, raise `most`, or choose another rule.";
  throw Error("quadrature", message.str());
}

}  // namespace btg
