#include "serve/write_probe.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace allot::serve {
namespace {

/// More than a commit of some labels takes.
constexpr std::size_t kBytes = 64 << 10;

/// 0, or the error number of the system.
int write_some(const std::string& path) {
  const int file =
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return errno;
  const std::string bytes(kBytes, '\0');
  int wrong = 0;
  for (std::size_t done = 0; done < bytes.size() && wrong == 0;) {
    const ssize_t count = ::write(file, bytes.data() + done, bytes.size() - done);
    if (count > 0) done += static_cast<std::size_t>(count);
    if (count < 0 && errno != EINTR) wrong = errno;
  }
  if (wrong == 0 && ::fsync(file) != 0) wrong = errno;
  ::close(file);
  ::unlink(path.c_str());
  return wrong;
}

}  // namespace

std::string WriteProbe::trouble() {
  std::unique_lock lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (is_busy_ || (was_asked_ && now - last_ < every_)) return found_;
  is_busy_ = true;
  lock.unlock();
  const int wrong = write_some(path_);
  lock.lock();
  is_busy_ = false;
  was_asked_ = true;
  last_ = std::chrono::steady_clock::now();
  found_ = wrong == 0 ? "" : std::generic_category().message(wrong);
  return found_;
}

}  // namespace allot::serve
