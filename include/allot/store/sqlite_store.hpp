// Campaigns in one SQLite file: write-ahead log, and every commit on disk before it is
// acknowledged.
//
// Several processes may have the file open: one appends at a time while other writers wait; readers
// never wait. Opening a file of an older format brings it up to date in one transaction; a newer
// format is refused. Reading a record checks its checksum; opening checks the header of the file
// only.
//
// Cost: a commit is one write to the log and one fdatasync, whatever the number of records. A
// record takes about 3 us and 30 bytes beyond its payload, and a key as much again, in any order of
// keys; finding a key takes about 1 us.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "allot/store/store.hpp"

namespace allot::store {

/// Options of a store in a file.
struct SqliteOptions {
  OpenMode mode = OpenMode::write;  ///< access to the file
  /// Time to wait for a turn that another process holds.
  std::chrono::milliseconds timeout{30'000};
  /// Most bytes of the file; 0 for no limit.
  std::uint64_t largest_file = 0;
  /// For a long-running process: a background thread moves pages from the log to the file, so that
  /// no commit waits for that.
  bool background_checkpoint = false;
};

/// Opens the file. Fails if it is missing (unless created), unreadable, not such a store or of a
/// newer format.
Result<std::unique_ptr<Store>> open_sqlite(const std::string& path,
                                           const SqliteOptions& options = {});

}  // namespace allot::store
