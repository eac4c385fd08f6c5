#include "store/ledger_backup.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include "store/checksum.hpp"
#include "store/ledger_file.hpp"
#include "store/ledger_schema.hpp"
#include "store/messages.hpp"

namespace allot::store {
namespace {

/// "allp" in ASCII: a part cannot be mistaken for a campaign.
constexpr std::int64_t kPartApplication = 0x616C6C70;
constexpr int kBackupTimeoutMs = 30'000;
constexpr std::size_t kRecordsPerRead = 10'000, kContentsPerRead = 1000;
/// Items have numbers of 32 bits.
constexpr std::int64_t kMostContents = std::int64_t{1} << 32;

/// A new file, which the caller syncs once it is complete.
Result<std::unique_ptr<Connection>> new_unsynced_file(const std::string& path) {
  auto file =
      TRY(Connection::open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, kBackupTimeoutMs));
  TRY(file->execute("PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY"));
  return file;
}

}  // namespace

Result<std::unique_ptr<LedgerSource>> LedgerSource::open(const std::string& path) {
  FileUse use = TRY(begin_use(path, kBackupTimeoutMs));
  auto file = TRY(Connection::open_for_reading(path, kBackupTimeoutMs));
  TRY(check_ledger(*file, {.older = true}));
  if (!is_older_ledger(*file)) TRY(check_log(*file));
  return hold(std::move(use), std::move(file));
}

Result<std::unique_ptr<LedgerSource>> LedgerSource::open_part(const std::string& path) {
  FileUse use = TRY(FileUse::begin(path, [&] { return check_file_header(path); }));
  auto file = TRY(Connection::open_for_reading(path, kBackupTimeoutMs));
  if (TRY(file->number("PRAGMA application_id")) != kPartApplication ||
      TRY(file->number("PRAGMA user_version")) > ledger_schema().format()) {
    return in_file(path, "not a part of a backup; expected one that this allot can read");
  }
  return hold(std::move(use), std::move(file));
}

/// The transaction stays open, so that everything is read as it is now.
Result<std::unique_ptr<LedgerSource>> LedgerSource::hold(FileUse use,
                                                         std::unique_ptr<Connection> file) {
  TRY(file->execute("BEGIN"));
  std::unique_ptr<LedgerSource> source(new LedgerSource(std::move(use), std::move(file)));
  TRY(source->find_end());
  return source;
}

Result<void> LedgerSource::find_end() {
  const LedgerReader reader(*file_);
  end_.format = TRY(file_->number("PRAGMA user_version"));
  std::size_t campaigns = 0;
  TRY(reader.query("SELECT id, name FROM campaign").each([&](const Statement& row) {
    row_.id = row.number(0);
    end_.campaign = row.text(1);
    ++campaigns;
  }));
  if (campaigns != 1) {
    return in_file(file_->path(), "the file has {} campaigns; expected one", campaigns);
  }
  TRY(reader
          .query("SELECT sequence, checksum FROM record WHERE campaign = ?1"
                 " ORDER BY sequence DESC LIMIT 1",
                 row_.id)
          .each([&](const Statement& row) {
            end_.last = static_cast<std::uint64_t>(row.number(0));
            end_.checksum = static_cast<std::uint64_t>(row.number(1));
          }));
  const std::int64_t contents = TRY(
      reader.query("SELECT coalesce(max(item) + 1, 0) FROM content WHERE campaign = ?1", row_.id)
          .count());
  if (contents < 0 || contents > kMostContents)
    return damaged(path(), "its last item has the number {}", contents);
  end_.contents = static_cast<std::uint64_t>(contents);
  row_.last = end_.last;
  constexpr std::int64_t kFirstWithLast = 2;
  if (end_.format < kFirstWithLast) return {};
  row_.last = static_cast<std::uint64_t>(
      TRY(reader.query("SELECT last FROM campaign WHERE id = ?1", row_.id).count()));
  return row_.last == end_.last ? Result<void>() : reader.cut_off(end_.last, row_.last);
}

Result<bool> LedgerSource::continues(const LedgerPosition& position) const {
  if (position.campaign != end_.campaign || position.format != end_.format ||
      end_.format != ledger_schema().format() || position.last > end_.last) {
    return false;
  }
  const auto sum =
      TRY(LedgerReader(*file_)
              .query("SELECT checksum FROM record WHERE campaign = ?1 AND sequence = ?2", row_.id,
                     position.last)
              .count());
  return static_cast<std::uint64_t>(sum) == position.checksum;
}

