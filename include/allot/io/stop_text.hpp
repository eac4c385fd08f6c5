// Stop rules as people write them: accuracy:0.95, settled:0.99, worth:20, separated by commas.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "allot/base/result.hpp"
#include "allot/policy/stop_rules.hpp"

namespace allot::io {

/// Parses the rules, each at most once. Error messages name the rule and the accepted forms.
Result<policy::StopRules> parse_stop_rules(std::string_view text);

/// The rules one by one, such as "accuracy:0.95"; `parse_stop_rules` reads them, joined by commas.
std::vector<std::string> stop_texts(const policy::StopRules& rules);

}  // namespace allot::io
