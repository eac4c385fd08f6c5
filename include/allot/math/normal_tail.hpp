// The tail of the normal distribution.
#pragma once

namespace allot::math {

/// Phi(-z), Phi the standard normal distribution function. The absolute error is at most 6e-16. The
/// relative error is at most 1.2e-15 (1 + z^2) for z <= 37, the effect of one wrong last bit of z.
/// Beyond 37.5 the value stays at 5e-308. Cost: about 15 ns.
double normal_tail(double z);

}  // namespace allot::math
