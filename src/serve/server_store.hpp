// Where a server keeps everything: a data folder, or a PostgreSQL database.
//
// A folder has one file per campaign and belongs to one server (serve/data_folder.hpp). A database
// has all campaigns, each under its id, and any number of servers can work on it.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "allot/store/store.hpp"
#include "serve/server_tables.hpp"

namespace allot::store {
class PostgresPool;
}

namespace allot::serve {

class ServerStore {
 public:
  virtual ~ServerStore() = default;

  /// The place as people may see it.
  virtual std::string shown() const = 0;
  /// Tables of the server; with `lossy` for data whose loss is acceptable.
  virtual Result<std::unique_ptr<ServerTables>> open_tables(bool lossy) = 0;

  /// A campaign's ledger: its store, and its name there.
  struct Ledger {
    std::shared_ptr<store::Store> store;
    std::string name;
  };
  /// The place for the ledger of a campaign that is about to be created.
  virtual Result<Ledger> new_ledger(const std::string& id, const std::string& name) = 0;
  virtual Result<Ledger> open_ledger(const std::string& id) = 0;
  /// Removes what is there of a campaign that was never finished, within a transaction of its own
  /// tables.
  virtual Result<void> remove(const std::string& id, TableSession& session) = 0;
  /// Removes the ledger of a campaign that is off the list, if it is there. Can take minutes.
  virtual Result<void> remove_ledger(const std::string& id) = 0;
  /// Ids of the campaigns that have a file, also of some that the tables do not list. A database
  /// has tables and campaigns in one place, and possibly campaigns of other programs.
  virtual std::vector<std::string> campaign_files() const { return {}; }
  /// Bytes on disk, as far as they are known.
  virtual std::uint64_t bytes(const std::string& id) const = 0;
  /// Creations that began before this time cannot be under way any more.
  virtual StoredTime stale_before(StoredTime now) const = 0;

  /// Tests whether changes can be made: the error in the words of the system, empty if they can.
  virtual std::string write_trouble() = 0;

  /// The database, for the leases of several servers (serve/cluster.hpp); null for a folder.
  virtual std::shared_ptr<store::PostgresPool> database() const { return nullptr; }
};

/// Makes the folder if there is none. Refuses one that another server uses.
Result<std::unique_ptr<ServerStore>> open_folder(const std::string& path);

struct DatabaseOptions {
  /// Refuses a database whose commits do not wait for a standby.
  bool require_sync = false;
  /// Time that a call may take, attempts to reconnect included.
  std::chrono::milliseconds timeout{20'000};
  /// Most connections for campaigns; a server has 7 more for everything else.
  std::size_t connections = 8;
};

/// Makes the tables if there are none, and brings older ones up to date.
Result<std::unique_ptr<ServerStore>> open_database(const std::string& location,
                                                   const DatabaseOptions& options = {});

}  // namespace allot::serve
