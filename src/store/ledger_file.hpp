// A campaign file that is open: its connections, and everything they share.
//
// One connection writes and one reads, each for one thread at a time; a third makes checkpoints in
// the background if the options ask for it.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "allot/store/sqlite_store.hpp"
#include "store/checkpointer.hpp"
#include "store/key_table.hpp"
#include "store/ledger_reader.hpp"

namespace allot::store {

class SqliteTurn;

class LedgerFile {
 public:
  /// Checks the file, brings it up to date and opens the connections.
  static Result<std::unique_ptr<LedgerFile>> open(const std::string& path,
                                                  const SqliteOptions& options);

  const std::string& path() const { return path_; }
  /// Null in a file that is open for reading only.
  Connection* writer() { return writer_.get(); }
  KeyTable& keys() { return keys_; }

  /// Waits until no thread of this process has the turn.
  std::unique_lock<std::mutex> wait_for_turn() { return std::unique_lock(appending_); }
  /// The turn that the calling thread has, or null.
  SqliteTurn* own_turn() const {
    return turn_thread_ == std::this_thread::get_id() ? turn_ : nullptr;
  }
  void set_turn(SqliteTurn* turn) {
    turn_ = turn;
    turn_thread_ = turn ? std::this_thread::get_id() : std::thread::id();
  }

  /// A thread that has the turn reads where it writes: that connection has the new pages in its
  /// cache, and sees what is not committed yet. All other threads share the reading connection.
  LedgerReader reader() {
    return own_turn() ? LedgerReader(*writer_) : LedgerReader(*reader_, std::unique_lock(reading_));
  }

 private:
  LedgerFile(std::string path, const SqliteOptions& options);
  int timeout_ms() const { return static_cast<int>(options_.timeout.count()); }
  Result<void> connect();
  Result<void> connect_for_reading();
  Result<void> limit_size();

  const std::string path_;
  const SqliteOptions options_;
  KeyTable keys_;
  std::mutex reading_, appending_;
  std::atomic<std::thread::id> turn_thread_ = {};
  SqliteTurn* turn_ = nullptr;  // of the thread that has the turn
  // The writer closes last: closing it folds the log into the file.
  std::unique_ptr<Connection> writer_, reader_;
  std::unique_ptr<Checkpointer> checkpointer_;
};

}  // namespace allot::store
