// Backups of a data folder (serve/data_folder.hpp), also of a server at work.
//
// A backup is the folder as it was at one moment: changes of server.db wait while every campaign is
// held as it is, which takes milliseconds, and the copying follows. So no campaign, token or
// webhook refers to anything that the backup does not have. The first backup has whole copies. A
// later one has the records that each campaign gained since then.
//
// All records and all fields of items are compared with their checksums, in campaigns that changed
// and in what was written. Backups of one server go to one folder.
//
// A backup is written to the folder `partial`, read back and synced, and gets its number by a
// rename; a restored folder is made beside its place and moved there. So a process that is killed
// leaves a whole backup or none, and the next run removes the remains.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "allot/campaign/event.hpp"

namespace allot::serve {

struct BackupOptions {
  /// Copies every campaign whole, so that earlier backups are no longer needed.
  bool full = false;
  campaign::Time now = {};
  /// Of the program.
  std::string version = {};
};

struct BackupReport {
  std::uint64_t number = 0;
  std::size_t campaigns = 0;
  /// Campaigns that were copied whole, and that had nothing new; the others got a part.
  std::size_t whole = 0, unchanged = 0;
  /// Those of the whole ones that could not be continued, because files of earlier backups are
  /// missing or damaged.
  std::size_t renewed = 0;
  /// Records that this backup adds.
  std::uint64_t records = 0;
  /// Ids of campaigns that have a file but are not in the list of the server: not backed up.
  std::vector<std::string> unlisted = {};
  /// Ids of tokens whose rows were changed on disk; the backup has them as they are.
  std::vector<std::string> damaged_tokens = {};
};
/// Backs the folder up into `backups`, a folder that is created if it is missing.
Result<BackupReport> back_up(const std::string& folder, const std::string& backups,
                             const BackupOptions& options);

}  // namespace allot::serve
