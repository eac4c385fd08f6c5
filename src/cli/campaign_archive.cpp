// Archives campaigns, and deletes them for good.
#include <filesystem>

#include "allot/base/text.hpp"
#include "base/errors.hpp"
#include "cli/campaign_commands.hpp"
#include "cli/options.hpp"

namespace allot::cli {
namespace {

namespace fs = std::filesystem;

struct DeleteFlags : CampaignFlags {
  bool yes = false;
};

Result<Output> archive_campaign(const CampaignFlags& flags) {
  return changing(flags, [](const OpenCampaign& open) -> Result<Output> {
    TRY(open->archive(open.now));
    return Output{fmt::format("campaign {} is archived: leases have ended, nothing is handed out\n",
                              in_quotes(open->name()))};
  });
}

Result<Output> unarchive_campaign(const CampaignFlags& flags) {
  return changing(flags, [](const OpenCampaign& open) -> Result<Output> {
    TRY(open->unarchive(open.now));
    const auto phase =
        TRY(open.read([](const campaign::State& state) { return name(state.phase()); }));
    return Output{
        fmt::format("campaign {} is out of the archive: {}\n", in_quotes(open->name()), phase)};
  });
}

/// Refuses the file of a server, which would still list the campaign.
Result<void> check_no_server(const std::string& location) {
  if (store::is_database(location)) return {};
  std::error_code ignored;
  const fs::path folder = fs::absolute(location, ignored).parent_path();
  if (folder.filename() != "campaigns" || !fs::exists(folder.parent_path() / "server.db", ignored))
    return {};
  return fail(ErrorCode::conflict,
              "{} belongs to the server in {}; expected the campaign to be deleted by its page or "
              "its API",
              in_quotes(location), in_quotes(folder.parent_path().string()));
}

/// Removes the file once it has no campaign. True if it is gone.
Result<bool> remove_empty_file(std::unique_ptr<store::Store> store, const std::string& location) {
  if (store::is_database(location) || !TRY(store->campaigns()).empty()) return false;
  store.reset();
  std::error_code wrong;
  for (const char* const part : {"", "-wal", "-shm"}) {
    fs::remove(location + part, wrong);
    if (!wrong) continue;
    return fail(ErrorCode::write_failure,
                "{} cannot be removed ({}); expected a folder that can "
                "be written",
                in_quotes(location + part), wrong.message());
  }
  return true;
}

Result<Output> delete_campaign(const DeleteFlags& flags) {
  TRY(check_no_server(flags.file));
  auto store =
      TRY(open_file(flags.file, flags.yes ? store::OpenMode::write : store::OpenMode::read));
  const auto name = TRY(chosen_name(flags, *store));
  if (!flags.yes) {
    return invalid(
        "campaign {} with {} would be deleted for good; expected --yes, or 'allot campaign "
        "archive' "
        "to put it away",
        in_quotes(name), count_text(TRY(store->last(name)), "event"));
  }
  TRY(store->remove(name));
  const bool is_gone = TRY(remove_empty_file(std::move(store), flags.file));
  return Output{fmt::format(
      "campaign {} is deleted{}\n", in_quotes(name),
      is_gone ? fmt::format(", and so is {}, which had no other", in_quotes(flags.file)) : "")};
}

}  // namespace

std::vector<Command> archive_commands() {
  return {campaign_command("archive", "End all leases and hand out nothing until unarchive",
                           Access::write, archive_campaign),
          campaign_command("unarchive", "Take a campaign out of the archive", Access::write,
                           unarchive_campaign),
          campaign_command<DeleteFlags>(
              "delete", "Delete a campaign for good, and its file if it is the only one",
              Access::read, delete_campaign,
              [](Command& command, DeleteFlags& flags) {
                command.add("--yes", &flags.yes, "Delete it; without this nothing happens");
              },
              {"allot campaign delete sentiment.db --yes"})};
}

}  // namespace allot::cli
