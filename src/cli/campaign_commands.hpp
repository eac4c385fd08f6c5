// The commands of `allot campaign`, each made next to its code, and what they share: their options,
// and opening a campaign in its store.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "allot/campaign/campaign.hpp"
#include "allot/store/location.hpp"
#include "cli/command.hpp"
#include "cli/group_report.hpp"

namespace allot::cli {

std::vector<Command> create_commands();
std::vector<Command> work_commands();
std::vector<Command> record_commands();
std::vector<Command> control_commands();
std::vector<Command> change_commands();
std::vector<Command> review_commands();
std::vector<Command> audit_commands();
std::vector<Command> recruit_commands();
std::vector<Command> report_commands();
std::vector<Command> explain_commands();
std::vector<Command> export_commands();
std::vector<Command> copy_commands();
std::vector<Command> archive_commands();
std::vector<Command> group_commands();

/// Options of every command, as written.
struct CampaignFlags {
  std::string file;
  std::optional<std::string> campaign;  // else the only one of the file
  std::optional<std::string> now;       // else the time of the clock
};

/// Whether a command only looks at a campaign or changes it.
enum class Access { read, write };

/// Registers FILE, --campaign and, for commands that change a campaign, --now.
void add_campaign_options(Command& command, CampaignFlags& flags, Access access);
/// Registers --key.
void add_key(Command& command, std::optional<std::string>& key);

/// Makes a command about a campaign. Flags are CampaignFlags with more members; `add` registers the
/// options of those.
template <typename Flags>
Command campaign_command(const char* name, const char* summary, Access access,
                         Result<Output> (*run)(const Flags&),
                         void (*add)(Command&, Flags&) = nullptr, Command::Texts examples = {},
                         Command::Texts notes = {}) {
  const auto flags = std::make_shared<Flags>();
  Command command{name, summary, [flags, run] { return run(*flags); }, std::move(notes),
                  std::move(examples)};
  add_campaign_options(command, *flags, access);
  if (add) add(command, *flags);
  return command;
}

/// An open store and one of its campaigns.
struct OpenCampaign {
  std::unique_ptr<store::Store> store;
  std::unique_ptr<campaign::Campaign> campaign;
  campaign::Time now;

  campaign::Campaign* operator->() const { return campaign.get(); }
  /// Value of look(state), read under the lock of the campaign.
  template <typename Look>
  auto read(Look look) const {
    return campaign->view().read(look);
  }
  Result<campaign::Options> options() const {
    return read([](const campaign::State& state) { return state.options(); });
  }
};

/// Opens a file or database for reading or writing; refuses one that does not exist.
Result<std::unique_ptr<store::Store>> open_file(const std::string& path, store::OpenMode mode);

/// Name of the campaign that --campaign gives, else of the only one.
Result<std::string> chosen_name(const CampaignFlags& flags, store::Store& store);

/// Opens the campaign that --campaign names, else the only one. Errors list the campaigns that are
/// there.
Result<OpenCampaign> open_campaign(const CampaignFlags& flags,
                                   store::OpenMode mode = store::OpenMode::read);

/// Warning that the clock is behind the ledger, whose time does not go back; empty if it is not.
std::string clock_note(const OpenCampaign& open);

/// Calls change(open campaign) -> Result<Output>.
template <typename Change>
Result<Output> changing(const CampaignFlags& flags, Change change) {
  return open_campaign(flags, store::OpenMode::write)
      .and_then([&](const OpenCampaign& open) -> Result<Output> {
        const std::string note = clock_note(open);
        return change(open).map([&](Output output) {
          if (!note.empty()) output.notes.push_back(note);
          return output;
        });
      });
}

/// Time of --now, else of the clock.
Result<campaign::Time> read_now(const CampaignFlags& flags);

/// Prices by worker, such as ann=0.05,bob=0.02; a text without '=' names a file with one row per
/// worker. Errors name the option. Each worker has one price.
using WorkerPrice = std::pair<std::string, Money>;
Result<std::vector<WorkerPrice>> read_worker_prices(const std::string& option,
                                                    const std::vector<std::string>& lists);

/// Groups by worker, such as small=models; nothing behind '=' for a worker alone. A text without
/// '=' names a file with one row per worker. Errors name the option. Each worker has one group.
using WorkerGroup = std::pair<std::string, std::string>;
Result<std::vector<WorkerGroup>> read_worker_groups(const std::string& option,
                                                    const std::vector<std::string>& lists);
/// New workers and the ones before, such as new=old. Errors name the option. Each follows one.
Result<std::vector<std::pair<std::string, std::string>>> read_followers(
    const std::string& option, const std::vector<std::string>& lists);
/// How far the groups of a campaign err together, by beliefs refitted to all labels.
Result<GroupReport> group_report(const campaign::Campaign& campaign);

}  // namespace allot::cli
