#include "allot/io/text_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <utility>

#include "allot/base/text.hpp"
#include "io/gzip.hpp"

namespace allot::io {
namespace {

namespace fs = std::filesystem;

/// An open file; what is not a standard stream is closed.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  /// False if the last bytes did not reach the file.
  bool close() {
    const int number = std::exchange(number_, -1);
    return number <= STDERR_FILENO || ::close(number) == 0;
  }

 private:
  int number_;
};

std::string name_of(const std::string& path) {
  return path == "-" ? "standard input" : in_quotes(path);
}

tl::unexpected<Error> unreadable(const std::string& path, int reason) {
  return fail(ErrorCode::invalid_argument,
              fmt::format("{} cannot be read: {}", name_of(path), std::strerror(reason)));
}

Result<std::string> read_bytes(const std::string& path, std::uint64_t most) {
  Descriptor file(path == "-" ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) return unreadable(path, errno);
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  std::string bytes;
  for (std::size_t filled = 0;;) {
    if (bytes.size() - filled < kPiece) bytes.resize(std::max(2 * filled, filled + kPiece));
    const ssize_t count = read(file.number(), bytes.data() + filled, bytes.size() - filled);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return unreadable(path, errno);
    filled += static_cast<std::size_t>(count);
    if (filled > most) {
      return fail(ErrorCode::too_large,
                  fmt::format("{} has more than {} bytes; expected no more", name_of(path), most));
    }
    if (count == 0) {
      bytes.resize(filled);
      return bytes;
    }
  }
}

[[noreturn]] void unwritable(const std::string& path, int reason) {
  throw std::runtime_error(
      fmt::format("{} could not be written: {}", in_quotes(path), std::strerror(reason)));
}

/// The reason why not all could be written, or 0.
int write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = write(file, text.data(), text.size());
    if (count < 0 && errno != EINTR) return errno;
    if (count > 0) text.remove_prefix(static_cast<std::size_t>(count));
  }
  return 0;
}

/// A new file in the folder, under a name that nobody uses.
std::string create_beside(const std::string& path, mode_t mode, std::optional<Descriptor>& file) {
  for (int attempt = 0;; ++attempt) {
    const fs::path name =
        fs::path(path).parent_path() / fmt::format(".allot-{}-{}", getpid(), attempt);
    file.emplace(open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
    if (file->is_open()) return name;
    if (errno != EEXIST || attempt == 1000) unwritable(path, errno);
  }
}

void replace(const std::string& path, std::string_view text, mode_t mode, bool exists) {
  std::optional<Descriptor> file;
  const std::string beside = create_beside(path, mode, file);
  int reason = write_all(file->number(), text);
  if (reason == 0 && exists && fchmod(file->number(), mode) != 0) reason = errno;
  if (reason == 0 && fsync(file->number()) != 0) reason = errno;
  if (!file->close() && reason == 0) reason = errno;
  if (reason == 0 && std::rename(beside.c_str(), path.c_str()) != 0) reason = errno;
  if (reason == 0) return;
  unlink(beside.c_str());
  unwritable(path, reason);
}

/// Devices and pipes are no files to be replaced.
void write_in_place(const std::string& path, std::string_view text) {
  Descriptor file(path == "-" ? STDOUT_FILENO : open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file.is_open()) unwritable(path, errno);
  const int reason = write_all(file.number(), text);
  if (reason != 0) unwritable(path, reason);
  if (!file.close()) unwritable(path, errno);
}

}  // namespace

Result<std::string> read_text_file(const std::string& path, std::uint64_t most) {
  Result<std::string> bytes = read_bytes(path, most);
  if (!bytes || !is_gzip(*bytes)) return bytes;
  Result<std::string> text = gunzip(*bytes, most);
  if (!text) text.error().message = fmt::format("{} {}", name_of(path), text.error().message);
  return text;
}

void write_text_file(const std::string& path, std::string_view text) {
  struct stat found {};
  const bool exists = path != "-" && stat(path.c_str(), &found) == 0;
  if (path == "-" || (exists && !S_ISREG(found.st_mode))) return write_in_place(path, text);
  std::error_code none;
  const fs::path target = exists ? fs::canonical(path, none) : fs::path(path);
  replace(none ? path : target.string(), text, exists ? found.st_mode & 07777 : 0666, exists);
}

}  // namespace allot::io
