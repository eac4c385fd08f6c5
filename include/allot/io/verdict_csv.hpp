// Files of verdicts: the items of an audit with the class that an expert gave each.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "allot/base/ids.hpp"
#include "allot/base/result.hpp"
#include "allot/io/finished_answers.hpp"

namespace allot::io {

/// Parses the columns item and truth; rows without a truth are skipped. Returns the truth of each
/// item that has one. Refuses an item that is not drawn, a class that the answers do not have (in
/// any notation: TRUE is true), and two verdicts that differ. `drawn` says which items are drawn.
Result<std::vector<std::optional<ClassId>>> parse_verdicts(std::string_view text,
                                                           const FinishedAnswers& answers,
                                                           const std::vector<bool>& drawn);

}  // namespace allot::io
