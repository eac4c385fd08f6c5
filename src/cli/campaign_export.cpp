// Exports a campaign for other programs: labels, answers, workers, and events.
#include "allot/campaign/export.hpp"
#include "allot/io/text_file.hpp"
#include "base/try.hpp"
#include "cli/campaign_commands.hpp"
#include "cli/campaign_file.hpp"
#include "cli/data_table.hpp"
#include "cli/options.hpp"

namespace allot::cli {
namespace {

using campaign::ExportFormat;
using campaign::ExportKind;

struct ExportFlags {
  std::string what;
  std::string format = "csv";
  std::optional<std::string> output;
};

Result<Output> export_campaign(const CampaignFlags& where, const ExportFlags& flags) {
  const auto what = TRY(read_choice<ExportKind, 5>("WHAT", flags.what,
                                                   {{{"labels", ExportKind::labels},
                                                     {"answers", ExportKind::answers},
                                                     {"probabilities", ExportKind::probabilities},
                                                     {"workers", ExportKind::workers},
                                                     {"events", ExportKind::events}}}));
  const auto format = TRY(read_choice<ExportFormat, 3>("--format", flags.format,
                                                       {{{"csv", ExportFormat::csv},
                                                         {"jsonl", ExportFormat::jsonl},
                                                         {"crowd-kit", ExportFormat::crowd_kit}}}));
  if (format == ExportFormat::crowd_kit && what == ExportKind::events) {
    return fail(ErrorCode::invalid_argument,
                "--format 'crowd-kit' has no form for events; expected csv or jsonl");
  }
  if (flags.output) {
    TRY(in_option("--output", io::check_writable(*flags.output)));
  }
  return reading(where, [&](const OpenCampaign& open) -> Result<Output> {
    campaign::Export rows(what, format);
    std::string text;
    while (true) {
      const auto piece = TRY(rows.next(open->view()));
      if (!piece) return delivered(std::move(text), flags.output);
      text += *piece;
    }
  });
}

void add_export_options(Command& command, ExportFlags& flags) {
  command.add("WHAT", &flags.what, "`labels`, `answers`, `probabilities`, `workers` or `events`")
      .require();
  command.add("--format", &flags.format, "F",
              "Output format: `csv`, `jsonl` or `crowd-kit` (the columns of that library)");
  command.add("--output", &flags.output, "FILE", "File to write the output to")
      .by_default("standard output");
}

}  // namespace

Command export_command() {
  Command command =
      campaign_command("export", "Export labels, answers, workers or events for other programs",
                       Access::read, export_campaign, add_export_options);
  command.examples = {
      "allot campaign export sentiment.db labels --format crowd-kit --output labels.csv"};
  return command;
}

}  // namespace allot::cli
