// The groups of a campaign: which workers err together, and how far.
#include <algorithm>

#include "allot/aggregate/group_errors.hpp"
#include "allot/base/text.hpp"
#include "allot/io/group_csv.hpp"
#include "allot/io/text_file.hpp"
#include "base/errors.hpp"
#include "cli/campaign_commands.hpp"
#include "cli/formats.hpp"
#include "cli/group_report.hpp"
#include "cli/options.hpp"

namespace allot::cli {
namespace {

struct GroupsFlags : CampaignFlags, RowFlags {
  std::vector<std::string> groups;
};

/// Reads "ann=team", or a file.
Result<std::vector<WorkerGroup>> read_group_part(const std::string& option,
                                                 const std::string& text) {
  const std::size_t equals = text.rfind('=');
  if (equals != std::string::npos)
    return std::vector<WorkerGroup>{{text.substr(0, equals), text.substr(equals + 1)}};
  const auto file = TRY(in_option(option, io::read_text_file(text)));
  return in_file(text, io::list_groups(file));
}

std::string group_rows(const GroupReport& report, RowFormat format) {
  DataTable table({{"group"},
                   {"members", Kind::exact},
                   {"items", Kind::exact},
                   {"checked", Kind::exact},
                   {"error_correlation", Kind::real},
                   {"low", Kind::real},
                   {"high", Kind::real},
                   {"effective_votes", Kind::real}});
  const auto number = [](const std::optional<double>& value) {
    return value ? number_text(*value) : "";
  };
  for (std::size_t g = 0; g < report.names.size(); ++g) {
    const aggregate::GroupErrors& one = report.errors[g];
    const auto& bounds = one.bounds;
    table.add({report.names[g], fmt::format("{}", one.members), fmt::format("{}", one.items),
               fmt::format("{}", one.outside), number(one.correlation),
               number(bounds ? std::optional(bounds->low) : std::nullopt),
               number(bounds ? std::optional(bounds->high) : std::nullopt),
               number(one.effective_votes)});
  }
  return table.text(format);
}

/// Kinds of workers side by side.
std::string kind_table(const std::vector<campaign::KindRow>& rows) {
  Table table({"kind", "workers", "labels", "abstained", "spent", "right where known",
               "agrees with others", "cost per right label"});
  const auto part = [](const std::optional<double>& share, std::uint64_t of) {
    return share ? fmt::format("{:.3f} of {}", *share, of) : std::string("-");
  };
  for (const campaign::KindRow& one : rows) {
    table.add({one.kind.empty() ? "no group" : one.kind, fmt::format("{}", one.workers),
               fmt::format("{}", one.labels), fmt::format("{}", one.abstained),
               money_text(one.spent), part(one.accuracy(), one.known),
               part(one.agreement(), one.shared),
               one.cost_per_right() ? fmt::format("{:.4g}", *one.cost_per_right()) : "-"});
  }
  return table.text() +
         "\n  right where known: share of right labels of items whose class is known\n"
         "  agrees with others: share of items on which its most frequent label is that of all "
         "other workers\n"
         "  cost per right label: pay per label, divided by the share of right ones\n";
}

/// Without arguments it only reports the groups.
Result<Output> show_groups(const GroupsFlags& flags, RowFormat format) {
  const auto open = TRY(open_campaign(flags));
  const GroupReport report = TRY(group_report(*open.campaign));
  if (format != RowFormat::table) return delivered(group_rows(report, format), flags.output);
  if (report.names.empty()) {
    return delivered(fmt::format("campaign {} has no groups: workers err independently\n",
                                 in_quotes(open->name())),
                     flags.output);
  }
  Output output =
      delivered(group_table(report) + "\n" + kind_table(TRY(open->view().kinds())), flags.output);
  output.notes = unchecked_groups(report);
  return output;
}

Result<Output> change_groups(const GroupsFlags& flags) {
  const auto format = TRY(read_rows(flags));
  if (flags.groups.empty()) return show_groups(flags, format);
  const auto groups = TRY(read_worker_groups("WORKER=GROUP", flags.groups));
  return changing(flags, [&](const OpenCampaign& open) -> Result<Output> {
    TRY(open->set_groups(groups, open.now));
    const auto names = TRY(open.read([](const campaign::State& state) { return state.groups(); }));
    return Output{fmt::format("campaign {} has {}: beliefs follow {} from now on\n",
                              in_quotes(open->name()), count_text(names.names.size(), "group"),
                              names.names.size() == 1 ? "it" : "them")};
  });
}

}  // namespace

Result<std::vector<WorkerGroup>> read_worker_groups(const std::string& option,
                                                    const std::vector<std::string>& lists) {
  std::vector<WorkerGroup> groups;
  for (const std::string& text : read_names(lists)) {
    const auto part = TRY(read_group_part(option, text));
    for (const WorkerGroup& one : part) {
      if (one.first.empty()) {
        return invalid(
            "{} {} names no worker; expected WORKER=GROUP, such as small=models, or a file with "
            "one row per worker",
            option, in_quotes(text));
      }
      if (std::ranges::find(groups, one.first, &WorkerGroup::first) != groups.end()) {
        return invalid("{} gives worker {} two groups; expected one", option, in_quotes(one.first));
      }
      groups.push_back(one);
    }
  }
  return groups;
}

Result<GroupReport> group_report(const campaign::Campaign& campaign) {
  auto found = TRY(campaign.view().group_labels());
  const aggregate::ClassAnswers answers{found.labels.class_count, {}, found.probabilities};
  auto errors = aggregate::group_errors(found.labels, found.groups.of_worker, answers, found.known);
  return GroupReport{std::move(found.groups.names), std::move(errors)};
}

std::vector<Command> group_commands() {
  return {campaign_command<GroupsFlags>(
      "groups", "Say which workers err together, or show how far they do", Access::write,
      change_groups,
      [](Command& command, GroupsFlags& flags) {
        command.add("WORKER=GROUP", &flags.groups,
                    "Groups such as `small=models`, `small=` for none, or a file with one row per "
                    "worker");
        add_row_options(command, flags);
      },
      {"allot campaign groups sentiment.db small=models large=models",
       "allot campaign groups sentiment.db"})};
}

}  // namespace allot::cli
