// The list of kernels. To add one, write its header and add a line here.
#pragma once

#include <array>

#include "btg/kernels/exponential.hpp"
#include "btg/kernels/kernel_functions.hpp"
#include "btg/kernels/matern32.hpp"
#include "btg/kernels/matern52.hpp"
#include "btg/kernels/rational_quadratic.hpp"
#include "btg/kernels/rbf.hpp"

namespace btg {

inline const auto& kernel_registry() {
  static const std::array kernels = {
      kernel_functions<Rbf>(),
      kernel_functions<Matern52>(),
      kernel_functions<Matern32>(),
      kernel_functions<Exponential>(),
      kernel_functions<RationalQuadratic>(),
  };
  return kernels;
}

}  // namespace btg
