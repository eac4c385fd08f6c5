#include "bridge/bridge_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <utility>

#include "allot/base/text.hpp"
#include "base/errors.hpp"

namespace allot::bridge {
namespace {

/// Characters that a file name can have everywhere; others become '_'.
std::string in_file_name(std::string_view name) {
  std::string result;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    result += plain ? c : '_';
  }
  return result;
}

/// The number of the process that a lock file names; empty if it names none.
std::string holder_of(int file) {
  std::array<char, 20> text{};
  const auto size = ::pread(file, text.data(), text.size(), 0);
  return std::string(trim({text.data(), size > 0 ? static_cast<std::size_t>(size) : 0}));
}

/// Whether the path still leads to the open file: its last holder may have removed it.
bool leads_to(const std::string& path, int file) {
  struct stat there {
  }, here{};
  return ::stat(path.c_str(), &there) == 0 && ::fstat(file, &here) == 0 &&
         there.st_ino == here.st_ino && there.st_dev == here.st_dev;
}

}  // namespace

Result<BridgeLock> BridgeLock::take(const std::string& campaign_file, std::string_view campaign) {
  const std::string path = fmt::format("{}-bridge-{}", campaign_file, in_file_name(campaign));
  for (;;) {
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0) {
      return fail(ErrorCode::write_failure, "{} cannot be written; expected a folder that can",
                  in_quotes(path));
    }
    if (::flock(file, LOCK_EX | LOCK_NB) != 0) {
      const std::string holder = holder_of(file);
      ::close(file);
      return fail(ErrorCode::conflict,
                  "campaign {} has a bridge already (process {}); expected one bridge per campaign",
                  in_quotes(campaign), holder.empty() ? "unknown" : holder);
    }
    if (leads_to(path, file)) {
      const std::string own = fmt::format("{}\n", ::getpid());
      static_cast<void>(::ftruncate(file, 0));
      static_cast<void>(::pwrite(file, own.data(), own.size(), 0));
      return BridgeLock(path, file);
    }
    ::close(file);
  }
}

BridgeLock::BridgeLock(BridgeLock&& other) noexcept
    : path_(std::move(other.path_)), file_(std::exchange(other.file_, -1)) {}

BridgeLock::~BridgeLock() {
  if (file_ < 0) return;
  ::unlink(path_.c_str());
  ::close(file_);
}

}  // namespace allot::bridge
