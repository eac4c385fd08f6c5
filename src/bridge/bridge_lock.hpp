// One bridge per campaign: two would close each other's tasks.
//
// A file beside the campaign's file holds a lock of the system, so it ends with the process however
// that ends. The file names the process, and it is removed when the lock is given back.
#pragma once

#include <string>
#include <string_view>

#include "allot/base/result.hpp"

namespace allot::bridge {

/// Holds the lock as long as it lives.
class BridgeLock {
 public:
  /// Refuses if another bridge has the lock of this campaign of the file.
  static Result<BridgeLock> take(const std::string& campaign_file, std::string_view campaign);

  BridgeLock(BridgeLock&& other) noexcept;
  BridgeLock& operator=(BridgeLock&&) = delete;
  ~BridgeLock();

 private:
  BridgeLock(std::string path, int file) : path_(std::move(path)), file_(file) {}

  std::string path_;
  int file_;
};

}  // namespace allot::bridge
