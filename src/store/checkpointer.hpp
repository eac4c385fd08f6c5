// Checkpoints of a write-ahead log: pages move from the log to their place in the file.
//
// SQLite would do this inside a commit, which then takes many milliseconds. With a background
// connection, a thread moves almost all pages while commits go on; the next commit moves the few
// that came meanwhile, after which SQLite reuses the log from its start. Without one, the writer
// checkpoints after a commit.
#pragma once

#include <atomic>
#include <future>
#include <memory>

#include "store/sqlite.hpp"

namespace allot::store {

class Checkpointer {
 public:
  /// `background` may be null. The writer must outlive the checkpointer.
  Checkpointer(Connection& writer, std::unique_ptr<Connection> background);

 private:
  /// Called after each commit of the writer with the number of pages in the log.
  void after_commit(int pages);

  Connection& writer_;
  std::unique_ptr<Connection> background_;
  /// A background checkpoint is under way.
  std::atomic<bool> running_ = false;
  /// A background checkpoint has just ended: one more by the writer lets the log start over.
  std::atomic<bool> nearly_done_ = false;
  std::future<void> task_;  // last: its destructor waits for the thread
};

}  // namespace allot::store
