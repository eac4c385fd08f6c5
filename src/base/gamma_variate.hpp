// Gamma variates by their logarithms: with a small shape the variate itself would underflow.
#pragma once

#include "allot/base/rng.hpp"

namespace allot {

/// log of a Gamma(shape, 1) variate [MT00], shape positive; shapes below 1 through Gamma(shape) =
/// Gamma(shape+1) U^(1/shape). -inf only for shapes below 1e-306.
double log_gamma_variate(Rng& rng, double shape);

}  // namespace allot
