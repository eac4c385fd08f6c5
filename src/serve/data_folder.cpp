#include "serve/data_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "allot/base/text.hpp"
#include "base/try.hpp"

namespace allot::serve {
namespace {

namespace fs = std::filesystem;

/// The process that wrote the lock file, as text.
std::string owner_of(int file) {
  std::string owner(20, '\0');
  const auto read = ::pread(file, owner.data(), owner.size(), 0);
  owner.resize(read > 0 ? static_cast<std::size_t>(read) : 0);
  return std::string(trim(split(owner, '\n').front()));
}

/// The descriptor that holds the lock.
Result<int> lock_folder(const std::string& folder) {
  const std::string path = folder + "/lock";
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) {
    return fail(ErrorCode::write_failure,
                fmt::format("{} cannot be written; expected a folder that can", in_quotes(path)));
  }
  if (::flock(file, LOCK_EX | LOCK_NB) != 0) {
    const std::string owner = owner_of(file);
    ::close(file);
    return fail(ErrorCode::conflict,
                fmt::format("{} is in use by another allot (process {}); expected one process per "
                            "folder",
                            in_quotes(folder), owner));
  }
  const std::string owner = fmt::format("{}\n", ::getpid());
  if (::ftruncate(file, 0) == 0 && ::pwrite(file, owner.data(), owner.size(), 0) >= 0) return file;
  ::close(file);
  return fail(ErrorCode::write_failure,
              fmt::format("{} cannot be written; is the disk full?", in_quotes(path)));
}

/// More than a commit of some labels takes.
constexpr std::size_t kProbeBytes = 64 << 10;

/// 0, or the error number of the system.
int write_some(const std::string& path) {
  const int file =
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return errno;
  const std::string bytes(kProbeBytes, '\0');
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

/// Brings the removal of files from the folder to disk.
Result<void> sync_folder(const std::string& path) {
  const int folder = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool done = folder >= 0 && ::fsync(folder) == 0;
  if (folder >= 0) ::close(folder);
  if (done) return {};
  return fail(ErrorCode::write_failure,
              fmt::format("the folder {} cannot be written to disk", in_quotes(path)));
}

}  // namespace

Result<DataFolder> DataFolder::open(std::string path) {
  std::error_code wrong;
  const std::string campaigns = path + "/campaigns";
  if (fs::create_directories(campaigns, wrong) && !wrong) {
    // Labels, known answers and workers' names are not for other users of this machine.
    fs::permissions(campaigns, fs::perms::owner_all, wrong);
  }
  if (wrong) {
    return fail(ErrorCode::write_failure,
                fmt::format("the folder {} cannot be made ({}); expected one that can be written",
                            in_quotes(path), wrong.message()));
  }
  const int lock = TRY(lock_folder(path));
  return DataFolder(std::move(path), lock);
}

bool DataFolder::is_in_use(const std::string& path) {
  const int file = ::open((path + "/lock").c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool free = ::flock(file, LOCK_SH | LOCK_NB) == 0;
  ::close(file);
  return !free;
}

DataFolder::DataFolder(DataFolder&& other) noexcept
    : path_(std::move(other.path_)), lock_(std::exchange(other.lock_, -1)) {}

DataFolder::~DataFolder() {
  if (lock_ >= 0) ::close(lock_);
}

std::string DataFolder::campaign_file(const std::string& id) const {
  return fmt::format("{}/campaigns/{}.db", path_, id);
}

std::vector<std::string> campaign_files(const std::string& folder) {
  std::vector<std::string> ids;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder + "/campaigns", none)) {
    if (entry.path().extension() == ".db") ids.push_back(entry.path().stem());
  }
  std::ranges::sort(ids);
  return ids;
}

std::string user_name(std::uint32_t user) {
  const passwd* const known = ::getpwuid(user);
  return known != nullptr ? known->pw_name : fmt::to_string(user);
}

std::uint64_t DataFolder::campaign_bytes(const std::string& id) const {
  std::uint64_t bytes = 0;
  for (const char* part : {"", "-wal"}) {
    std::error_code wrong;
    const auto size = fs::file_size(campaign_file(id) + part, wrong);
    if (!wrong) bytes += size;
  }
  return bytes;
}

Result<void> DataFolder::remove_campaign(const std::string& id) const {
  for (const char* part : {"", "-wal", "-shm", "-journal"}) {
    std::error_code wrong;
    fs::remove(campaign_file(id) + part, wrong);
    if (wrong) {
      return fail(ErrorCode::write_failure,
                  fmt::format("{} cannot be removed ({}); expected a folder that can be written",
                              in_quotes(campaign_file(id) + part), wrong.message()));
    }
  }
  return sync_folder(path_ + "/campaigns");
}

std::string DataFolder::write_trouble() const {
  const int wrong = write_some(path_ + "/probe");
  return wrong == 0 ? "" : std::generic_category().message(wrong);
}

}  // namespace allot::serve
