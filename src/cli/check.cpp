// Checks the data folder of a server.
#include "allot/base/text.hpp"
#include "allot/store/location.hpp"
#include "base/errors.hpp"
#include "cli/commands.hpp"
#include "cli/formats.hpp"
#include "serve/folder_check.hpp"

namespace allot::cli {
namespace {

struct CheckFlags {
  std::string data;
  RowFlags rows;
};

std::string state_of(const serve::FileCheck& file) {
  if (!file.problem.empty()) return "cannot be used";
  return file.is_older() ? fmt::format("will be updated to format {}", file.newest) : "ok";
}

/// What starting this version on the folder does.
std::string forecast(const serve::FolderCheck& check) {
  if (check.problems() > 0) {
    return fmt::format("{} cannot be used; restore {} from a backup\n",
                       count_text(check.problems(), "file"), check.problems() == 1 ? "it" : "them");
  }
  if (check.older() == 0) return "An upgrade to this version changes no file\n";
  return fmt::format(
      "An upgrade to this version updates {}; older versions then refuse the folder, so back it up "
      "first\n",
      count_text(check.older(), "file"));
}

Result<Output> run_check(const CheckFlags& flags) {
  const auto format = TRY(read_rows(flags.rows));
  if (store::is_database(flags.data)) {
    return invalid("DATA {} is a database; expected a data folder",
                   in_quotes(store::shown_location(flags.data)));
  }
  const auto check = TRY(serve::check_folder(flags.data));
  DataTable table({{"file"},
                   {"campaign"},
                   {"format", Kind::exact},
                   {"records", Kind::exact},
                   {"bytes", Kind::exact},
                   {"state"}});
  for (const serve::FileCheck& file : check.files) {
    table.add({file.file, file.campaign, std::to_string(file.format),
               file.campaign.empty() ? "" : std::to_string(file.records),
               std::to_string(file.bytes), state_of(file)});
  }
  std::string text = table.text(format);
  if (format == RowFormat::table) {
    text += "\n" + forecast(check);
    if (check.in_use) text += "A server is at work on the folder\n";
  }
  Output output = delivered(std::move(text), flags.rows.output);
  for (const serve::FileCheck& file : check.files) {
    if (!file.problem.empty()) output.notes.push_back(file.problem);
  }
  output.status = check.problems() > 0 ? 1 : 0;
  return output;
}

}  // namespace

Command check_command() {
  return make_command<CheckFlags>(
      "check", "Check the data folder of a server, and say what an upgrade would do", run_check,
      [](Command& command, CheckFlags& flags) {
        command.require("DATA", &flags.data, "Data folder of the server, which can be at work");
        add_row_options(command, flags.rows);
      },
      {"Reads every record and changes nothing. The exit status is 1 if a file cannot be used."},
      {"allot check allot-data"});
}

}  // namespace allot::cli
