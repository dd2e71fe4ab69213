// Constants shared by formulas, mostly for the normal distribution.
#pragma once

namespace btg {

constexpr double log_two_pi = 1.8378770664093454836;
constexpr double pi = 3.1415926535897932385;
constexpr double sqrt_two = 1.4142135623730950488;

}  // namespace btg
