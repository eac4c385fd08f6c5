// Copies a campaign to another store.
#include "allot/base/text.hpp"
#include "allot/campaign/copy.hpp"
#include "cli/campaign_commands.hpp"
#include "cli/options.hpp"

namespace allot::cli {
namespace {

struct CopyFlags : CampaignFlags {
  std::string to;
};

Result<Output> copy_campaign(const CopyFlags& flags) {
  const auto from = TRY(open_file(flags.file, store::OpenMode::read));
  const auto name = TRY(chosen_name(flags, *from));
  const auto to = TRY(store::open_store(flags.to, store::OpenMode::create));
  const auto copied = TRY(campaign::copy(*from, name, *to));
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
