// The one exception the core throws. `kind` becomes the class of the R condition.
#pragma once

#include <stdexcept>
#include <string>

namespace btg {

struct Error : std::runtime_error {
  Error(std::string kind_, const std::string& message)
      : std::runtime_error(message), kind(std::move(kind_)) {}
  std::string kind;
};

}  // namespace btg
