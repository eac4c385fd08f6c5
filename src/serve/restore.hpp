// Restores data folders, and single campaigns, from backups (serve/backup.hpp).
//
// Everything is put together, checked and synced beside its place, and moved there. A process that
// is killed leaves what was there before or what is new, and the next run removes the remains.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "allot/campaign/event.hpp"

namespace allot::serve {

struct RestoreReport {
  std::uint64_t number = 0;
  campaign::Time made = {};
  std::size_t campaigns = 0;
  std::uint64_t records = 0;
};
/// Makes the data folder of a backup, the newest one if no number is given. The folder must be
/// missing or empty.
Result<RestoreReport> restore_backup(const std::string& backups,
                                     std::optional<std::uint64_t> number,
                                     const std::string& folder);

struct CampaignRestoreReport {
  std::uint64_t number = 0;
  campaign::Time made = {};
  std::uint64_t records = 0;
  /// Whether the server knew the campaign; else it was deleted since the backup, and is back in the
  /// list with its links and webhooks.
  bool was_listed = true;
  /// Where the files from before are; empty if there were none.
  std::string replaced = {};
};
/// Puts one campaign of a server that does not run back to a backup, the newest one if no number is
/// given. Its files are kept in the folder `replaced`. Everything else of the server stays as it
/// is, but webhooks of the campaign repeat the messages after the backup.
Result<CampaignRestoreReport> restore_campaign(const std::string& backups,
                                               std::optional<std::uint64_t> number,
                                               const std::string& folder, const std::string& id,
                                               campaign::Time now);

}  // namespace allot::serve
