// Pools of workers as people write them: a sum of types, each NAME=COUNT*RELIABILITY@PRICE.
//
//   llm=3*beta(9,1)@0.001+people=20*beta(4,1)@0.08
//
// RELIABILITY is beta(A,B) or a proper distribution of distribution_text.hpp; a mixture, whose plus
// signs would be those of the pool, stands in parentheses: 5*mix:(0.8*beta(9,1)+0.2*beta(1,1)). A
// name that is left out is type-1, type-2, ... by the place of the type; a price that is left out
// is 1.
#pragma once

#include <string_view>

#include "allot/base/result.hpp"
#include "allot/model/worker_pool.hpp"

namespace allot::io {

/// Refusals name the text, the type that is not understood, and what would be accepted.
Result<model::WorkerPool> parse_pool(std::string_view text);

}  // namespace allot::io
