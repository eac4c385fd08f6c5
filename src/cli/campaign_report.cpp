// What is known of a campaign: where it stands, its answers and workers, and whether its ledger
// adds up.
#include <fmt/format.h>

#include <algorithm>

#include "allot/base/text.hpp"
#include "allot/base/time_text.hpp"
#include "base/try.hpp"
#include "cli/campaign_commands.hpp"
#include "cli/campaign_file.hpp"
#include "cli/campaign_rows.hpp"
#include "cli/output.hpp"

namespace allot::cli {
namespace {

using campaign::Phase;
using campaign::State;
using campaign::Status;
using campaign::Verification;

std::string whole(std::uint64_t count) { return fmt::format("{}", count); }

/// Labels from the first to the last event, by the day; a shorter time counts as one.
double labels_a_day(const Status& status) {
  const std::chrono::duration<double, std::ratio<86400>> time = status.last_event - status.started;
  return static_cast<double>(status.labels) / std::max(1.0, time.count());
}

std::string settled_json(const Status& status) {
  std::vector<std::string> members;
  for (const auto& [reason, count] : status.settled)
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
  for (const auto& [reason, count] : status.settled) settled += count;
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
                               number_text(labels_a_day(status)),
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
  Sheet sheet(columns);
  sheet.add(std::move(row));
  return sheet.text(format == RowFormat::json ? RowFormat::jsonl : format);
}

std::string settled_text(const Status& status) {
  if (status.settled.empty()) return "none";
  std::uint64_t all = 0;
  std::vector<std::string> parts;
  for (const auto& [reason, count] : status.settled) {
    all += count;
    parts.push_back(fmt::format("{} {}", count, reason));
  }
  return fmt::format("{} ({})", all, fmt::join(parts, ", "));
}

/// Why it does not go on.
std::string status_reason(const Status& status) {
  if (status.phase == Phase::running || status.reason.empty()) return "";
  return status.phase == Phase::paused ? " by the stop rule " + status.reason
                                       : " (" + status.reason + ")";
}

/// Leases end in the ledger, and looking at it changes nothing.
std::string over_note(const std::vector<campaign::Lease>& over) {
  Money reserved;
  for (const campaign::Lease& one : over) reserved = reserved + one.price;
  return fmt::format("{} at hand expired: {} of what is reserved comes back with the next command",
                     count_text(over.size(), "item"), money_text(reserved));
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
  const double a_day = labels_a_day(status);
  line("labels",
       fmt::format("{}, {} a day{}{}", status.labels,
                   a_day < 1e4 ? fmt::format("{:.4g}", a_day) : fmt::format("{:.0f}", a_day),
                   status.gold_labels > 0
                       ? fmt::format("; {} of items with a known answer", status.gold_labels)
                       : "",
                   status.imported > 0 ? fmt::format("; {} imported", status.imported) : ""));
  line("workers", fmt::format("{}, {} at hand", status.workers, count_text(status.leases, "item")));
  line("expected accuracy",
       fmt::format("{:.4f}{}", status.expected_accuracy,
                   status.bound ? fmt::format(", no policy gets beyond {:.4f} with what is left",
                                              *status.bound)
                                : ""));
  if (status.accuracy) {
    line("accuracy", fmt::format("{:.4f} of {} whose truth is known", *status.accuracy,
                                 count_text(status.references, "item")));
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
        fmt::format("Campaign {}: {} folded and {} made again, {}\n", in_quotes(name),
                    count_text(found.events, "event"), count_text(found.decisions, "decision"),
                    found.differences.empty() ? "all as kept"
                                              : count_text(found.differences.size(), "difference"));
    for (const std::string& line : found.differences) text += "  " + line + "\n";
    return text;
  }
  std::vector<std::string> lines;
  for (const std::string& line : found.differences) lines.push_back(json_string(line));
  Sheet sheet({{"campaign"},
               {"events", Kind::exact},
               {"decisions", Kind::exact},
               {"differences", Kind::json}});
  sheet.add({name, whole(found.events), whole(found.decisions),
             format == RowFormat::csv ? whole(lines.size()) : json_array(lines)});
  return sheet.text(format == RowFormat::json ? RowFormat::jsonl : format);
}

Result<Output> list_campaigns(const CampaignFlags& where, const RowFlags& flags) {
  const auto format = TRY(read_rows(flags));
  const auto store = TRY(store::open_sqlite(where.file, {.mode = store::OpenMode::read}));
  const auto names = TRY(store->campaigns());
  Sheet sheet({{"campaign"},
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
    const auto seen = open->read([&](const State& state) {
      sheet.add({name, std::string(campaign::name(state.phase())),
                 fmt::format("{}", fmt::join(state.options().classes, ",")), state.options().policy,
                 whole(state.item_count()), whole(state.label_count()), whole(state.worker_count()),
                 money_text(state.budget()), money_text(state.spent()),
                 time_text(state.started())});
    });
    if (!seen) return tl::unexpected(seen.error());
  }
  return delivered(sheet.text(format), flags.output);
}

Result<Output> show_status(const CampaignFlags& where, const RowFlags& flags) {
  const auto format = TRY(read_rows(flags));
  return reading(where, [&](const OpenCampaign& open) {
    return open->status().and_then([&](const Status& status) {
      return looked_at(open, [&](const State& state) { return state.over(open.now); })
          .map([&](const std::vector<campaign::Lease>& over) {
            Output output =
                delivered(format == RowFormat::table ? status_table(open->name(), status)
                                                     : status_rows(open->name(), status, format),
                          flags.output);
            if (!over.empty()) output.notes.push_back(over_note(over));
            return output;
          });
    });
  });
}

Result<Output> show_answers(const CampaignFlags& where, const RowFlags& flags) {
  const auto format = TRY(read_rows(flags));
  return reading(where, [&](const OpenCampaign& open) {
    return answer_sheet(open).map(
        [&](const Sheet& sheet) { return delivered(sheet.text(format), flags.output); });
  });
}

Result<Output> show_workers(const CampaignFlags& where, const RowFlags& flags) {
  const auto format = TRY(read_rows(flags));
  return reading(where, [&](const OpenCampaign& open) {
    return worker_sheet(open).map(
        [&](const Sheet& sheet) { return delivered(sheet.text(format), flags.output); });
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
