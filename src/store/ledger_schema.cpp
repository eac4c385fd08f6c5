#include "store/ledger_schema.hpp"

#include <fmt/format.h>

#include "allot/base/text.hpp"
#include "base/try.hpp"
#include "store/key_index.hpp"
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

constexpr const char* kMigrations[] = {kTables, kLastRecord, kKeyHashes};

}  // namespace

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
    return fail(ErrorCode::store_failure,
                fmt::format("{}: written by a newer allot (format {}); expected format {} or older",
                            in_quotes(file.path()), format, newest));
  }
  if (format < newest && !accepted.older) {
    return fail(ErrorCode::store_failure,
                fmt::format("{}: the file has the older format {} and cannot be written; expected "
                            "a file that can be brought up to date",
                            in_quotes(file.path()), format));
  }
  return {};
}

bool is_older_ledger(Connection& file) {
  const auto owner = file.number("PRAGMA application_id");
  const auto format = file.number("PRAGMA user_version");
  return owner && *owner == kApplication && format && *format < ledger_schema().format();
}

}  // namespace allot::store
