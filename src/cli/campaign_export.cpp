// Exports a campaign for other programs (labels, answers, workers, events), and verifies its
// ledger.
#include "allot/campaign/export.hpp"
#include "base/errors.hpp"
#include "cli/campaign_commands.hpp"
#include "cli/options.hpp"

namespace allot::cli {
namespace {

using campaign::ExportFormat;
using campaign::ExportKind;

struct ExportFlags : CampaignFlags {
  std::string what;
  std::string format = "csv";
  std::optional<std::string> output;
};

struct VerifyFlags : CampaignFlags, RowFlags {};

Result<Output> export_campaign(const ExportFlags& flags) {
  const auto what = TRY(read_choice<ExportKind>("WHAT", flags.what,
                                                {{"labels", ExportKind::labels},
                                                 {"answers", ExportKind::answers},
                                                 {"probabilities", ExportKind::probabilities},
                                                 {"workers", ExportKind::workers},
                                                 {"events", ExportKind::events},
                                                 {"sessions", ExportKind::sessions},
                                                 {"bonuses", ExportKind::bonuses},

                                                 {"skips", ExportKind::skips},
                                                 {"kinds", ExportKind::kinds},
                                                 {"results", ExportKind::results}}));
  const auto format = TRY(read_choice<ExportFormat>("--format", flags.format,
                                                    {{"csv", ExportFormat::csv},
                                                     {"jsonl", ExportFormat::jsonl},
                                                     {"crowd-kit", ExportFormat::crowd_kit}}));
  if (format == ExportFormat::crowd_kit && !campaign::has_crowd_kit_form(what))
    return invalid("--format 'crowd-kit' has no form for {}; expected csv or jsonl", flags.what);
  TRY(check_writable("--output", flags.output));
  const auto open = TRY(open_campaign(flags));
  campaign::Export rows(what, format);
  std::string text;
  while (const auto piece = TRY(rows.next(open->view()))) text += *piece;
  Output output = delivered(std::move(text), flags.output);
  const bool has_prices =
      TRY(open.read([](const campaign::State& state) { return state.has_prices(); }));
  if (what == ExportKind::bonuses && !has_prices) {
    output.notes.push_back(
        "every label has the price 1, so the amounts are numbers of labels; pay them only if a "
        "label costs 1 in money");
  }
  return output;
}

std::string verification_text(const std::string& name, const campaign::Verification& found,
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
  const auto whole = [](std::uint64_t count) { return fmt::format("{}", count); };
  std::vector<std::string> lines;
  for (const std::string& line : found.differences) lines.push_back(json_string(line));
  const std::string differences =
      format == RowFormat::csv ? whole(lines.size()) : json_array(lines);
  return record_text({{"campaign", name},
                      {"events", whole(found.events), Kind::exact},
                      {"decisions", whole(found.decisions), Kind::exact},
                      {"differences", differences, Kind::exact}},
                     format);
}

Result<Output> verify_campaign(const VerifyFlags& flags) {
  const auto format = TRY(read_rows(flags));
  const auto open = TRY(open_campaign(flags));
  const auto found = TRY(open->verify());
  Output output = delivered(verification_text(open->name(), found, format), flags.output);
  output.status = found.differences.empty() ? 0 : 1;
  return output;
}

void add_export_options(Command& command, ExportFlags& flags) {
  command.require(
      "WHAT", &flags.what,
      "`labels`, `answers`, `probabilities`, `workers`, `events`, `sessions`, `bonuses`, "
      "`skips`, `kinds` of workers, or `results`: every item with its fields and its answer");
  command.add("--format", &flags.format, "F",
              "Output format: `csv`, `jsonl` or `crowd-kit` (the columns of that library)");
  command.add("--output", &flags.output, "FILE", "File to write the output to", "standard output");
}

void add_verify_options(Command& command, VerifyFlags& flags) { add_row_options(command, flags); }

}  // namespace

std::vector<Command> export_commands() {
  return {
      campaign_command(
          "export", "Export labels, answers, results, workers, skips or events for other programs",
          Access::read, export_campaign, add_export_options,
          {"allot campaign export sentiment.db labels --format crowd-kit --output labels.csv"}),
      campaign_command("verify", "Check the ledger: repeat every decision and compare",
                       Access::read, verify_campaign, add_verify_options)};
}

}  // namespace allot::cli
