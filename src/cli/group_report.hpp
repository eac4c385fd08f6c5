// How far the members of groups err together (aggregate/group_errors.hpp), as a table, as JSON and
// as warnings.
#pragma once

#include <string>
#include <vector>

#include "allot/aggregate/class_answers.hpp"

namespace allot::cli {

/// Groups by name, and the errors of each.
struct GroupReport {
  std::vector<std::string> names;
  std::vector<aggregate::GroupErrors> errors;
};

/// "judges: 9 members worth 2.1 votes; ...".
std::string group_summary(const GroupReport& report);
/// A table with one row per group, and what its columns mean.
std::string group_table(const GroupReport& report);
/// A JSON array with one object per group.
std::string groups_json(const GroupReport& report);
/// A warning for every group whose errors nobody could see.
std::vector<std::string> unchecked_groups(const GroupReport& report);

}  // namespace allot::cli
