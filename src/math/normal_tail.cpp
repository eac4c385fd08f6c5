#include "allot/math/normal_tail.hpp"

#include "math/lane_exp.hpp"

namespace allot::math {

double normal_tail(double z) { return z < 0 ? 1 - lane_normal_tail(-z) : lane_normal_tail(z); }

}  // namespace allot::math
