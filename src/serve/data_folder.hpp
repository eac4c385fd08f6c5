// The folder in which a server keeps everything.
//
//   DIR/lock             held while a server runs: a second one refuses to start
//   DIR/server.db        tokens, the list of campaigns, webhooks
//   DIR/campaigns/ID.db  one campaign per file
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

#include "allot/base/result.hpp"

namespace allot::serve {

class DataFolder {
 public:
  /// Makes the folder if there is none. Refuses one that another server uses.
  static Result<DataFolder> open(std::string path);
  DataFolder(DataFolder&& other) noexcept;
  DataFolder& operator=(DataFolder&&) = delete;
  /// Releases the lock.
  ~DataFolder();

  const std::string& path() const { return path_; }
  std::string server_file() const { return path_ + "/server.db"; }
  std::string campaign_file(const std::string& id) const;
  /// Size of the campaign's file and its write-ahead log.
  std::uint64_t campaign_bytes(const std::string& id) const;
  /// Removes the campaign's files, if there are any.
  Result<void> remove_campaign(const std::string& id) const;

 private:
  DataFolder(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}

  std::string path_;
  int lock_;  // the descriptor that holds it
};

/// Tests whether the data folder can be written: writes, syncs and removes a file of 64 KB.
///
/// A server with a full disk still answers reads but records no labels, and a load balancer should
/// know. Commits would show it, but there are none once the balancer sends no requests. Any number
/// of threads may call it; at most one call per `every` writes, the others get the last result.
class WriteProbe {
 public:
  explicit WriteProbe(std::string folder, std::chrono::milliseconds every = std::chrono::seconds(2))
      : path_(std::move(folder) + "/probe"), every_(every) {}

  /// The error in the words of the system; empty if the folder can be written.
  std::string trouble();

 private:
  const std::string path_;
  const std::chrono::milliseconds every_;
  std::mutex mutex_;
  bool is_busy_ = false, was_asked_ = false;
  std::chrono::steady_clock::time_point last_;
  std::string found_;
};

}  // namespace allot::serve
