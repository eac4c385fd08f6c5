// A campaign file that is open: its connections, and everything they share.
//
// One connection writes and one reads, each for one thread at a time; a third makes checkpoints in
// the background if the options ask for it.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "allot/store/sqlite_store.hpp"
#include "store/file_use.hpp"
#include "store/key_index.hpp"

namespace allot::store {

class Checkpointer;

/// Checks what a campaign file and its log say before SQLite opens them. A missing file passes.
Result<FileUse> begin_use(const std::string& path, int timeout_ms);

class LedgerFile {
 public:
  /// Checks the file, brings it up to date and opens the connections.
  static Result<std::unique_ptr<LedgerFile>> open(const std::string& path,
                                                  const SqliteOptions& options);
  ~LedgerFile();

  const std::string& path() const { return path_; }
  /// Null in a file that is open for reading only.
  Connection* writer() { return writer_.get(); }
  KeyTable& keys() { return keys_; }

  /// Waits until no thread of this process has the turn.
  std::unique_lock<std::mutex> wait_for_turn() { return std::unique_lock(appending_); }
  /// Reads what is committed, as one thread at a time. A turn reads through the writer
  /// instead, which has the newest pages in its cache.
  LedgerReader reader() { return LedgerReader(*reader_, std::unique_lock(reading_)); }

  /// Makes sure that the file itself says that records are in its log. To be called by the turn
  /// after its commit; `was_marked` is whether the mark was there before.
  void mark_log(bool was_marked);
  /// Moves the log into the file and takes the mark away: the file is then whole by itself.
  void rest();

 private:
  LedgerFile(std::string path, const SqliteOptions& options, FileUse use);
  int timeout_ms() const { return static_cast<int>(options_.timeout.count()); }
  Result<void> connect();
  Result<void> connect_for_reading();
  Result<void> limit_size();
  Result<void> clear_mark();

  const std::string path_;
  const SqliteOptions options_;
  KeyTable keys_;
  std::mutex reading_, appending_;
  bool is_marked_ = false;  // whether the mark is known to be in the file; of the turn
  FileUse use_;
  // The writer closes last: closing it folds the log into the file.
  std::unique_ptr<Connection> writer_, reader_;
  std::unique_ptr<Checkpointer> checkpointer_;
};

}  // namespace allot::store
