// Logarithms of gamma variates: with a small shape the variate itself would underflow.
#pragma once

#include "allot/base/rng.hpp"

namespace allot {

/// Logarithm of a Gamma(shape, 1) variate [MT00], shape positive. Shapes below 1 use Gamma(shape) =
/// Gamma(shape+1) U^(1/shape). The result is -inf only for shapes below 1e-306.
double log_gamma_variate(Rng& rng, double shape);

}  // namespace allot
