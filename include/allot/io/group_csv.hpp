// Group files: which workers err together, one row per worker.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "allot/base/result.hpp"

namespace allot::io {

/// Groups of some workers.
struct WorkerGroups {
  /// Names of the groups, in the order of their first members.
  std::vector<std::string> names;
  /// By worker: the number of their group, from 1; 0 for a worker alone.
  std::vector<std::uint32_t> of_worker;
};

/// The groups of these workers, from the columns worker and group. Workers without a row, or with
/// an empty group, are alone. Rows of other workers are skipped. Refuses a worker with two groups.
Result<WorkerGroups> parse_groups(std::string_view text, std::span<const std::string> workers);

/// Every worker named in the file with their group, in the order of the rows.
Result<std::vector<std::pair<std::string, std::string>>> list_groups(std::string_view text);

}  // namespace allot::io
