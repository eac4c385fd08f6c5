// The verdicts about a study, and the number of runs that would decide unclear claims.
//
// Standard errors fall as 1 / sqrt(runs). Claims follow from the tables alone, so judging tables
// with smaller standard errors tells how many runs would decide, if the means stayed as they are.
#pragma once

#include <cstdint>
#include <vector>

#include "reproduce/study.hpp"

namespace allot::reproduce {

/// The claims of a study. Unclear ones tell how many runs would decide, up to 10,000 times `runs`;
/// studies that limit their runs do not. Cost: at most 100 evaluations of the claims.
std::vector<Claim> judged_claims(const Study& study, const Tables& tables, std::uint32_t runs);

}  // namespace allot::reproduce
