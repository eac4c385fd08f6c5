// Stop rules as people write them: accuracy:0.95, settled:0.99, worth:20, with commas between them.
#pragma once

#include <string_view>

#include "allot/base/result.hpp"
#include "allot/policy/stop_rules.hpp"

namespace allot::io {

/// Each rule at most once. Refusals name the rule and what would be accepted.
Result<policy::StopRules> parse_stop_rules(std::string_view text);

}  // namespace allot::io
