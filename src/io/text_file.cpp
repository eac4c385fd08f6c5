#include "allot/io/text_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "allot/base/text.hpp"
#include "base/errors.hpp"
#include "io/gzip.hpp"

namespace allot::io {
namespace {

namespace fs = std::filesystem;

/// An open file. It closes itself, unless it is a standard stream.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  /// Closes the file; false if the last bytes did not reach it.
  bool close() {
    const int number = std::exchange(number_, -1);
    return number <= STDERR_FILENO || ::close(number) == 0;
  }

 private:
  int number_;
};

/// The path in quotes, never cut short: its end is the informative part.
std::string name_of(const std::string& path, std::string_view stream = "standard input") {
  return path == "-" ? std::string(stream) : fmt::format("'{}'", path);
}

tl::unexpected<Error> unreadable(const std::string& path, int reason) {
  return invalid("{} cannot be read: {}", name_of(path), std::strerror(reason));
}

Result<std::string> read_bytes(const std::string& path, std::uint64_t most) {
  Descriptor file(path == "-" ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) return unreadable(path, errno);
  constexpr std::size_t kPiece = std::size_t{1} << 16;
  std::string bytes;
  for (std::size_t filled = 0;;) {
    if (bytes.size() - filled < kPiece) bytes.resize(std::max(2 * filled, filled + kPiece));
    const ssize_t count = read(file.number(), bytes.data() + filled, bytes.size() - filled);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return unreadable(path, errno);
    filled += static_cast<std::size_t>(count);
    if (filled > most) {
      return fail(ErrorCode::too_large, "{0} has more than {1} bytes; expected at most {1}",
                  name_of(path), most);
    }
    if (count == 0) {
      bytes.resize(filled);
      return bytes;
    }
  }
}

/// An error if the reason is not 0.
Result<void> refuse_if(int reason, const std::string& path) {
  if (reason == 0) return {};
  return fail(ErrorCode::write_failure, "{} cannot be written: {}",
              name_of(path, "standard output"), std::strerror(reason));
}

/// Writes all of the text; returns 0 or the reason of the failure.
int write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(file, text.data(), text.size());
    if (count < 0 && errno != EINTR) return errno;
    if (count > 0) text.remove_prefix(static_cast<std::size_t>(count));
  }
  return 0;
}

/// The file to write, after following links.
struct Place {
  fs::path path;
  bool exists;
  bool replaceable;  // neither a folder nor a device or pipe
  mode_t mode;       // of the existing file, or of the new one
};

/// The path after following links, even if the last one leads to no file yet.
fs::path without_links(fs::path path) {
  constexpr int kMostLinks = 40;  // the limit of Linux
  std::error_code none;
  for (int n = 0; n < kMostLinks && fs::is_symlink(path, none); ++n)
    path = path.parent_path() / fs::read_symlink(path, none);
  return path;
}

Result<Place> find_place(const std::string& path) {
  struct stat found {};
  if (stat(path.c_str(), &found) == 0) {
    const bool is_file = S_ISREG(found.st_mode);
    return Place{is_file ? without_links(path) : fs::path(path), true, is_file,
                 found.st_mode & 07777};
  }
  if (errno != ENOENT || path.empty()) return tl::unexpected(refuse_if(errno, path).error());
  return Place{without_links(path), false, true, 0666};
}

/// A new temporary file beside its place. It is removed unless it is moved there.
class Draft {
 public:
  explicit Draft(const Place& place)
      : place_(place), file_(create()), reason_(file_.is_open() ? 0 : errno) {}
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
  ~Draft() {
    if (reason_ == 0 && !moved_) unlink(name_.c_str());
  }

  /// 0, or the reason why it could not be created.
  int reason() const { return reason_; }

  /// Writes the text and moves the file into place; returns 0 or the reason of the failure.
  int finish(std::string_view text) {
    // umask may have removed permissions when the file was created.
    if (place_.exists && fchmod(file_.number(), place_.mode) != 0) return errno;
    if (const int reason = write_all(file_.number(), text)) return reason;
    if (fsync(file_.number()) != 0 || !file_.close()) return errno;
    moved_ = std::rename(name_.c_str(), place_.path.c_str()) == 0;
    return moved_ ? 0 : errno;
  }

 private:
  /// Creates a file under an unused name; negative if that fails.
  int create() {
    constexpr int kAttempts = 1000;
    int file = -1;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      name_ = place_.path.parent_path() / fmt::format(".allot-{}-{}", getpid(), attempt);
      file = open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, place_.mode);
      if (file >= 0 || errno != EEXIST) break;
    }
    return file;
  }

  const Place& place_;
  fs::path name_;
  Descriptor file_;
  int reason_;
  bool moved_ = false;
};

int replace(const Place& place, std::string_view text) {
  Draft draft(place);
  return draft.reason() != 0 ? draft.reason() : draft.finish(text);
}

/// Writes to a device or pipe, which cannot be replaced.
int write_in_place(const std::string& path, std::string_view text) {
  Descriptor file(path == "-" ? STDOUT_FILENO : open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file.is_open()) return errno;
  if (const int reason = write_all(file.number(), text)) return reason;
  return file.close() ? 0 : errno;
}

/// True if the file is a database, which a text must not overwrite.
bool is_database(const Place& place) {
  if (!place.exists || !place.replaceable) return false;
  std::array<char, 15> head{};
  std::ifstream(place.path, std::ios::binary).read(head.data(), head.size());
  return std::string_view(head.data(), head.size()) == "SQLite format 3";
}

/// 0, or the reason why a text could not be written now.
int obstacle(const Place& place) {
  if (place.replaceable) return Draft(place).reason();
  std::error_code none;
  if (fs::is_directory(place.path, none)) return EISDIR;
  return access(place.path.c_str(), W_OK) == 0 ? 0 : errno;
}

}  // namespace

Result<std::string> read_text_file(const std::string& path, std::uint64_t most) {
  Result<std::string> bytes = read_bytes(path, most);
  if (!bytes || !is_gzip(*bytes)) return bytes;
  Result<std::string> text = gunzip(*bytes, most);
  if (!text) text.error().message = fmt::format("{} {}", name_of(path), text.error().message);
  return text;
}

Result<void> check_writable(const std::string& path) {
  if (path == "-") return {};
  return find_place(path).and_then([&](const Place& place) -> Result<void> {
    if (is_database(place)) {
      return invalid("{} is a database, perhaps a campaign; expected another file",
                     in_quotes(path));
    }
    return refuse_if(obstacle(place), path);
  });
}

Result<void> write_text_file(const std::string& path, std::string_view text) {
  if (path == "-") return refuse_if(write_in_place(path, text), path);
  return find_place(path).and_then([&](const Place& place) {
    return refuse_if(place.replaceable ? replace(place, text) : write_in_place(path, text), path);
  });
}

}  // namespace allot::io
