// The folder in which a server keeps everything.
//
//   DIR/lock             held while a server runs: a second one refuses to start
//   DIR/server.db        tokens, the list of campaigns, webhooks, model runs
//   DIR/campaigns/ID.db  one campaign per file
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "allot/base/result.hpp"

namespace allot::serve {

/// Ids of the campaigns that have a file in the data folder, in order.
std::vector<std::string> campaign_files(const std::string& folder);

/// The user's name, or the number of one without a name.
std::string user_name(std::uint32_t user);

class DataFolder {
 public:
  /// Makes the folder if there is none. Refuses one that another server uses.
  static Result<DataFolder> open(std::string path);
  /// Whether a process has the folder open.
  static bool is_in_use(const std::string& path);
  DataFolder(DataFolder&& other) noexcept;
  DataFolder& operator=(DataFolder&&) = delete;
  /// Releases the lock.
  ~DataFolder();

  const std::string& path() const { return path_; }
  std::string server_file() const { return path_ + "/server.db"; }
  std::string campaign_file(const std::string& id) const;
  /// Size of the campaign's file and its write-ahead log.
  std::uint64_t campaign_bytes(const std::string& id) const;
  /// Removes the campaign's files, if there are any; they stay away after a power failure.
  Result<void> remove_campaign(const std::string& id) const;
  /// Writes, syncs and removes a file of 64 KB: the error in the words of the system, empty if that
  /// worked.
  std::string write_trouble() const;

 private:
  DataFolder(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}

  std::string path_;
  int lock_;  // the descriptor that holds it
};

}  // namespace allot::serve
