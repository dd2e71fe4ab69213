// The mean of the response when normal noise is added to the process at one node.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "btg/predictive/censored_inverse.hpp"
#include "btg/transforms/transform.hpp"

namespace btg {

// E(Y | z inside the image) for z ~ N(f, sd^2), and its derivative in f.
struct NoisyMean {
  double value, slope;
};

// Requires sd > 0.
NoisyMean noisy_mean(const CensoredInverse& response, double f, double sd);

// The same at many f and sd in these intervals. Tabulates the response at the points of Gauss rules
// on panels about as wide as the noise, which serve all f and sd.
class NoisyMeans {
 public:
  NoisyMeans(const CensoredInverse& response, const Interval& f, const Interval& sd);
  NoisyMean at(double f, double sd) const;

 private:
  // Panels between two values of z, between which the response is smooth.
  struct Piece {
    double first, width;
    Eigen::ArrayXd z, value;  // the points, and the response there times the weight of the rule
  };
  void add_piece(double from, double to, double width);

  const CensoredInverse& response_;
  std::vector<Piece> pieces_;
  bool tabulated_ = true;
};

}  // namespace btg