Result<void> LedgerSource::copy_to(const std::string& path) const {
  const auto copy = TRY(new_unsynced_file(path));
  TRY(file_->copy_to(*copy));
  if (end_.format == ledger_schema().format()) {
    TRY(copy->execute("UPDATE campaign SET in_log = 0 WHERE in_log <> 0"));
  }
  return copy->execute("PRAGMA journal_mode = DELETE");
}

template <typename Visit>
Result<void> LedgerSource::each_records(std::uint64_t after, Visit visit) const {
  const LedgerReader reader(*file_);
  while (after < end_.last) {
    const auto records = TRY(reader.read(row_, after, kRecordsPerRead));
    after = records.back().sequence;
    TRY(visit(records));
  }
  return {};
}

Result<void> LedgerSource::each_of_kind(
    std::uint8_t kind, const std::function<Result<void>(const Record&)>& visit) const {
  return LedgerReader(*file_).each_of_kind(row_, kind, visit);
}

Result<std::vector<Content>> LedgerSource::contents(std::uint32_t from, std::size_t most) const {
  std::vector<Content> contents;
  std::int64_t next = from;
  TRY(LedgerReader(*file_)
          .query("SELECT item, fields FROM content WHERE campaign = ?1 AND item >= ?2"
                 " ORDER BY item LIMIT ?3",
                 row_.id, from, most)
          .each([&](const Statement& row) -> Result<void> {
            const std::int64_t item = row.number(0);
            // Only a damaged file has such items; without this a reader would not get past them.
            if (item < next || item >= kMostContents)
              return damaged(path(), "item {} is out of place", item);
            next = item + 1;
            contents.push_back({static_cast<std::uint32_t>(item), row.text(1)});
            return {};
          }));
  return contents;
}

template <typename Visit>
Result<void> LedgerSource::each_contents(std::uint64_t from, Visit visit) const {
  while (from < end_.contents) {
    const auto some = TRY(contents(static_cast<std::uint32_t>(from), kContentsPerRead));
    if (some.empty()) break;
    from = std::uint64_t{some.back().item} + 1;
    TRY(visit(some));
  }
  return {};
}

Result<void> LedgerSource::write_part(const LedgerPosition& after, const std::string& path) const {
  const auto part = TRY(new_unsynced_file(path));
  part->define("allot_hash", stored_hash);
  TRY(migrate(*part, ledger_schema()));
  auto transaction = TRY(Transaction::begin(*part));
  TRY(Query(*part, "INSERT INTO campaign (id, name, last) VALUES (1, ?1, ?2)", end_.campaign,
            end_.last)
          .run());
  TRY(each_records(after.last, [&](const std::vector<Record>& records) -> Result<void> {
    for (const Record& record : records) {
      std::optional<std::string_view> key;
      if (!record.key.empty()) key = record.key;
      TRY(Query(*part, "INSERT INTO record VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6)", record.sequence,
                record.time, record.kind, key, Blob{record.payload},
                checksum(record, record.sequence))
              .run());
    }
    return {};
  }));
  TRY(each_contents(after.contents, [&](const std::vector<Content>& contents) -> Result<void> {
    for (const Content& content : contents) {
      TRY(Query(*part, "INSERT INTO content VALUES (1, ?1, ?2)", content.item, content.fields)
              .run());
    }
    return {};
  }));
  TRY(transaction.commit());
  return part->execute(fmt::format("PRAGMA application_id = {}", kPartApplication));
}

Result<void> LedgerSource::check(std::uint64_t after) const {
  return each_records(after, [](const std::vector<Record>&) -> Result<void> { return {}; });
}

Result<void> LedgerSource::append_to(Store& store, const LedgerPosition& after) const {
  const auto turn = TRY(store.begin(end_.campaign));
  if (const auto last = TRY(turn->last()); last != after.last) {
    return in_file(file_->path(), "the part follows record {}, the campaign ends at {}", after.last,
                   last);
  }
  TRY(each_records(after.last, [&](const std::vector<Record>& records) {
    return turn->append(std::vector<Draft>(records.begin(), records.end()));
  }));
  TRY(each_contents(after.contents,
                    [&](const std::vector<Content>& contents) { return turn->add(contents); }));
  return turn->commit();
}

}  // namespace allot::store
