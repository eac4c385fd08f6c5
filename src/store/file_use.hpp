// Files that this process has open through SQLite.
//
// A process that closes a file loses its locks on it, also those that SQLite took through another
// descriptor [sqlite.org/howtocorrupt.html, section 2.2]. Other processes then take the file for
// free, and the last one that closes it deletes the log that this process still writes to. So the
// bytes of a file are read only while SQLite does not have it open in this process: by the first
// one that opens it.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <utility>

#include "allot/base/result.hpp"

namespace allot::store {

/// One use of a file, from before its first connection is opened until its last one is closed.
class FileUse {
 public:
  /// Calls check(), which may open and close the file, unless the file is in use. Others who begin
  /// to use any file wait meanwhile.
  static Result<FileUse> begin(const std::string& path, const std::function<Result<void>()>& check);
  ~FileUse();
  FileUse(FileUse&& other) noexcept : file_(std::exchange(other.file_, kNone)) {}
  FileUse& operator=(FileUse&&) = delete;

  /// To be called when the file may have been created after `begin`.
  void created(const std::string& path);

 private:
  using File = std::pair<dev_t, ino_t>;
  static constexpr File kNone{};
  FileUse() = default;
  void count(const std::string& path);

  File file_ = kNone;
};

}  // namespace allot::store
