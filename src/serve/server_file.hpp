// The file server.db: the tables of a server (serve/server_tables.hpp) in SQLite.
#pragma once

#include <memory>
#include <string>

#include "serve/server_tables.hpp"

namespace allot::serve {

struct ServerFileOptions {
  /// Creates the file if it is missing, and brings an older one up to date.
  bool create = true;
  /// For data whose loss is acceptable: no call waits for the disk or for another writer.
  bool lossy = false;
};

/// Refuses a file that is not a server's or has a newer format.
Result<std::unique_ptr<ServerTables>> open_server_file(const std::string& path,
                                                       const ServerFileOptions& options = {});

}  // namespace allot::serve
