// Opening a campaign in a file, to read or to change it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "allot/campaign/campaign.hpp"
#include "allot/store/sqlite_store.hpp"
#include "cli/campaign_flags.hpp"
#include "cli/command.hpp"

namespace allot::cli {

/// An open file and one of its campaigns.
struct OpenCampaign {
  std::unique_ptr<store::Store> store;
  std::unique_ptr<campaign::Campaign> campaign;
  campaign::Time now;

  campaign::Campaign* operator->() const { return campaign.get(); }
};

/// Opens a file for reading or writing; refuses one that does not exist.
Result<std::unique_ptr<store::Store>> open_file(const std::string& path, store::OpenMode mode);

/// Opens the campaign that --campaign names, else the only one of the file. Errors list the
/// campaigns of the file.
Result<OpenCampaign> open_campaign(const CampaignFlags& flags, store::OpenMode mode);

/// Warning that the clock is behind the ledger, whose time does not go back; empty if it is not.
std::string clock_note(const OpenCampaign& open);

/// Calls visit(open campaign) -> Result<Output>, which reads or changes the campaign.
template <typename Visit>
Result<Output> reading(const CampaignFlags& flags, Visit visit) {
  return open_campaign(flags, store::OpenMode::read).and_then(visit);
}
template <typename Visit>
Result<Output> changing(const CampaignFlags& flags, Visit visit) {
  return open_campaign(flags, store::OpenMode::write)
      .and_then([&](const OpenCampaign& open) -> Result<Output> {
        const std::string note = clock_note(open);
        return visit(open).map([&](Output output) {
          if (!note.empty()) output.notes.push_back(note);
          return output;
        });
      });
}

/// Name of a new campaign: --campaign, else the name of the file without folder and extension.
std::string new_name(const CampaignFlags& flags);

/// Time of --now, else of the clock.
Result<campaign::Time> read_now(const CampaignFlags& flags);

/// Value of look(state), read under the lock of the campaign.
template <typename Look>
auto state_value(const OpenCampaign& open, Look look)
    -> Result<std::invoke_result_t<Look, const campaign::State&>> {
  return open->view().read(look);
}

}  // namespace allot::cli
