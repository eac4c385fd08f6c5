#include "store/ledger_schema.hpp"

#include <array>
#include <filesystem>
#include <fstream>

#include "store/key_index.hpp"
#include "store/log_check.hpp"
#include "store/messages.hpp"

namespace allot::store {
namespace {

/// "allt" in ASCII.
constexpr std::int64_t kApplication = 0x616C6C74;

/// Format 1: campaigns, their records, contents of items, snapshots.
constexpr const char* kTables = R"(
  CREATE TABLE campaign (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
  CREATE TABLE record (
    campaign INTEGER NOT NULL, sequence INTEGER NOT NULL, time INTEGER NOT NULL,
    kind INTEGER NOT NULL, key TEXT, payload BLOB NOT NULL, checksum INTEGER NOT NULL,
    PRIMARY KEY (campaign, sequence)) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX record_key ON record (campaign, key) WHERE key IS NOT NULL;
  CREATE TABLE content (
    campaign INTEGER NOT NULL, item INTEGER NOT NULL, fields TEXT NOT NULL,
    PRIMARY KEY (campaign, item)) STRICT, WITHOUT ROWID;
  CREATE TABLE snapshot (campaign INTEGER PRIMARY KEY, sequence INTEGER NOT NULL) STRICT;
  CREATE TABLE snapshot_part (
    campaign INTEGER NOT NULL, part INTEGER NOT NULL, bytes BLOB NOT NULL,
    PRIMARY KEY (campaign, part)) STRICT;
)";

/// Format 2: the sequence number at which the ledger must end, so that a cut ledger is noticed.
constexpr const char* kLastRecord = R"(
  ALTER TABLE campaign ADD COLUMN last INTEGER NOT NULL DEFAULT 0;
  UPDATE campaign SET last =
    (SELECT coalesce(max(sequence), 0) FROM record WHERE record.campaign = campaign.id);
)";

/// Format 3: keys by their hash, see key_index.hpp.
constexpr const char* kKeyHashes = R"(
  ALTER TABLE campaign ADD COLUMN salt INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE campaign ADD COLUMN indexed INTEGER NOT NULL DEFAULT 0;
  UPDATE campaign SET salt = random(), indexed = last;
  CREATE TABLE key (
    campaign INTEGER NOT NULL, hash INTEGER NOT NULL, sequence INTEGER NOT NULL,
    PRIMARY KEY (campaign, hash, sequence)) STRICT, WITHOUT ROWID;
  INSERT INTO key SELECT record.campaign, allot_hash(record.key, campaign.salt), sequence
    FROM record JOIN campaign ON campaign.id = record.campaign
    WHERE record.key IS NOT NULL ORDER BY 1, 2, 3;
  DROP INDEX record_key;
)";

/// Format 4: whether records may be in the write-ahead log alone, so that a missing log is noticed.
constexpr const char* kLogMark =
    "ALTER TABLE campaign ADD COLUMN in_log INTEGER NOT NULL DEFAULT 0";

constexpr const char* kMigrations[] = {kTables, kLastRecord, kKeyHashes, kLogMark};

/// Header of a SQLite file [sqlite.org/fileformat.html, section 1.3]: big-endian numbers.
struct FileHeader {
  std::array<unsigned char, 100> bytes{};

  std::uint64_t word(std::size_t at) const {
    return std::uint64_t{bytes[at]} << 24 | std::uint64_t{bytes[at + 1]} << 16 |
           std::uint64_t{bytes[at + 2]} << 8 | bytes[at + 3];
  }
  bool is_sqlite() const {
    return std::string_view(reinterpret_cast<const char*>(bytes.data()), 15) == "SQLite format 3";
  }
  std::uint64_t page_size() const {
    const std::uint64_t size = std::uint64_t{bytes[16]} << 8 | bytes[17];
    return size == 1 ? 65536 : size;
  }
  /// The page count is valid only if the last writer also updated it.
  bool has_page_count() const { return word(24) == word(92); }
  std::uint64_t page_count() const { return word(28); }
};

}  // namespace

Result<void> check_file_header(const std::string& path) {
  std::error_code missing;
  const auto size = std::filesystem::file_size(path, missing);
  if (missing || size == 0) return {};
  FileHeader header;
  std::ifstream file(path, std::ios::binary);
  if (!file) return in_file(path, "the file cannot be opened; expected permission to read it");
  file.read(reinterpret_cast<char*>(header.bytes.data()), header.bytes.size());
  if (!header.is_sqlite()) return not_a_campaign_file(path);
  const auto log = std::filesystem::file_size(path + "-wal", missing);
  if (!missing && log > 0) return {};
  const std::uint64_t expected = header.page_count() * header.page_size();
  if (header.has_page_count() && expected > size) {
    return in_file(path, "the file is cut short, {} bytes instead of {}; restore it from a backup",
                   size, expected);
  }
  return {};
}

const Schema& ledger_schema() {
  static constexpr Schema schema{kApplication, kMigrations};
  return schema;
}

std::int64_t stored_hash(std::string_view key, std::int64_t salt) {
  return static_cast<std::int64_t>(hash_of(key, static_cast<std::uint64_t>(salt)));
}

Result<void> check_ledger(Connection& file, AcceptedFormats accepted) {
  const auto owner = TRY(file.number("PRAGMA application_id"));
  const auto format = TRY(file.number("PRAGMA user_version"));
  const auto tables = TRY(file.number("SELECT count(*) FROM sqlite_master"));
  if (owner == 0 && tables == 0 && accepted.empty_file) return {};
  const std::int64_t newest = ledger_schema().format();
  if (owner != kApplication) return not_a_campaign_file(file.path());
  if (format > newest) {
    return in_file(file.path(), "written by a newer allot (format {}); expected format {} or older",
                   format, newest);
  }
  if (format < newest && !accepted.older) {
    return in_file(file.path(),
                   "the file has the older format {} and cannot be written; expected a file that "
                   "can be brought up to date",
                   format);
  }
  return {};
}

Result<void> check_log(Connection& file) {
  if (TRY(file.number("SELECT count(*) FROM campaign WHERE in_log <> 0")) == 0) return {};
  if (has_log_pages(file.path())) return {};
  return in_file(file.path(),
                 "the newest records are missing, because they were in {}, which is not there; "
                 "expected both files, or a copy made by 'allot backup'",
                 in_quotes(file.path() + "-wal"));
}

bool is_older_ledger(Connection& file) {
  const auto owner = file.number("PRAGMA application_id");
  const auto format = file.number("PRAGMA user_version");
  return owner && *owner == kApplication && format && *format < ledger_schema().format();
}

}  // namespace allot::store
