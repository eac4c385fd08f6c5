// Campaigns in one SQLite file: write-ahead log, everything on disk before it is acknowledged.
//
// Several processes may have the file open: one appends at a time, the others wait; readers wait
// for nobody. A file of an older format is brought up to date in one transaction when it is opened,
// one of a newer format is refused. Records carry a checksum, which is looked at
// when they are read; opening looks at the head of the file only.
//
// Cost: a commit is one write to the log and one fdatasync, whatever the number of records; a
// record takes about 3 us and 30 bytes beyond its payload, a key as much again, in whatever order
// keys come; finding one about 1 us.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "allot/store/store.hpp"

namespace allot::store {

enum class OpenMode {
  read,    // the file must exist; appending is refused
  write,   // the file must exist
  create,  // the file is made if there is none
};

struct SqliteOptions {
  OpenMode mode = OpenMode::write;
  /// How long to wait for a turn that another process has.
  std::chrono::milliseconds patience{30'000};
  /// Bytes beyond which the file must not grow; 0 for as far as the disk goes.
  std::uint64_t largest_file = 0;
  /// For a process that stays: a thread of its own moves what is in the log to its place in the
  /// file, so that no commit waits for it.
  bool background_checkpoint = false;
};

Result<std::unique_ptr<Store>> open_sqlite(const std::string& path,
                                           const SqliteOptions& options = {});

}  // namespace allot::store
