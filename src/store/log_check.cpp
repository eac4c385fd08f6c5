#include "store/log_check.hpp"

#include <array>
#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <span>
#include <vector>

#include "store/messages.hpp"

namespace allot::store {
namespace {

// Layout [sqlite.org/fileformat2.html, section 4; sqlite.org/walformat.html, section 2].
constexpr std::size_t kLogHeader = 32, kFrameHeader = 24, kIndexHeader = 48;
constexpr std::uint32_t kMagic = 0x377f0682;  // the lowest bit: checksums of big-endian words

using Bytes = std::span<const unsigned char>;
using Salt = std::array<unsigned char, 8>;

std::uint32_t big_endian(Bytes bytes, std::size_t at) {
  return std::uint32_t{bytes[at]} << 24 | std::uint32_t{bytes[at + 1]} << 16 |
         std::uint32_t{bytes[at + 2]} << 8 | bytes[at + 3];
}

std::uint32_t little_endian(Bytes bytes, std::size_t at) {
  return std::uint32_t{bytes[at + 3]} << 24 | std::uint32_t{bytes[at + 2]} << 16 |
         std::uint32_t{bytes[at + 1]} << 8 | bytes[at];
}

Salt salt_at(Bytes bytes, std::size_t at) {
  Salt salt;
  std::memcpy(salt.data(), &bytes[at], salt.size());
  return salt;
}

/// The running checksum of a log: each frame continues that of the frame before.
struct LogChecksum {
  bool of_big_endian = false;
  std::uint32_t first = 0, second = 0;

  void add(Bytes bytes) {
    const auto word = of_big_endian ? big_endian : little_endian;
    for (std::size_t at = 0; at < bytes.size(); at += 8) {
      first += word(bytes, at) + second;
      second += word(bytes, at + 4) + first;
    }
  }
  bool is_at(Bytes bytes, std::size_t at) const {
    return big_endian(bytes, at) == first && big_endian(bytes, at + 4) == second;
  }
};

/// What the index says of the finished commits.
struct LogIndex {
  std::uint32_t frames = 0;
  Salt salt = {};

  bool operator==(const LogIndex&) const = default;
};

/// Nothing if there is no index, or if it is being changed: it has two copies of its header.
std::optional<LogIndex> read_index(const std::string& path) {
  std::array<unsigned char, 2 * kIndexHeader> bytes{};
  std::ifstream file(path, std::ios::binary);
  if (!file.read(reinterpret_cast<char*>(bytes.data()), bytes.size())) return {};
  if (std::memcmp(bytes.data(), &bytes[kIndexHeader], kIndexHeader) != 0) return {};
  LogIndex index{.salt = salt_at(bytes, 32)};
  std::memcpy(&index.frames, &bytes[16], sizeof index.frames);  // in the machine's byte order
  return index;
}

struct LogScan {
  bool is_log = true;
  Salt salt = {};
  std::uint32_t good_frames = 0;           // up to the first bad one
  bool has_commits_behind_damage = false;  // and a frame behind the commit
};

LogScan scan_frames(std::ifstream& log, Bytes header, LogChecksum checksum) {
  LogScan scan{.salt = salt_at(header, 16)};
  const std::size_t page_size = big_endian(header, 8);
  if (!std::has_single_bit(page_size) || page_size < 512 || page_size > 65536) {
    return {.is_log = false};
  }
  std::vector<unsigned char> bytes(kFrameHeader + page_size);
  bool is_damaged = false, has_commit = false;
  while (
      log.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()))) {
    const Bytes frame(bytes);
    const bool is_of_this_log = salt_at(frame, 8) == scan.salt;
    const bool is_commit = big_endian(frame, 4) != 0;
    if (!is_damaged) {
      checksum.add(frame.first(8));
      checksum.add(frame.subspan(kFrameHeader));
      is_damaged = !is_of_this_log || !checksum.is_at(frame, 16);
      scan.good_frames += !is_damaged;
      has_commit = is_damaged && is_commit;
    } else if (is_of_this_log) {
      if (has_commit) {
        scan.has_commits_behind_damage = true;
        break;
      }
      has_commit = is_commit;
    }
  }
  return scan;
}

using LogHeader = std::array<unsigned char, kLogHeader>;

/// Nothing if there is no log, or none that was ever written to.
std::optional<LogHeader> read_header(std::ifstream& log) {
  LogHeader header{};
  if (!log.read(reinterpret_cast<char*>(header.data()), header.size())) return {};
  if (big_endian(header, 0) == 0) return {};
  return header;
}

/// The checksum behind the header; nothing if that is not one of a log.
std::optional<LogChecksum> checksum_of(Bytes header) {
  const std::uint32_t magic = big_endian(header, 0);
  LogChecksum checksum{.of_big_endian = (magic & 1) != 0};
  checksum.add(header.first(24));
  if ((magic & ~1U) != kMagic || !checksum.is_at(header, 24)) return {};
  return checksum;
}

std::optional<LogScan> scan_log(const std::string& path) {
  std::ifstream log(path, std::ios::binary);
  const auto header = read_header(log);
  if (!header) return {};
  const auto checksum = checksum_of(*header);
  if (!checksum) return LogScan{.is_log = false};
  return scan_frames(log, *header, *checksum);
}

/// What is wrong with the log; empty if nothing is.
std::string damage_of(const LogScan& scan, const std::optional<LogIndex>& index) {
  if (!scan.is_log) return "its header is damaged";
  if (index && index->salt == scan.salt) {
    if (index->frames <= scan.good_frames) return {};
    return fmt::format("{} of its {} pages can be read", scan.good_frames, index->frames);
  }
  if (!scan.has_commits_behind_damage) return {};
  return fmt::format("page {} is damaged", scan.good_frames + 1);
}

}  // namespace

bool has_log_pages(const std::string& path) {
  constexpr std::uintmax_t kSmallestPage = 512;
  std::error_code missing;
  const auto size = std::filesystem::file_size(path + "-wal", missing);
  return !missing && size >= kLogHeader + kFrameHeader + kSmallestPage;
}

bool has_log_header(const std::string& path) {
  std::ifstream log(path + "-wal", std::ios::binary);
  const auto header = read_header(log);
  return header && checksum_of(*header);
}

Result<void> check_log_frames(const std::string& path) {
  // Another process may start the log over during a scan. Its index then changes, too.
  constexpr int kMostScans = 10;
  for (int n = 0; n < kMostScans; ++n) {
    const auto index = read_index(path + "-shm");
    const auto scan = scan_log(path + "-wal");
    if (!scan) return {};
    const std::string damage = damage_of(*scan, index);
    if (damage.empty()) return {};
    const auto scan_again = scan_log(path + "-wal");
    if (index != read_index(path + "-shm") || !scan_again || scan_again->salt != scan->salt ||
        damage_of(*scan_again, index) != damage) {
      continue;
    }
    return in_file(path,
                   "the newest records are missing, because {} is damaged or cut off ({}); restore "
                   "a backup",
                   in_quotes(path + "-wal"), damage);
  }
  return {};
}

}  // namespace allot::store
