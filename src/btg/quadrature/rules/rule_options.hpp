// Options of a rule are doubles by name: read as whole numbers within bounds.
#pragma once

#include <cmath>
#include <iomanip>
#include <limits>
#include <sstream>
#include <string>

#include "btg/base/error.hpp"
#include "btg/quadrature/rule.hpp"

namespace btg {

// Throws unless the option is a whole number from `lowest` to `highest`.
inline int whole_option(const RuleOptions& options, const std::string& name, int lowest,
                        int highest = std::numeric_limits<int>::max()) {
  const double value = options.at(name);
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

// Throws if a rule would need more nodes than its option `most`. `count` may be far
// beyond the integers.
inline void check_node_count(const std::string& rule, double count, const RuleOptions& options) {
  const int most = whole_option(options, "most", 1);
  if (count <= most) return;
  std::ostringstream message;
  message << "The rule \"" << rule << "\" would need up to " << std::setprecision(15) << count
          << " nodes, more than `most` = " << most
          << ". Ask less of it, raise `most`, or choose another rule.";
  throw Error("quadrature", message.str());
}

}  // namespace btg
