#include "cli/group_report.hpp"

#include <fmt/format.h>

#include "allot/base/text.hpp"
#include "cli/formats.hpp"
#include "cli/options.hpp"

namespace allot::cli {
namespace {

/// "0.46 (0.41 to 0.52)".
std::string correlation_text(const aggregate::GroupErrors& errors) {
  if (!errors.correlation) return "-";
  std::string text = fmt::format("{:.2f}", *errors.correlation);
  if (errors.bounds)
    text += fmt::format(" ({:.2f} to {:.2f})", errors.bounds->low, errors.bounds->high);
  return text;
}

}  // namespace

std::string group_summary(const GroupReport& report) {
  std::vector<std::string> parts;
  for (std::size_t g = 0; g < report.names.size(); ++g) {
    const aggregate::GroupErrors& one = report.errors[g];
    parts.push_back(fmt::format(
        "{}: {}{}", report.names[g], count_text(one.members, "member"),
        one.effective_votes ? fmt::format(" worth {:.1f} votes", *one.effective_votes) : ""));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string group_table(const GroupReport& report) {
  Table table({"group", "members", "error correlation", "effective votes", "items checked"});
  for (std::size_t g = 0; g < report.errors.size(); ++g) {
    const aggregate::GroupErrors& one = report.errors[g];
    table.add({report.names[g], fmt::format("{}", one.members), correlation_text(one),
               one.effective_votes ? fmt::format("{:.1f}", *one.effective_votes) : "-",
               fmt::format("{} of {}", one.outside, one.items)});
  }
  return table.text() +
         "\n  effective votes: independent votes that one label of each member is worth\n"
         "  items checked: labelled by the group and by somebody outside it, or known\n";
}

std::string groups_json(const GroupReport& report) {
  std::vector<std::string> rows;
  for (std::size_t g = 0; g < report.errors.size(); ++g) {
    const aggregate::GroupErrors& one = report.errors[g];
    const auto number = [](const std::optional<double>& value) {
      return value ? number_text(*value) : "null";
    };
    const auto& bounds = one.bounds;
    rows.push_back(fmt::format(
        "{{\"group\":{},\"members\":{},\"items\":{},\"checked\":{},\"error_correlation\":{},"
        "\"low\":{},\"high\":{},\"effective_votes\":{}}}",
        json_string(report.names[g]), one.members, one.items, one.outside, number(one.correlation),
        number(bounds ? std::optional(bounds->low) : std::nullopt),
        number(bounds ? std::optional(bounds->high) : std::nullopt), number(one.effective_votes)));
  }
  return fmt::format("[{}]", fmt::join(rows, ","));
}

std::vector<std::string> unchecked_groups(const GroupReport& report) {
  std::vector<std::string> texts;
  for (std::size_t g = 0; g < report.errors.size(); ++g) {
    if (report.errors[g].outside > 0) continue;
    texts.push_back(fmt::format(
        "warning: no worker outside group {} labelled its items, so its errors cannot be seen",
        in_quotes(report.names[g])));
  }
  return texts;
}

}  // namespace allot::cli
