// The file server.db: the tables of a server (serve/server_tables.hpp) in SQLite.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "serve/server_tables.hpp"

namespace allot::store {
class Connection;
}

namespace allot::serve {

struct ServerFileOptions {
  /// Creates the file if it is missing, and brings an older one up to date.
  bool create = true;
  /// For data whose loss is acceptable: no call waits for the disk or for another writer.
  bool lossy = false;
};

/// Format of a file, and the one that this program writes.
struct ServerFileFormat {
  std::int64_t format, newest;
};
/// Refuses a file that is not a server's or has a newer format.
Result<ServerFileFormat> check_server_file(store::Connection& file);

/// Ids of campaigns. Those in `passing` are being created or deleted, with or without a file.
struct CampaignIds {
  std::vector<std::string> listed = {}, passing = {};

  /// Those of the ids that are neither.
  std::vector<std::string> unlisted(std::vector<std::string> ids) const;
};
/// Reads them from a file of any format.
Result<CampaignIds> campaign_ids(store::Connection& file);

/// Ids of tokens whose rows were changed on disk (serve/token.hpp). Reads a file of any format.
Result<std::vector<std::string>> damaged_tokens(store::Connection& file);

/// Lists a campaign that was deleted again, as another file has it: with its tokens, webhooks and
/// accuracy history. One that is listed keeps all that but the history, which is the other file's.
/// Its webhooks go on at this record, unless they are not that far, and their messages about later
/// records are forgotten. Brings both files up to date.
/// Returns whether the campaign was listed.
Result<bool> take_campaign(const std::string& path, const std::string& other, const std::string& id,
                           std::uint64_t last);

/// Opens the file. Refuses one that is not a server's or has a newer format.
Result<std::unique_ptr<ServerTables>> open_server_file(const std::string& path,
                                                       const ServerFileOptions& options = {});

}  // namespace allot::serve
