// Reports on a campaign: status, answers, workers and their agreement.
#include <algorithm>

#include "allot/base/text.hpp"
#include "allot/base/time_text.hpp"
#include "base/errors.hpp"
#include "campaign/rows.hpp"
#include "cli/agreement.hpp"
#include "cli/campaign_commands.hpp"
#include "cli/formats.hpp"
#include "cli/group_report.hpp"

namespace allot::cli {
namespace {

using campaign::Phase;
using campaign::State;
using campaign::Status;

struct ReportFlags : CampaignFlags, RowFlags {};

/// Columns of campaign::worker_columns() up to the standing.
constexpr std::size_t kWorkerTableColumns = 15;

std::string whole(std::uint64_t count) { return fmt::format("{}", count); }

/// Labels per day from the first to the last event; a shorter time counts as one day.
double labels_per_day(const Status& status) {
  const std::chrono::duration<double, std::ratio<86400>> time = status.last_event - status.started;
  return static_cast<double>(status.labels) / std::max(1.0, time.count());
}

/// Counts by name as a JSON object.
template <typename Counts, typename NameText>
std::string counts_json(const Counts& counts, NameText name_text) {
  std::vector<std::string> members;
  for (const auto& [name, count] : counts)
    members.push_back(fmt::format("{}: {}", json_string(name_text(name)), count));
  return fmt::format("{{{}}}", fmt::join(members, ", "));
}

std::string status_rows(const std::string& name, const Status& status, RowFormat format) {
  const auto plain = [](const std::string& reason) { return reason; };
  std::uint64_t settled = 0;
  for (const auto& [reason, count] : status.finished) settled += count;
  const auto& range = status.calibrated;
  const auto& answers = status.answers;
  return record_text(
      {{"campaign", name},
       {"phase", std::string(campaign::name(status.phase))},
       {"reason", status.reason},
       {"archived", status.archived ? "true" : "false", Kind::exact},
       {"started", time_text(status.started)},
       {"last_event", time_text(status.last_event)},
       {"budget", money_text(status.budget), Kind::exact},
       {"spent", money_text(status.spent), Kind::exact},
       {"reserved", money_text(status.reserved), Kind::exact},
       {"left", money_text(status.left), Kind::exact},
       {"items", whole(status.items), Kind::exact},
       {"gold", whole(status.gold), Kind::exact},
       {"workers", whole(status.workers), Kind::exact},
       {"leases", whole(status.leases), Kind::exact},
       {"labels", whole(status.labels), Kind::exact},
       {"gold_labels", whole(status.gold_labels), Kind::exact},
       {"imported", whole(status.imported), Kind::exact},
       {"excluded", whole(status.excluded), Kind::exact},
       {"labels_a_day", number_text(labels_per_day(status)), Kind::exact},
       {"settled", whole(settled), Kind::exact},
       {"answers", whole(answers.count), Kind::exact},
       {"unlabelled", whole(answers.unlabelled), Kind::exact},
       {"answers_expected_accuracy",
        answers.expected_accuracy ? number_text(*answers.expected_accuracy) : "", Kind::real},
       {"verified", answers.verified ? "true" : "false", Kind::exact},
       {"expected_accuracy", number_text(status.expected_accuracy), Kind::real},
       {"calibrated", range ? number_text(range->mean) : "", Kind::real},
       {"calibrated_low", range ? number_text(range->low) : "", Kind::real},
       {"calibrated_high", range ? number_text(range->high) : "", Kind::real},
       {"known_answers", whole(status.known_answers), Kind::exact},
       {"bound", status.bound ? number_text(*status.bound) : "", Kind::real},
       {"events", whole(status.events), Kind::exact},
       {"settled_by_reason", counts_json(status.finished, plain), Kind::json},
       {"labels_by_day", counts_json(status.labels_by_day, day_text), Kind::json}},
      format);
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

/// One line of a status.
std::string status_line(std::string_view what, const std::string& value) {
  return fmt::format("  {:<20}{}\n", what, value);
}

/// How many items have an answer, and how right the answers are.
std::string accuracy_lines(const Status& status) {
  const campaign::AnswerSummary& answers = status.answers;
  const std::uint32_t missing = answers.unlabelled;
  std::string text = status_line(
      "answers",
      fmt::format("{} of {}{}", answers.count, count_text(answers.count + missing, "item"),
                  missing == 0 ? ""
                               : fmt::format("; {} no label yet",
                                             missing == 1 ? "1 has" : whole(missing) + " have")));
  const std::string bound =
      status.bound ? fmt::format("; at most {:.4f} with the remaining budget if the model is right",
                                 *status.bound)
                   : "";
  text += status_line(
      "expected accuracy",
      !answers.expected_accuracy
          ? "no answer yet"
          : fmt::format("{:.4f} of these answers, estimated by the model{}{}",
                        *answers.expected_accuracy, answers.verified ? "" : ", not verified",
                        missing == 0 ? bound : ""));
  if (missing > 0) {
    text +=
        status_line("over all items", fmt::format("{:.4f} if items without a label are guessed{}",
                                                  status.expected_accuracy, bound));
  }
  if (const auto& range = status.calibrated) {
    text += status_line(
        "calibrated",
        fmt::format("{:.4f} of these answers, between {:.4f} and {:.4f}; rests on {}", range->mean,
                    range->low, range->high, count_text(status.known_answers, "known answer")));
  }
  if (answers.accuracy) {
    text +=
        status_line("accuracy", fmt::format("{:.4f} of {} to items with a truth", *answers.accuracy,
                                            count_text(answers.truths, "answer")));
  }
  return text;
}

std::string status_table(const std::string& name, const Status& status, const GroupReport& groups) {
  std::string text =
      fmt::format("Campaign {}: {}{}{}\n\n", in_quotes(name), campaign::name(status.phase),
                  status_reason(status), status.archived ? ", archived" : "");
  const auto line = [&](std::string_view what, const std::string& value) {
    text += status_line(what, value);
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
       fmt::format("{}, {} per day{}{}{}", status.labels,
                   per_day < 1e4 ? fmt::format("{:.4g}", per_day) : fmt::format("{:.0f}", per_day),
                   status.gold_labels > 0
                       ? fmt::format("; {} of items with a known answer", status.gold_labels)
                       : "",
                   status.imported > 0 ? fmt::format("; {} imported", status.imported) : "",
                   status.excluded > 0 ? fmt::format("; {} excluded", status.excluded) : ""));
  line("workers", fmt::format("{}, {} leased", status.workers, count_text(status.leases, "item")));
  if (!groups.names.empty()) line("groups", group_summary(groups));
  if (const auto& sample = status.people_sample) {
    line("people's sample",
         fmt::format("{} of {} labelled", sample->labelled, count_text(sample->items, "item")));
  }
  text += accuracy_lines(status);
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

Result<Output> list_campaigns(const ReportFlags& flags) {
  const auto format = TRY(read_rows(flags));
  const auto store = TRY(open_file(flags.file, store::OpenMode::read));
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
    TRY(open->view().read([&](const State& state) {
      table.add({name, std::string(state.archived() ? "archived" : campaign::name(state.phase())),
                 fmt::format("{}", fmt::join(state.options().classes, ",")), state.options().policy,
                 whole(state.item_count()), whole(state.label_counts().all),
                 whole(state.worker_count()), money_text(state.account().budget),
                 money_text(state.account().spent), time_text(state.started())});
    }));
  }
  return delivered(table.text(format), flags.output);
}

Result<Output> show_status(const ReportFlags& flags) {
  const auto format = TRY(read_rows(flags));
  const auto open = TRY(open_campaign(flags));
  const auto status = TRY(open->view().status(true, campaign::Beliefs::refitted));
  const auto over =
      TRY(open.read([&](const State& state) { return state.leases().over(open.now); }));
  const GroupReport groups = TRY(group_report(*open.campaign));
  Output output = delivered(format == RowFormat::table ? status_table(open->name(), status, groups)
                                                       : status_rows(open->name(), status, format),
                            flags.output);
  output.notes = unchecked_groups(groups);
  if (!over.empty()) output.notes.push_back(expired_note(over));
  return output;
}

Result<Output> show_answers(const ReportFlags& flags) {
  const auto format = TRY(read_rows(flags));
  const auto open = TRY(open_campaign(flags));
  const auto options = TRY(open.options());
  const auto answers = TRY(open->view().answers());
  DataTable table(campaign::answer_columns(options));
  for (const campaign::AnswerRow& answer : answers)
    table.add(campaign::answer_values(answer, options));
  return delivered(table.text(format), flags.output);
}

Result<Output> show_workers(const ReportFlags& flags) {
  const auto format = TRY(read_rows(flags));
  const auto open = TRY(open_campaign(flags));
  const auto workers = TRY(open->view().workers());
  // Columns behind the standing would not fit a terminal.
  const auto shown = [&](auto values) {
    if (format == RowFormat::table) values.resize(kWorkerTableColumns);
    return values;
  };
  DataTable table(shown(campaign::worker_columns()));
  for (const campaign::WorkerRow& worker : workers)
    table.add(shown(campaign::worker_values(worker)));
  return delivered(table.text(format), flags.output);
}

struct AgreementReportFlags : CampaignFlags, AgreementFlags {
  bool ordered = false;
  std::string format = "table";
  std::optional<std::string> output;
};

/// The line above the table: which labels were used.
std::string agreement_heading(const std::string& name, const campaign::AgreementLabels& used) {
  std::string text = fmt::format("Campaign {}: {}", in_quotes(name),
                                 count_text(used.labels.labels.size(), "label"));
  if (used.sample) {
    text += fmt::format(" of {} out of a random sample of {}, the first {} of each",
                        count_text(used.complete, "item"), used.sampled, used.sample->labels);
  }
  return text + "\n";
}

/// Why the numbers may mislead; empty if there is no reason.
std::string agreement_warning(const campaign::AgreementLabels& used) {
  if (!used.sample) {
    return "without an agreement sample, labels bought adaptively ask hard items more often, which "
           "makes agreement too low";
  }
  if (used.complete == used.sampled) return "";
  return fmt::format("{} of {} sampled items do not have their {} labels yet and are left out",
                     used.sampled - used.complete, used.sampled, used.sample->labels);
}

Result<Output> show_agreement(const AgreementReportFlags& flags) {
  const auto format = TRY(read_format(flags.format));
  auto how = TRY(read_agreement_options(flags, flags.ordered));
  TRY(check_writable("--output", flags.output));
  const auto open = TRY(open_campaign(flags));
  const auto used = TRY(open->view().agreement_labels());
  how.ordered = how.ordered || used.ordered;
  how.seed = used.seed;
  Output output =
      delivered(agreement_text({how, aggregate::measure_agreement(used.labels, how),
                                agreement_heading(open->name(), used), agreement_warning(used)},
                               format),
                flags.output);
  if (!flags.pairs_output) return output;
  const auto workers = TRY(open.read([](const State& state) {
    std::vector<std::string> names;
    for (std::uint32_t j = 0; j < state.worker_count(); ++j)
      names.push_back(state.name(WorkerId{j}));
    return names;
  }));
  add_pairs(output, *flags.pairs_output, pairs_csv(used.labels, workers, how));
  return output;
}

Command agreement_command() {
  return campaign_command<AgreementReportFlags>(
      "agreement", "Show how far workers agree with each other", Access::read, show_agreement,
      [](Command& command, AgreementReportFlags& flags) {
        command.add("--ordered", &flags.ordered,
                    "Classes have an order: adds the ordinal forms; campaigns with ordered classes "
                    "need no option");
        add_agreement_options(command, flags);
        add_format(command, flags.format);
        command.add("--output", &flags.output, "FILE", "File to write the output to",
                    "standard output");
      },
      {"allot campaign agreement reviews.db"});
}

Command report_command(const char* name, const char* summary,
                       Result<Output> (*run)(const ReportFlags&)) {
  return campaign_command<ReportFlags>(
      name, summary, Access::read, run,
      [](Command& command, ReportFlags& flags) { add_row_options(command, flags); });
}

}  // namespace

std::vector<Command> report_commands() {
  return {
      report_command("list", "List the campaigns of a file", list_campaigns),
      report_command("status", "Show money, items, labels and expected accuracy", show_status),
      report_command("answers", "Show all items with their answers and probabilities",
                     show_answers),
      report_command("workers", "Show the labels and reliability of every worker", show_workers),
      agreement_command()};
}

}  // namespace allot::cli
