// Reports on a campaign: status, answers, workers, and whether its ledger adds up.
#include <fmt/format.h>

#include <algorithm>

#include "allot/base/text.hpp"
#include "allot/base/time_text.hpp"
#include "base/try.hpp"
#include "cli/campaign_commands.hpp"
#include "cli/campaign_file.hpp"
#include "cli/campaign_tables.hpp"
#include "cli/formats.hpp"

namespace allot::cli {
namespace {

using campaign::Phase;
using campaign::State;
using campaign::Status;
using campaign::Verification;

std::string whole(std::uint64_t count) { return fmt::format("{}", count); }

/// Labels per day from the first to the last event; a shorter time counts as one day.
double labels_per_day(const Status& status) {
  const std::chrono::duration<double, std::ratio<86400>> time = status.last_event - status.started;
  return static_cast<double>(status.labels) / std::max(1.0, time.count());
}

std::string settled_json(const Status& status) {
  std::vector<std::string> members;
  for (const auto& [reason, count] : status.finished)
    members.push_back(fmt::format("{}: {}", json_string(reason), count));
  return fmt::format("{{{}}}", fmt::join(members, ", "));
}

std::string days_json(const Status& status) {
  std::vector<std::string> members;
  for (const auto& [day, count] : status.labels_by_day)
    members.push_back(fmt::format("{}: {}", json_string(day_text(day)), count));
  return fmt::format("{{{}}}", fmt::join(members, ", "));
}

std::string status_rows(const std::string& name, const Status& status, RowFormat format) {
  const bool nested = format != RowFormat::csv;
  std::vector<Column> columns{{"campaign"},
                              {"phase"},
                              {"reason"},
                              {"started"},
                              {"last_event"},
                              {"budget", Kind::exact},
                              {"spent", Kind::exact},
                              {"reserved", Kind::exact},
                              {"left", Kind::exact},
                              {"items", Kind::exact},
                              {"gold", Kind::exact},
                              {"workers", Kind::exact},
                              {"leases", Kind::exact},
                              {"labels", Kind::exact},
                              {"gold_labels", Kind::exact},
                              {"imported", Kind::exact},
                              {"labels_a_day", Kind::exact},
                              {"settled", Kind::exact},
                              {"expected_accuracy", Kind::real},
                              {"bound", Kind::real},
                              {"events", Kind::exact}};
  std::uint64_t settled = 0;
  for (const auto& [reason, count] : status.finished) settled += count;
  std::vector<std::string> row{name,
                               std::string(campaign::name(status.phase)),
                               status.reason,
                               time_text(status.started),
                               time_text(status.last_event),
                               money_text(status.budget),
                               money_text(status.spent),
                               money_text(status.reserved),
                               money_text(status.left),
                               whole(status.items),
                               whole(status.gold),
                               whole(status.workers),
                               whole(status.leases),
                               whole(status.labels),
                               whole(status.gold_labels),
                               whole(status.imported),
                               number_text(labels_per_day(status)),
                               whole(settled),
                               number_text(status.expected_accuracy),
                               status.bound ? number_text(*status.bound) : "",
                               whole(status.events)};
  if (nested) {
    columns.push_back({"settled_by_reason", Kind::json});
    columns.push_back({"labels_by_day", Kind::json});
    row.push_back(settled_json(status));
    row.push_back(days_json(status));
  }
  DataTable table(columns);
  table.add(std::move(row));
  return table.text(format == RowFormat::json ? RowFormat::jsonl : format);
}

std::string settled_text(const Status& status) {
  if (status.finished.empty()) return "none";
  std::uint64_t all = 0;
  std::vector<std::string> parts;
  for (const auto& [reason, count] : status.finished) {
    all += count;
    parts.push_back(fmt::format("{} {}", count, reason));
  }
  return fmt::format("{} ({})", all, fmt::join(parts, ", "));
}

/// Why the campaign is paused or closed.
std::string status_reason(const Status& status) {
  if (status.phase == Phase::running || status.reason.empty()) return "";
  return status.phase == Phase::paused ? " by the stop rule " + status.reason
                                       : " (" + status.reason + ")";
}

/// Warning about expired leases: they end in the ledger, which a report does not change.
std::string expired_note(const std::vector<campaign::Lease>& over) {
  Money reserved;
  for (const campaign::Lease& lease : over) reserved = reserved + lease.price;
  return fmt::format("{} expired: {} of the reserved money comes back with the next command",
                     count_text(over.size(), "lease"), money_text(reserved));
}

std::string status_table(const std::string& name, const Status& status) {
  std::string text = fmt::format("Campaign {}: {}{}\n\n", in_quotes(name),
                                 campaign::name(status.phase), status_reason(status));
  const auto line = [&](std::string_view what, const std::string& value) {
    text += fmt::format("  {:<20}{}\n", what, value);
  };
  line("budget",
       fmt::format("{}: spent {}, reserved {}, left {}", money_text(status.budget),
                   money_text(status.spent), money_text(status.reserved), money_text(status.left)));
  line("items",
       fmt::format(
           "{}{}", status.items,
           status.gold > 0 ? fmt::format(", {} of them with a known answer", status.gold) : ""));
  line("settled", settled_text(status));
  const double per_day = labels_per_day(status);
  line("labels",
       fmt::format("{}, {} per day{}{}", status.labels,
                   per_day < 1e4 ? fmt::format("{:.4g}", per_day) : fmt::format("{:.0f}", per_day),
                   status.gold_labels > 0
                       ? fmt::format("; {} of items with a known answer", status.gold_labels)
                       : "",
                   status.imported > 0 ? fmt::format("; {} imported", status.imported) : ""));
  line("workers", fmt::format("{}, {} leased", status.workers, count_text(status.leases, "item")));
  line("expected accuracy",
       fmt::format("{:.4f}{}", status.expected_accuracy,
                   status.bound
                       ? fmt::format(", at most {:.4f} with the remaining budget", *status.bound)
                       : ""));
  if (status.accuracy) {
    line("accuracy", fmt::format("{:.4f} on {} with a truth", *status.accuracy,
                                 count_text(status.truths, "item")));
  }
  line("last event", fmt::format("{} ({} since {})", time_text(status.last_event),
                                 count_text(status.events, "event"), time_text(status.started)));
  if (status.labels_by_day.empty()) return text;
  constexpr std::size_t kMostDays = 7;
  const auto& days = status.labels_by_day;
  Table table({"day", "labels"});
  for (std::size_t n = days.size() - std::min(days.size(), kMostDays); n < days.size(); ++n)
    table.add({day_text(days[n].first), whole(days[n].second)});
  return text + "\n" + table.text();
}

std::string verification_text(const std::string& name, const Verification& found,
                              RowFormat format) {
  if (format == RowFormat::table) {
    std::string text =
        fmt::format("Campaign {}: {} replayed and {} repeated, {}\n", in_quotes(name),
                    count_text(found.events, "event"), count_text(found.decisions, "decision"),
                    found.differences.empty() ? "no differences"
                                              : count_text(found.differences.size(), "difference"));
    for (const std::string& line : found.differences) text += "  " + line + "\n";
    return text;
  }
  std::vector<std::string> lines;
  for (const std::string& line : found.differences) lines.push_back(json_string(line));
  DataTable table({{"campaign"},
                   {"events", Kind::exact},
                   {"decisions", Kind::exact},
                   {"differences", Kind::json}});
  table.add({name, whole(found.events), whole(found.decisions),
             format == RowFormat::csv ? whole(lines.size()) : json_array(lines)});
  return table.text(format == RowFormat::json ? RowFormat::jsonl : format);
}

Result<Output> list_campaigns(const CampaignFlags& where, const RowFlags& flags) {
  const auto format = TRY(read_rows(flags));
  const auto store = TRY(open_file(where.file, store::OpenMode::read));
  const auto names = TRY(store->campaigns());
  DataTable table({{"campaign"},
                   {"phase"},
                   {"classes"},
                   {"policy"},
                   {"items", Kind::exact},
                   {"labels", Kind::exact},
                   {"workers", Kind::exact},
                   {"budget", Kind::exact},
                   {"spent", Kind::exact},
                   {"started"}});
  for (const std::string& name : names) {
    const auto open = TRY(campaign::Campaign::open(*store, name));
    const auto seen = open->view().read([&](const State& state) {
      table.add({name, std::string(campaign::name(state.phase())),
                 fmt::format("{}", fmt::join(state.options().classes, ",")), state.options().policy,
                 whole(state.item_count()), whole(state.label_counts().all),
                 whole(state.worker_count()), money_text(state.account().budget),
                 money_text(state.account().spent), time_text(state.started())});
    });
    if (!seen) return tl::unexpected(seen.error());
  }
  return delivered(table.text(format), flags.output);
}

Result<Output> show_status(const CampaignFlags& where, const RowFlags& flags) {
  const auto format = TRY(read_rows(flags));
  return reading(where, [&](const OpenCampaign& open) {
    return open->view().status().and_then([&](const Status& status) {
      return state_value(open, [&](const State& state) { return state.leases().over(open.now); })
          .map([&](const std::vector<campaign::Lease>& over) {
            Output output =
                delivered(format == RowFormat::table ? status_table(open->name(), status)
                                                     : status_rows(open->name(), status, format),
                          flags.output);
            if (!over.empty()) output.notes.push_back(expired_note(over));
            return output;
          });
    });
  });
}

Result<Output> show_answers(const CampaignFlags& where, const RowFlags& flags) {
  const auto format = TRY(read_rows(flags));
  return reading(where, [&](const OpenCampaign& open) {
    return answer_table(open).map(
        [&](const DataTable& table) { return delivered(table.text(format), flags.output); });
  });
}

Result<Output> show_workers(const CampaignFlags& where, const RowFlags& flags) {
  const auto format = TRY(read_rows(flags));
  return reading(where, [&](const OpenCampaign& open) {
    return worker_table(open).map(
        [&](const DataTable& table) { return delivered(table.text(format), flags.output); });
  });
}

Result<Output> verify_campaign(const CampaignFlags& where, const RowFlags& flags) {
  const auto format = TRY(read_rows(flags));
  return reading(where, [&](const OpenCampaign& open) {
    return open->verify().map([&](const Verification& found) {
      Output output = delivered(verification_text(open->name(), found, format), flags.output);
      output.status = found.differences.empty() ? 0 : 1;
      return output;
    });
  });
}

void add_rows(Command& command, RowFlags& flags) { add_row_options(command, flags); }

}  // namespace

Command list_command() {
  return campaign_command("list", "List the campaigns of a file", Access::read, list_campaigns,
                          add_rows);
}

Command status_command() {
  return campaign_command("status", "Show money, items, labels and expected accuracy", Access::read,
                          show_status, add_rows);
}

Command answers_command() {
  return campaign_command("answers", "Show the answer of every item and its probability",
                          Access::read, show_answers, add_rows);
}

Command workers_command() {
  return campaign_command("workers", "Show the labels and reliability of every worker",
                          Access::read, show_workers, add_rows);
}

Command verify_command() {
  return campaign_command("verify", "Check the ledger: repeat every decision and compare",
                          Access::read, verify_campaign, add_rows);
}

}  // namespace allot::cli
