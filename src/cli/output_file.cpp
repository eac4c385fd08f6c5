#include "cli/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace allot::cli {
namespace {

namespace fs = std::filesystem;

tl::unexpected<Error> broken(const std::string& path, int reason) {
  return fail(ErrorCode::write_failure,
              fmt::format("'{}' cannot be written: {}", path, std::strerror(reason)));
}

/// Writes everything and closes; 0 or the reason why not.
int write_and_close(int file, const std::string& text) {
  int reason = 0;
  for (std::size_t done = 0; done < text.size() && reason == 0;) {
    const ssize_t count = ::write(file, text.data() + done, text.size() - done);
    if (count >= 0) {
      done += static_cast<std::size_t>(count);
    } else if (errno != EINTR) {
      reason = errno;
    }
  }
  if (::close(file) != 0 && reason == 0) reason = errno;
  return reason;
}

/// A new file beside its final place; it vanishes unless it is moved there.
class Draft {
 public:
  explicit Draft(const fs::path& place) : place_(place) {
    for (int number = 0; number < 100; ++number) {
      name_ = place_.string() + fmt::format(".{}-{}.tmp", ::getpid(), number);
      file_ = ::open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (file_ >= 0 || errno != EEXIST) break;
    }
    reason_ = file_ < 0 ? errno : 0;
  }
  Draft(const Draft&) = delete;
  ~Draft() {
    if (file_ < 0) return;
    if (!closed_) ::close(file_);
    if (!moved_) ::unlink(name_.c_str());
  }

  /// Why it could not be made, or 0.
  int reason() const { return reason_; }

  /// 0 or the reason why not.
  int finish(const std::string& text) {
    struct stat before {};
    if (::stat(place_.c_str(), &before) == 0) ::fchmod(file_, before.st_mode & 07777);
    closed_ = true;
    if (const int reason = write_and_close(file_, text)) return reason;
    moved_ = std::rename(name_.c_str(), place_.c_str()) == 0;
    return moved_ ? 0 : errno;
  }

 private:
  fs::path place_;
  std::string name_;
  int file_ = -1, reason_ = 0;
  bool closed_ = false, moved_ = false;
};

/// Where the file really lies, if a link leads there.
fs::path final_place(const std::string& path) {
  std::error_code none;
  const fs::path place = fs::weakly_canonical(path, none);
  return none ? fs::path(path) : place;
}

/// A directory, or something that must not be replaced by a file.
bool is_special(const fs::path& place) {
  std::error_code none;
  return fs::exists(place, none) && !fs::is_regular_file(place, none);
}

}  // namespace

Result<void> check_writable(const std::string& path) {
  const fs::path place = final_place(path);
  if (is_special(place)) {
    if (::access(place.c_str(), W_OK) != 0) return broken(path, errno);
    std::error_code none;
    if (fs::is_directory(place, none)) return broken(path, EISDIR);
    return {};
  }
  const Draft draft(place);
  if (draft.reason() != 0) return broken(path, draft.reason());
  return {};
}

Result<void> write_file(const std::string& path, const std::string& text) {
  const fs::path place = final_place(path);
  int reason = 0;
  if (is_special(place)) {
    const int file = ::open(place.c_str(), O_WRONLY | O_CLOEXEC);
    reason = file < 0 ? errno : write_and_close(file, text);
  } else {
    Draft draft(place);
    reason = draft.reason() != 0 ? draft.reason() : draft.finish(text);
  }
  if (reason != 0) return broken(path, reason);
  return {};
}

}  // namespace allot::cli
