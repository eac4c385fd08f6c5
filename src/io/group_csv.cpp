#include "allot/io/group_csv.hpp"

#include "allot/base/text.hpp"
#include "base/errors.hpp"
#include "io/name_table.hpp"
#include "io/table_reader.hpp"

namespace allot::io {
namespace {

const WantedColumn& required_group_column() {
  static const WantedColumn column{"group", {{"group"}, {"family", "team"}}};
  return column;
}

}  // namespace

Result<std::vector<std::pair<std::string, std::string>>> list_groups(std::string_view text) {
  auto rows = TRY(TableReader::open(text, {worker_column(), required_group_column()}));
  NameTable workers;
  std::vector<std::pair<std::string, std::string>> groups;
  while (TRY(rows.next())) {
    if (rows.field(0).empty()) return refuse_line(rows.line(), "the worker is empty");
    const std::uint32_t worker = workers.number(rows.field(0));
    if (worker == groups.size()) {
      groups.emplace_back(rows.field(0), rows.field(1));
    } else if (groups[worker].second != rows.field(1)) {
      return refuse_line(
          rows.line(), "the group of worker {} is {}, but was {} before; expected one group",
          in_quotes(rows.field(0)), in_quotes(rows.field(1)), in_quotes(groups[worker].second));
    }
  }
  return groups;
}

Result<WorkerGroups> parse_groups(std::string_view text, std::span<const std::string> workers) {
  NameTable known, named;
  std::vector<std::uint32_t> group_of;
  for (const auto& [worker, group] : TRY(list_groups(text))) {
    known.number(worker);
    group_of.push_back(group.empty() ? 0 : named.number(group) + 1);
  }
  // Groups are numbered in the order of the workers, not of the rows.
  WorkerGroups result;
  std::vector<std::uint32_t> number(named.names().size() + 1, 0);
  for (const std::string& worker : workers) {
    const auto row = known.find(worker);
    const std::uint32_t group = row ? group_of[*row] : 0;
    if (group != 0 && number[group] == 0) {
      result.names.push_back(std::string(named.names()[group - 1]));
      number[group] = static_cast<std::uint32_t>(result.names.size());
    }
    result.of_worker.push_back(number[group]);
  }
  return result;
}

}  // namespace allot::io
