// Pools of workers as people write them: a sum of types, each `NAME=COUNT*RELIABILITY@PRICE`.
//
//   llm=3*beta(9,1)@0.001+people=20*beta(4,1)@0.08
//
// RELIABILITY is beta(A,B) or a proper distribution of distribution_text.hpp. A mixture needs
// parentheses around its sum: 5*mix:(0.8*beta(9,1)+0.2*beta(1,1)). The default names are type-1,
// type-2, ... by the position of the type; the default price is 1. A type that ends in ~R has
// members who err together: they repeat a shared view with the chance R.
//
//   judges=9*beta(6,2)@0.001~0.7+people=5*beta(8,2)@0.08
#pragma once

#include <string_view>

#include "allot/base/result.hpp"
#include "allot/model/worker_pool.hpp"

namespace allot::io {

/// Parses a pool. Error messages name the text, the type with the problem and the accepted form.
Result<model::WorkerPool> parse_pool(std::string_view text);

}  // namespace allot::io
