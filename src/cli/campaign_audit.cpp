// Audits of a campaign: start one, write what to check, report what the checks prove.
#include <fmt/format.h>

#include <set>

#include "allot/base/text.hpp"
#include "allot/io/review_csv.hpp"
#include "allot/io/text_file.hpp"
#include "base/errors.hpp"
#include "cli/audit_files.hpp"
#include "cli/audit_report.hpp"
#include "cli/campaign_commands.hpp"
#include "cli/field_columns.hpp"
#include "cli/options.hpp"
#include "io/table_reader.hpp"

namespace allot::cli {
namespace {

using campaign::AuditDraft;
using campaign::State;
using campaign::VerdictDraft;

struct CampaignAuditFlags : CampaignFlags {
  std::optional<std::string> checks, until, draws, verdicts, reviewer;
  std::optional<std::string> confidence;
  bool replace = false;
  std::string format = "table";
};

Result<AuditDraft> read_plan(const CampaignAuditFlags& flags) {
  AuditDraft draft{.replace = flags.replace};
  if (flags.checks && flags.until) {
    return invalid("--checks {} comes with --until; expected one of them",
                   in_quotes(*flags.checks));
  }
  if (flags.checks) {
    draft.checks = TRY(read_whole<std::uint32_t>("--checks", *flags.checks, 1, UINT32_MAX));
  }
  if (flags.until) draft.target = TRY(read_audit_target(*flags.until));
  if (flags.confidence) draft.confidence = TRY(read_audit_confidence(*flags.confidence));
  return draft;
}

/// Items that had neither a label nor a known answer when the audit began.
std::uint64_t unanswered_in(const State& state, const campaign::Audit& audit) {
  std::uint64_t count = 0;
  for (std::uint32_t i = 0; i < state.item_count(); ++i) {
    const bool judged = i < audit.start.answers.size() && audit.start.answers[i] > 0;
    count += !judged && !state.items().known(ItemId{i});
  }
  return count;
}

/// The report of `allot audit` about the answers that the audit of the campaign judges.
Result<AuditReport> report_of(const OpenCampaign& open) {
  const auto found = TRY(open->view().audit());
  if (!found) {
    return fail(ErrorCode::not_found,
                "the campaign has no audit yet; expected --checks N or --until X to start one");
  }
  AuditReport report;
  static_cast<audit::Report&>(report) = *found;
  report.seed = found->plan.seed;
  report.confidence = found->plan.confidence;
  report.draws = found->drawn;
  if (found->plan.checks == 0) report.target = found->plan.target;
  TRY(open.read([&](const State& state) {
    const campaign::Audit& audit = *state.audit();
    if (found->next) report.next_item = state.id(*found->next);
    report.answers.classes = state.options().classes;
    report.answers.stated = audit.stated();
    for (const ItemId item : audit.items()) {
      report.answers.items.push_back(state.id(item));
      report.answers.answers.push_back(audit.answer(item));
    }
    report.answers.unanswered = unanswered_in(state, audit);
  }));
  return report;
}

/// Whether a file of verdicts would read a column of that name as its own.
bool is_verdict_column(const std::string& name) {
  const std::string_view text = name;
  const auto is = [&](const io::WantedColumn& wanted) {
    return !io::places_of(std::span(&text, 1), wanted).empty();
  };
  return is(io::item_column()) || is(io::truth_column()) || is(io::reason_column());
}

/// Items that wait for a verdict, with an empty truth to fill in and what workers see of them.
Result<std::string> draws_csv(const OpenCampaign& open) {
  const auto waiting = TRY(open->view().audit_draws(UINT32_MAX));
  const auto shown = field_columns(TRY(fields_of(open->view(), waiting)), is_verdict_column);
  const auto line = [](std::vector<std::string> own, const std::vector<std::string>& more) {
    own.insert(own.end(), more.begin(), more.end());
    return csv_line(own);
  };
  std::string text = line({"item", "truth"}, shown.names);
  for (std::size_t n = 0; n < waiting.size(); ++n) text += line({waiting[n], ""}, shown.rows[n]);
  return text;
}

/// Refuses a verdict that the campaign would not take.
Result<void> check_row(const State& state, const std::string& reviewer, const io::ReviewRow& row) {
  TRY(campaign::class_named(state.options(), row.truth));
  const auto worker = state.find_worker(reviewer);
  const auto item = state.find_item(row.item);
  if (!worker || !item || !state.pairs().label(*item, *worker)) return {};
  return fail(ErrorCode::forbidden,
              "reviewer {} has labelled item {} as a worker; expected another reviewer",
              in_quotes(reviewer), in_quotes(row.item));
}

/// Takes verdicts on drawn items: all of the file, or none if one is refused.
Result<std::string> take_verdicts(const OpenCampaign& open, const CampaignAuditFlags& flags) {
  const auto bytes = TRY(in_option("--verdicts", io::read_text_file(*flags.verdicts)));
  const auto file = TRY(in_file(*flags.verdicts, io::parse_reviews(bytes)));
  const auto draws = TRY(open->view().audit_draws(UINT32_MAX));
  const std::set<std::string_view> waiting(draws.begin(), draws.end());
  std::vector<VerdictDraft> drafts;
  for (const io::ReviewRow& row : file.rows) {
    if (!waiting.contains(row.item)) {
      return invalid("{} line {}: item {} was not drawn, or has a verdict; expected one that waits",
                     file_name(*flags.verdicts), row.line, in_quotes(row.item));
    }
    const auto possible =
        TRY(open.read([&](const State& state) { return check_row(state, *flags.reviewer, row); }));
    if (!possible) {
      return fail(possible.error().code, "{} line {}: {}", file_name(*flags.verdicts), row.line,
                  possible.error().message);
    }
    drafts.push_back({row.item, row.truth, row.reason});
  }
  for (const auto& outcome : open->review(*flags.reviewer, drafts, open.now)) {
    if (!outcome) return tl::unexpected(outcome.error());
  }
  return fmt::format("{} recorded\n\n", count_text(drafts.size(), "verdict"));
}

Result<void> add_draws(const OpenCampaign& open, const std::string& file, Output& output) {
  std::string draws = TRY(draws_csv(open));
  output.files.push_back({file, std::move(draws)});
  return {};
}

Result<Output> start(const CampaignAuditFlags& flags) {
  const auto draft = TRY(read_plan(flags));
  return changing(flags, [&](const OpenCampaign& open) -> Result<Output> {
    const auto found = TRY(open->start_audit(draft, open.now));
    Output output{fmt::format(
        "audit {} of campaign {}: {} to judge, {}\n", found.number, in_quotes(open->name()),
        count_text(found.answers, "answer"),
        draft.checks ? fmt::format("{} to check", *draft.checks)
                     : fmt::format("to check until {} is proven", number_text(*draft.target)))};
    if (flags.draws) TRY(add_draws(open, *flags.draws, output));
    return output;
  });
}

Result<Output> record(const CampaignAuditFlags& flags) {
  const auto format = TRY(read_format(flags.format));
  if (!flags.reviewer) return invalid("--verdicts needs --reviewer; expected the reviewer's name");
  return changing(flags, [&](const OpenCampaign& open) -> Result<Output> {
    const auto done = TRY(take_verdicts(open, flags));
    const std::string report = report_text(TRY(report_of(open)), format);
    Output output{format == Format::table ? done + report : report};
    if (flags.draws) TRY(add_draws(open, *flags.draws, output));
    return output;
  });
}

Result<Output> show(const CampaignAuditFlags& flags) {
  const auto format = TRY(read_format(flags.format));
  const auto open = TRY(open_campaign(flags));
  Output output{report_text(TRY(report_of(open)), format)};
  if (flags.draws) TRY(add_draws(open, *flags.draws, output));
  return output;
}

Result<Output> audit(const CampaignAuditFlags& flags) {
  if (flags.draws) TRY(check_draws_file(*flags.draws));
  const bool starts = flags.checks || flags.until;
  if (starts && flags.verdicts) {
    return invalid("--verdicts {} comes with a new audit; expected one or the other",
                   in_quotes(*flags.verdicts));
  }
  if (!starts && flags.confidence) {
    return invalid("--confidence {} starts no audit; expected --checks or --until beside it",
                   in_quotes(*flags.confidence));
  }
  if (!starts && flags.replace) {
    return invalid("--replace starts no audit; expected --checks or --until beside it");
  }
  if (starts) return start(flags);
  return flags.verdicts ? record(flags) : show(flags);
}

void add_audit_options(Command& command, CampaignAuditFlags& flags) {
  command.add("--checks", &flags.checks, "N", "Start an audit with this number of checks");
  command.add("--until", &flags.until, "X",
              "Start an audit that certifies this accuracy as soon as it is proven");
  command.add("--confidence", &flags.confidence, "P", "Probability that a bound holds", "`0.95`");
  command.add("--replace", &flags.replace,
              "Give up an unfinished audit that has verdicts; otherwise a new one is refused");
  command.add("--draws", &flags.draws, "FILE",
              "Write the items that wait for a verdict as CSV, with an empty column truth and "
              "their fields");
  command.add("--verdicts", &flags.verdicts, "FILE",
              "Record verdicts on drawn items: columns `item`, `truth` and, if wanted, `reason`");
  command.add("--reviewer", &flags.reviewer, "NAME", "Name of the reviewer");
  add_format(command, flags.format);
}

}  // namespace

std::vector<Command> audit_commands() {
  return {campaign_command(
      "audit", "Prove how accurate the answers are, by checking some of them", Access::write, audit,
      add_audit_options,
      {"allot campaign audit sentiment.db --checks 100 --draws checks.csv",
       "allot campaign audit sentiment.db --verdicts checks.csv --reviewer eve",
       "allot campaign audit sentiment.db"},
      {"Without an option it prints what the latest audit proves. An audit judges the answers as "
       "they stood when it began. Its draws follow from the campaign's seed and stand in the "
       "ledger."})};
}

}  // namespace allot::cli
