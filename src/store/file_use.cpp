#include "store/file_use.hpp"

#include <sys/stat.h>

#include <map>
#include <mutex>

#include "base/try.hpp"

namespace allot::store {
namespace {

struct Uses {
  std::mutex mutex;
  std::map<std::pair<dev_t, ino_t>, int> counts;
};

Uses& uses() {
  static Uses all;
  return all;
}

}  // namespace

Result<FileUse> FileUse::begin(const std::string& path,
                               const std::function<Result<void>()>& check) {
  FileUse use;  // its destructor takes the mutex, so it must be the last to go
  const std::scoped_lock lock(uses().mutex);
  use.count(path);
  if (use.file_ == kNone || uses().counts[use.file_] == 1) TRY(check());
  return use;
}

void FileUse::created(const std::string& path) {
  if (file_ != kNone) return;
  const std::scoped_lock lock(uses().mutex);
  count(path);
}

void FileUse::count(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return;
  file_ = {found.st_dev, found.st_ino};
  ++uses().counts[file_];
}

FileUse::~FileUse() {
  if (file_ == kNone) return;
  const std::scoped_lock lock(uses().mutex);
  if (--uses().counts[file_] == 0) uses().counts.erase(file_);
}

}  // namespace allot::store
