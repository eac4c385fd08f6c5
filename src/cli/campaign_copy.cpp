// Copies a campaign to another store.
#include <filesystem>

#include "allot/base/text.hpp"
#include "allot/campaign/copy.hpp"
#include "cli/campaign_commands.hpp"
#include "cli/options.hpp"

namespace allot::cli {
namespace {

struct CopyFlags : CampaignFlags {
  std::string to;
};

/// Copies, and leaves no new file behind if that fails.
Result<campaign::CopyReport> copy_or_nothing(store::Store& from, const std::string& name,
                                             const std::string& location) {
  TRY(store::check_location(location));
  std::error_code ignored;
  const bool is_new = !store::is_database(location) && !std::filesystem::exists(location, ignored);
  auto to = TRY(store::open_store(location, store::OpenMode::create));
  auto copied = campaign::copy(from, name, *to);
  if (copied || !is_new) return copied;
  to.reset();
  for (const char* part : {"", "-wal", "-shm"}) std::filesystem::remove(location + part, ignored);
  return copied;
}

Result<Output> copy_campaign(const CopyFlags& flags) {
  const auto from = TRY(open_file(flags.file, store::OpenMode::read));
  const auto name = TRY(chosen_name(flags, *from));
  const auto copied = TRY(copy_or_nothing(*from, name, flags.to));
  Output output{fmt::format("campaign {} copied to {}: {} and {}, all compared\n", in_quotes(name),
                            store::shown_location(flags.to), count_text(copied.records, "record"),
                            count_text(copied.contents, "content")),
                {},
                {}};
  if (copied.missed > 0) {
    output.notes.push_back(
        fmt::format("the campaign went on during the copy: {} after record {} {} missing in {}",
                    count_text(copied.missed, "record"), copied.records,
                    copied.missed == 1 ? "is" : "are", store::shown_location(flags.to)));
  }
  return output;
}

}  // namespace

std::vector<Command> copy_commands() {
  return {campaign_command<CopyFlags>(
      "copy", "Copy a campaign to another file or database, and compare the two", Access::read,
      copy_campaign,
      [](Command& command, CopyFlags& flags) {
        command.require("TO", &flags.to, "File or database that does not have the campaign yet");
      },
      {"allot campaign copy reviews.db postgresql://allot@db.example.org/labels"})};
}

}  // namespace allot::cli
