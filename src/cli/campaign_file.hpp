// A campaign in a file, opened as a command needs it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "allot/campaign/campaign.hpp"
#include "allot/store/sqlite_store.hpp"
#include "cli/campaign_flags.hpp"
#include "cli/command.hpp"

namespace allot::cli {

/// A file that is open, and a campaign in it.
struct OpenCampaign {
  std::unique_ptr<store::Store> store;
  std::unique_ptr<campaign::Campaign> campaign;
  campaign::Time now;

  campaign::Campaign* operator->() const { return campaign.get(); }
};

/// The one that --campaign names, else the only one of the file. Refusals say which there are.
Result<OpenCampaign> open_campaign(const CampaignFlags& flags, store::OpenMode mode);

/// That the clock is behind the ledger, whose time does not go back; empty if it is not.
std::string clock_note(const OpenCampaign& open);

/// visit(open campaign) -> Result<Output>, to look at it or to change it.
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

/// Of --campaign for a new one: the name of the file without folder and ending if not given.
std::string new_name(const CampaignFlags& flags);

/// Of --now, else the clock's.
Result<campaign::Time> read_now(const CampaignFlags& flags);

/// What is read under a lock, as a value.
template <typename Look>
auto looked_at(const OpenCampaign& open, Look look)
    -> Result<std::invoke_result_t<Look, const campaign::State&>> {
  std::optional<std::invoke_result_t<Look, const campaign::State&>> seen;
  return open->read([&](const campaign::State& state) { seen.emplace(look(state)); }).map([&] {
    return *std::move(seen);
  });
}

}  // namespace allot::cli
