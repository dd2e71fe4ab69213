// The only exception type that the core throws. `kind` becomes the class of the R condition.
#pragma once

#include <stdexcept>
#include <string>

namespace btg {

struct Error : std::runtime_error {
  Error(std::string kind_, const std::string& message, long point_ = -1)
      : std::runtime_error(message), kind(std::move(kind_)), point(point_) {}
  std::string kind;
  long point;  // index of the prediction point at fault, or -1
};

}  // namespace btg
