// Distributions of soft labels as people write them.
//
//   uniform  jeffreys  haldane  beta:4,1  mix:0.6*beta(5,1)+0.4*beta(1,5)
#pragma once

#include <string_view>

#include "allot/base/result.hpp"
#include "allot/model/prior.hpp"
#include "allot/model/soft_labels.hpp"

namespace allot::io {

/// A prior. Refusals name the text and what would be accepted.
Result<model::Prior> parse_prior(std::string_view text);

/// A proper distribution as above, or soft labels from 0 to 1: a list with ranges, "0.1,0.25,0.9"
/// or "0..1:0.05". Refusals call the numbers `plural`.
Result<model::SoftLabels> parse_soft_labels(std::string_view text,
                                            std::string_view plural = "soft labels");

}  // namespace allot::io
