#include "allot/math/entropy.hpp"

#include <algorithm>
#include <cmath>

namespace allot::math {

double entropy(double error) {
  return error <= 0 ? 0 : -error * std::log(error) - (1 - error) * std::log1p(-error);
}

double entropy(std::span<const double> shares, double all) {
  double result = 0;
  for (const double part : shares) {
    const double share = part / all;
    result -= share > 0 ? share * std::log(share) : 0;
  }
  return std::max(result, 0.0);
}

}  // namespace allot::math
