#include "btg/numerics/sobol_points.hpp"

#include <boost/random/sobol.hpp>
#include <exception>
#include <string>
#include <vector>

#include "btg/base/error.hpp"

namespace btg {

namespace {

// Mixes the seed of a dimension into 32 bits (finaliser of splitmix64).
std::uint32_t mix_seed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return static_cast<std::uint32_t>((x ^ (x >> 31)) >> 32);
}

std::uint32_t reverse_bits(std::uint32_t x) {
  x = (x >> 16) | (x << 16);
  x = ((x & 0xff00ff00u) >> 8) | ((x & 0x00ff00ffu) << 8);
  x = ((x & 0xf0f0f0f0u) >> 4) | ((x & 0x0f0f0f0fu) << 4);
  x = ((x & 0xccccccccu) >> 2) | ((x & 0x33333333u) << 2);
  return ((x & 0xaaaaaaaau) >> 1) | ((x & 0x55555555u) << 1);
}

// Owen's nested uniform scrambling by hashing: in reversed bits, each bit is flipped by a function
// of the bits below it (Burley 2020, "Practical hash-based Owen scrambling", with Vegdahl's
// constants).
std::uint32_t owen_scramble(std::uint32_t x, std::uint32_t seed) {
  x = reverse_bits(x);
  x ^= x * 0x3d20adeau;
  x += seed;
  x *= (seed >> 16) | 1u;
  x ^= x * 0x05526c56u;
  x ^= x * 0x53a22864u;
  return reverse_bits(x);
}

}  // namespace

Eigen::MatrixXd sobol_points(int dimension, int count, int first, std::uint64_t seed) {
  if (dimension < 1) return Eigen::MatrixXd(0, count);
  using Engine = boost::random::sobol_engine<std::uint_least32_t, 32>;
  Eigen::MatrixXd points(dimension, count);
  std::vector<std::uint32_t> current(dimension);
  try {
    Engine engine(dimension);
    for (int i = 0; i < first + count; ++i) {
      // Boost omits the origin, but the first 2^m points form a net only with it.
      for (int k = 0; k < dimension; ++k) current[k] = i == 0 ? 0u : engine();
      if (i < first) continue;
      for (int k = 0; k < dimension; ++k) {
        const std::uint32_t bits =
            owen_scramble(current[k], mix_seed(seed * 1000003u + static_cast<unsigned>(k)));
        points(k, i - first) = (bits + 0.5) / 4294967296.0;
      }
    }
  } catch (const std::exception&) {
    throw Error("quadrature",
                "Too many hyperparameters for Sobol points: " + std::to_string(dimension) + ".");
  }
  return points;
}

}  // namespace btg
