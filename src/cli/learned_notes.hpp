// What a method of aggregation learned beside its answers, in lines for people.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "allot/aggregate/registry.hpp"
#include "allot/io/label_csv.hpp"

namespace allot::cli {

/// Items with labels that `pooled` would answer otherwise without the features it used, which takes
/// another call; nothing for other methods, and where it used none.
Result<std::optional<std::uint32_t>> decided_by_features(const model::LabelSet& labels,
                                                         const std::string& method,
                                                         aggregate::MethodOptions options,
                                                         const aggregate::Aggregation& made);

/// What was used beside the labels, and what would help. Empty for methods that do not learn that.
std::vector<std::string> learned_notes(const io::LabelFile& file, const std::string& method,
                                       const aggregate::Aggregation& made,
                                       std::optional<std::uint32_t> by_features);

}  // namespace allot::cli
