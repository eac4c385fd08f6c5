#include "allot/store/sqlite_store.hpp"

#include <fmt/format.h>
#include <sqlite3.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <future>
#include <limits>
#include <map>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <unordered_set>

#include "allot/base/text.hpp"
#include "base/try.hpp"
#include "store/key_index.hpp"
#include "store/messages.hpp"
#include "store/sqlite.hpp"

namespace allot::store {
namespace {

/// "allt", where SQLite keeps who a file belongs to.
constexpr std::int64_t kApplication = 0x616C6C74;

/// kMigrations[n] brings a file from format n to n + 1.
constexpr std::array<const char*, 3> kMigrations{R"(
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
)",
                                                 // Where the ledger must end.
                                                 R"(
  ALTER TABLE campaign ADD COLUMN last INTEGER NOT NULL DEFAULT 0;
  UPDATE campaign SET last =
    (SELECT coalesce(max(sequence), 0) FROM record WHERE record.campaign = campaign.id);
)",
                                                 // Keys by their hash, see key_index.hpp.
                                                 R"(
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
)"};
/// Pages of the log from which on it is tidied; aside later, since nobody waits for it, and what
/// many commits wrote is then moved once.
constexpr int kTidyFrom = 1000, kTidyAsideFrom = 4000, kTooMany = 50'000;

/// Keys in memory before they go into the table, and how many do so with one commit at least: for
/// a process that stays, as locality asks for; another has them all to read when it first looks for
/// one, so it waits for fewer and writes them at once.
constexpr std::size_t kManyKeys = 32'768, kSlice = 512, kFewKeys = 4096;

/// In KB, so that items that are asked again need not be read again; 2 MB otherwise.
constexpr int kCacheOfOneThatStays = 16'000;

constexpr auto kFormat = static_cast<std::int64_t>(kMigrations.size());

std::int64_t hash_in_file(std::string_view key, std::int64_t salt) {
  return static_cast<std::int64_t>(hash_of(key, static_cast<std::uint64_t>(salt)));
}

std::uint32_t checksum(const Draft& draft, std::uint64_t sequence) {
  const auto add = [](uLong sum, const void* bytes, std::size_t size) {
    return crc32_z(sum, static_cast<const Bytef*>(bytes), size);
  };
  const std::array<std::uint64_t, 3> head{sequence, static_cast<std::uint64_t>(draft.time),
                                          draft.kind | std::uint64_t{draft.key.size()} << 8};
  uLong sum = add(0, head.data(), sizeof head);
  sum = add(sum, draft.key.data(), draft.key.size());
  return static_cast<std::uint32_t>(add(sum, draft.payload.data(), draft.payload.size()));
}

/// Refuses a file that is something else, or shorter than its own head says. What a writer has not
/// moved into the file yet is beside it, and the head is then no measure.
Result<void> check_head(const std::string& path) {
  std::error_code none;
  const auto size = std::filesystem::file_size(path, none);
  if (none || size == 0) return {};
  std::array<unsigned char, 100> head{};
  std::ifstream(path, std::ios::binary).read(reinterpret_cast<char*>(head.data()), head.size());
  if (std::string_view(reinterpret_cast<char*>(head.data()), 15) != "SQLite format 3") {
    return fail(
        ErrorCode::store_failure,
        fmt::format("{}: not a campaign file; expected one made by allot", in_quotes(path)));
  }
  const auto log = std::filesystem::file_size(path + "-wal", none);
  if (!none && log > 0) return {};
  const auto word = [&](std::size_t at) {
    return std::uint64_t{head[at]} << 24 | std::uint64_t{head[at + 1]} << 16 |
           std::uint64_t{head[at + 2]} << 8 | head[at + 3];
  };
  std::uint64_t page = std::uint64_t{head[16]} << 8 | head[17];
  if (page == 1) page = 65536;
  const bool known = word(24) == word(92);  // whether the number of pages is up to date
  if (known && word(28) * page > size) {
    return fail(ErrorCode::store_failure,
                fmt::format("{}: the file is cut short, {} bytes instead of {}; go back to a copy "
                            "of it",
                            in_quotes(path), size, word(28) * page));
  }
  return {};
}

/// What the file says of a campaign.
struct Entry {
  std::int64_t id = 0;  // none
  std::int64_t salt = 0;
  std::uint64_t last = 0, indexed = 0;

  static Entry of(const Statement& row) {
    Entry entry{row.number(0), row.number(1), static_cast<std::uint64_t>(row.number(2)), 0};
    entry.indexed = std::min(entry.last, static_cast<std::uint64_t>(row.number(3)));
    return entry;
  }
};

/// What one thread is about to append to a campaign.
struct Appended {
  std::string campaign;
  Entry entry;                                          // as it is on disk
  std::uint64_t last = 0;                               // as it will be
  std::unordered_map<std::string, std::uint64_t> keys;  // of records that are not on disk
  std::unordered_set<std::string> sought;               // in vain
};

class SqliteStore final : public Store {
 public:
  static Result<std::unique_ptr<SqliteStore>> open(const std::string& path,
                                                   const SqliteOptions& options) {
    std::unique_ptr<SqliteStore> store(new SqliteStore(path, options));
    return check_head(path)
        .and_then([&] { return store->connect(); })
        .and_then([&] { return store->check_format(); })
        .map([&] { return std::move(store); });
  }

  Result<std::vector<std::string>> campaigns() override {
    const Reading reading(*this);
    return reading.connection()
        .prepare(
            "SELECT name FROM campaign c WHERE EXISTS"
            " (SELECT 1 FROM record WHERE campaign = c.id) ORDER BY id")
        .and_then([](Statement rows) {
          std::vector<std::string> names;
          while (true) {
            const Result<bool> row = rows.step();
            if (!row) return Result<std::vector<std::string>>(tl::unexpected(row.error()));
            if (!*row) return Result<std::vector<std::string>>(std::move(names));
            names.emplace_back(rows.bytes(0));
          }
        });
  }

  Result<std::uint64_t> last(std::string_view campaign) override {
    const Reading reading(*this);
    return reading.select(
        "SELECT coalesce(max(sequence), 0) FROM record"
        " WHERE campaign = (SELECT id FROM campaign WHERE name = ?1)",
        [&](Statement& rows) { rows.bind(1, campaign); }, std::uint64_t{0},
        [](Statement& rows, std::uint64_t& last) {
          last = static_cast<std::uint64_t>(rows.number(0));
          return Result<void>();
        });
  }

  Result<std::vector<Record>> read(std::string_view campaign, std::uint64_t after,
                                   std::size_t most) override {
    const Reading reading(*this);
    const auto id = TRY(reading.id_of(campaign));
    // Looked up first: whoever appends in between only makes the ledger longer.
    const auto end = reading.select(
        "SELECT last FROM campaign WHERE id = ?1", [&](Statement& rows) { rows.bind(1, id); },
        std::uint64_t{0},
        [](Statement& rows, std::uint64_t& last) {
          last = static_cast<std::uint64_t>(rows.number(0));
          return Result<void>();
        });
    if (!end) return tl::unexpected(end.error());
    std::uint64_t expected = after;
    auto records = reading.select(
        "SELECT sequence, time, kind, key, payload, checksum FROM record"
        " WHERE campaign = ?1 AND sequence > ?2 ORDER BY sequence LIMIT ?3",
        [&](Statement& rows) {
          rows.bind(1, id).bind(2, to_signed(after)).bind(3, to_signed(most));
        },
        std::vector<Record>(),
        [&](Statement& rows, std::vector<Record>& found) {
          return take(rows, ++expected).map([&](Record record) {
            found.push_back(std::move(record));
          });
        });
    if (records && records->size() < most && expected < *end) return cut_off(expected, *end);
    return records;
  }

  Result<std::optional<Record>> find(std::string_view campaign, std::string_view key) override {
    const Reading reading(*this);
    if (!has_turn() || turn_->campaign != campaign) {
      return reading.entry_of(campaign).and_then(
          [&](const Entry& entry) { return find(reading, entry, key); });
    }
    const auto fresh = turn_->keys.find(std::string(key));
    if (fresh != turn_->keys.end()) return record_at(reading, turn_->entry, fresh->second);
    auto found = find(reading, turn_->entry, key);
    if (found && !*found) turn_->sought.emplace(key);
    return found;
  }

  Result<std::optional<std::string>> content(std::string_view campaign,
                                             std::uint32_t item) override {
    const Reading reading(*this);
    const auto id = TRY(reading.id_of(campaign));
    return reading.select(
        "SELECT fields FROM content WHERE campaign = ?1 AND item = ?2",
        [&](Statement& rows) { rows.bind(1, id).bind(2, std::int64_t{item}); },
        std::optional<std::string>(),
        [](Statement& rows, std::optional<std::string>& found) {
          found = rows.bytes(0);
          return Result<void>();
        });
  }

  Result<std::optional<Snapshot>> snapshot(std::string_view campaign) override {
    const Reading reading(*this);
    // One statement, so that nobody puts another snapshot between its parts.
    return reading.select(
        "SELECT s.sequence, p.bytes FROM snapshot s JOIN snapshot_part p ON p.campaign = s.campaign"
        " WHERE s.campaign = (SELECT id FROM campaign WHERE name = ?1) ORDER BY p.part",
        [&](Statement& rows) { rows.bind(1, campaign); }, std::optional<Snapshot>(),
        [](Statement& rows, std::optional<Snapshot>& found) {
          if (!found) found.emplace();
          found->sequence = static_cast<std::uint64_t>(rows.number(0));
          found->parts.emplace_back(rows.bytes(1));
          return Result<void>();
        });
  }

  Result<void> save(std::string_view campaign, const Snapshot& snapshot) override;
  Result<std::unique_ptr<Turn>> begin(std::string_view campaign) override;

 private:
  friend class SqliteTurn;

  /// Whoever has the turn reads where it writes: that connection knows the pages that it wrote, any
  /// other must read them again. All others share one.
  class Reading {
   public:
    explicit Reading(SqliteStore& store)
        : store_(store),
          connection_(store.has_turn() ? *store.writer_ : *store.reader_),
          lock_(store.has_turn() ? std::unique_lock<std::mutex>()
                                 : std::unique_lock(store.reading_)) {}

    Connection& connection() const { return connection_; }

    Result<Entry> entry_of(std::string_view campaign) const {
      return select(
          "SELECT id, salt, last, indexed FROM campaign WHERE name = ?1",
          [&](Statement& rows) { rows.bind(1, campaign); }, Entry(),
          [](Statement& rows, Entry& found) {
            found = Entry::of(rows);
            return Result<void>();
          });
    }

    /// The number of a campaign; 0 if there is none.
    Result<std::int64_t> id_of(std::string_view campaign) const {
      if (const auto known = store_.ids_.find(campaign)) return *known;
      auto id = select(
          "SELECT id FROM campaign WHERE name = ?1",
          [&](Statement& rows) { rows.bind(1, campaign); }, std::int64_t{0},
          [](Statement& rows, std::int64_t& found) {
            found = rows.number(0);
            return Result<void>();
          });
      // Whoever has the turn may see one that does not stay.
      if (id && *id > 0 && !store_.has_turn()) store_.ids_.keep(campaign, *id);
      return id;
    }

    /// Calls visit(rows, result) for every row.
    template <typename Bind, typename T, typename Visit>
    Result<T> select(const char* sql, Bind bind, T result, Visit visit) const {
      const auto prepared = TRY(connection_.prepared(sql));
      Statement& rows = *prepared;
      const Statement::Reset reset(rows);
      bind(rows);
      while (true) {
        const Result<bool> row = rows.step();
        if (!row) return tl::unexpected(row.error());
        if (!*row) return result;
        const Result<void> visited = visit(rows, result);
        if (!visited) return tl::unexpected(visited.error());
      }
    }

   private:
    SqliteStore& store_;
    Connection& connection_;
    const std::unique_lock<std::mutex> lock_;
  };

  /// Numbers of campaigns, which never change.
  class Ids {
   public:
    std::optional<std::int64_t> find(std::string_view campaign) const {
      const std::scoped_lock lock(mutex_);
      const auto known = ids_.find(campaign);
      return known == ids_.end() ? std::nullopt : std::optional(known->second);
    }
    void keep(std::string_view campaign, std::int64_t id) {
      const std::scoped_lock lock(mutex_);
      ids_.emplace(campaign, id);
    }

   private:
    mutable std::mutex mutex_;
    std::map<std::string, std::int64_t, std::less<>> ids_;
  };

  Result<std::optional<Record>> record_at(const Reading& reading, const Entry& entry,
                                          std::uint64_t sequence) const {
    return reading.select(
        "SELECT sequence, time, kind, key, payload, checksum FROM record"
        " WHERE campaign = ?1 AND sequence = ?2",
        [&](Statement& rows) { rows.bind(1, entry.id).bind(2, to_signed(sequence)); },
        std::optional<Record>(),
        [&](Statement& rows, std::optional<Record>& found) {
          return take(rows, sequence).map([&](Record record) { found = std::move(record); });
        });
  }

  /// Among records that are on disk.
  Result<std::optional<Record>> find(const Reading& reading, const Entry& entry,
                                     std::string_view key) {
    if (entry.id == 0) return std::nullopt;
    const std::int64_t hash = hash_in_file(key, entry.salt);
    std::vector<std::uint64_t> places;
    {
      // What leaves the memory from here on is in the table by then.
      const std::scoped_lock lock(indexing_);
      KeyIndex& index = keys_[entry.id];
      TRY(read_keys(reading, entry, index));
      index.find(static_cast<std::uint64_t>(hash), places);
    }
    auto all = reading.select(
        "SELECT sequence FROM key WHERE campaign = ?1 AND hash = ?2",
        [&](Statement& rows) { rows.bind(1, entry.id).bind(2, hash); }, std::move(places),
        [](Statement& rows, std::vector<std::uint64_t>& found) {
          found.push_back(static_cast<std::uint64_t>(rows.number(0)));
          return Result<void>();
        });
    if (!all) return tl::unexpected(all.error());
    for (const std::uint64_t place : *all) {
      auto record = record_at(reading, entry, place);
      if (!record || (*record && (*record)->key == key)) return record;
    }
    return std::nullopt;
  }

  /// Takes in keys that others appended, or this process before it began.
  static Result<void> read_keys(const Reading& reading, const Entry& entry, KeyIndex& index) {
    index.leave_to_table(entry.indexed);
    const std::uint64_t known = index.known();
    if (known >= entry.last) return {};
    return reading
        .select(
            "SELECT sequence, key FROM record"
            " WHERE campaign = ?1 AND sequence > ?2 AND sequence <= ?3 AND key IS NOT NULL"
            " ORDER BY sequence",
            [&](Statement& rows) {
              rows.bind(1, entry.id).bind(2, to_signed(known)).bind(3, to_signed(entry.last));
            },
            std::vector<KeyIndex::Place>(),
            [&](Statement& rows, std::vector<KeyIndex::Place>& found) {
              found.push_back({static_cast<std::uint64_t>(hash_in_file(rows.bytes(1), entry.salt)),
                               static_cast<std::uint64_t>(rows.number(0))});
              return Result<void>();
            })
        .map([&](const std::vector<KeyIndex::Place>& found) {
          for (const KeyIndex::Place& one : found) index.add(one);
          index.know(entry.last);
        });
  }

  bool has_turn() const { return turn_of_ == std::this_thread::get_id(); }

  SqliteStore(std::string path, const SqliteOptions& options)
      : path_(std::move(path)), options_(options) {}

  static std::int64_t to_signed(std::uint64_t number) {
    constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
    return static_cast<std::int64_t>(std::min(number, kMost));
  }

  /// After a commit by the writer.
  void logged(int pages) {
    if (!options_.background_checkpoint) {
      if (pages >= kTidyFrom) writer_->tidy();
    } else if (nearly_tidy_.exchange(false) || pages >= kTooMany) {
      // What came since the others were moved; the log then starts again.
      writer_->tidy();
    } else if (pages >= kTidyAsideFrom && !tidying_.exchange(true)) {
      tidy_ = std::async(std::launch::async, [this] {
        tidier_->tidy();
        tidier_->tidy();  // what came meanwhile
        nearly_tidy_ = true;
        tidying_ = false;
      });
    }
  }

  Result<void> connect() {
    const int patience = static_cast<int>(options_.patience.count());
    if (options_.mode != OpenMode::read) {
      const int create = options_.mode == OpenMode::create ? SQLITE_OPEN_CREATE : 0;
      auto writer = TRY(Connection::open(path_, SQLITE_OPEN_READWRITE | create, patience));
      writer_ = std::move(writer);
      writer_->define("allot_hash", hash_in_file);
      writer_->on_commit([this](int pages) { logged(pages); });
    }
    return {};
  }

  Result<void> connect_tidier() {
    if (!options_.background_checkpoint) return {};
    auto tidier = TRY(Connection::open(path_, SQLITE_OPEN_READWRITE,
                                       static_cast<int>(options_.patience.count())));
    tidier_ = std::move(tidier);
    return tidier_->execute("PRAGMA synchronous = FULL");
  }

  Result<void> connect_reader() {
    auto reader = TRY(
        Connection::open(path_, SQLITE_OPEN_READONLY, static_cast<int>(options_.patience.count())));
    reader_ = std::move(reader);
    return {};
  }

  Result<void> check_format() {
    if (!writer_) {
      return connect_reader().and_then([&] {
        bring_up_to_date();
        return refuse_others(*reader_, false);
      });
    }
    return refuse_others(*writer_, options_.mode == OpenMode::create)
        .and_then([&] {
          return writer_->execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;");
        })
        .and_then([&]() -> Result<void> {
          if (!options_.background_checkpoint) return {};
          return writer_->execute(fmt::format("PRAGMA cache_size = -{}", kCacheOfOneThatStays));
        })
        .and_then([&] { return limit_size(); })
        .and_then([&] { return migrate(); })
        .and_then([&] { return connect_tidier(); })
        .and_then([&] { return connect_reader(); });
  }

  /// A file that is to be read, if it may be written.
  void bring_up_to_date() const {
    const auto owner = reader_->number("PRAGMA application_id");
    const auto format = reader_->number("PRAGMA user_version");
    if (owner && *owner == kApplication && format && *format < kFormat) {
      static_cast<void>(open(path_, {.patience = options_.patience}));
    }
  }

  /// Files that are not campaigns, or of a format that only a newer program knows.
  Result<void> refuse_others(Connection& connection, bool may_be_new) {
    return connection.number("PRAGMA application_id").and_then([&](std::int64_t owner) {
      return connection.number("PRAGMA user_version").and_then([&](std::int64_t format) {
        return connection.number("SELECT count(*) FROM sqlite_master")
            .and_then([&](std::int64_t tables) -> Result<void> {
              if (owner == 0 && tables == 0 && may_be_new) return {};
              if (owner != kApplication) {
                return fail(ErrorCode::store_failure,
                            fmt::format("{}: not a campaign file; expected one made by allot",
                                        in_quotes(path_)));
              }
              if (format > kFormat) {
                return fail(ErrorCode::store_failure,
                            fmt::format("{}: written by a newer allot (format {}), this one knows "
                                        "formats up to {}",
                                        in_quotes(path_), format, kFormat));
              }
              if (format < kFormat && !writer_) {
                return fail(ErrorCode::store_failure,
                            fmt::format("{}: of an older format ({}), and may not be written; "
                                        "expected one that can be brought up to date",
                                        in_quotes(path_), format));
              }
              return {};
            });
      });
    });
  }

  Result<void> limit_size() {
    if (options_.largest_file == 0) return {};
    return writer_->number("PRAGMA page_size").and_then([&](std::int64_t page) {
      const std::uint64_t pages = options_.largest_file / static_cast<std::uint64_t>(page);
      return writer_->execute(
          fmt::format("PRAGMA max_page_count = {}", std::max<std::uint64_t>(pages, 1)));
    });
  }

  Result<void> migrate() {
    const auto before = TRY(writer_->number("PRAGMA user_version"));
    if (before == kFormat) return {};
    return Transaction::begin(*writer_).and_then([&](Transaction transaction) -> Result<void> {
      // Another process may have been faster.
      const auto format = TRY(writer_->number("PRAGMA user_version"));
      for (auto n = format; n < kFormat; ++n) {
        TRY(writer_->execute(kMigrations[static_cast<std::size_t>(n)]));
      }
      return writer_
          ->execute(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {};",
                                kApplication, kFormat))
          .and_then([&] { return transaction.commit(); });
    });
  }

  Result<Record> take(const Statement& row, std::uint64_t expected) const {
    Record record;
    record.sequence = static_cast<std::uint64_t>(row.number(0));
    record.time = row.number(1);
    record.kind = static_cast<std::uint8_t>(row.number(2));
    record.key = row.bytes(3);
    record.payload = row.bytes(4);
    if (record.sequence != expected) {
      return fail(ErrorCode::store_failure,
                  fmt::format("{}: the file is damaged, record {} is missing; go back to a copy of "
                              "it",
                              in_quotes(path_), expected));
    }
    if (checksum(record, record.sequence) != static_cast<std::uint64_t>(row.number(5))) {
      return fail(ErrorCode::store_failure,
                  fmt::format("{}: the file is damaged, record {} is not what was written; go back "
                              "to a copy of it",
                              in_quotes(path_), record.sequence));
    }
    return record;
  }

  tl::unexpected<Error> cut_off(std::uint64_t last, std::uint64_t expected) const {
    return fail(ErrorCode::store_failure,
                fmt::format("{}: the file is damaged, the ledger ends at record {} instead of {}; "
                            "go back to a copy of it",
                            in_quotes(path_), last, expected));
  }

  tl::unexpected<Error> read_only() const {
    return fail(ErrorCode::store_failure,
                fmt::format("{}: opened for reading only", in_quotes(path_)));
  }

  const std::string path_;
  const SqliteOptions options_;
  std::mutex reading_, appending_;
  Ids ids_;
  std::atomic<std::thread::id> turn_of_ = {};
  Appended* turn_ = nullptr;  // of the thread that has the turn
  std::mutex indexing_;
  std::map<std::int64_t, KeyIndex> keys_;  // by campaign
  std::atomic<bool> tidying_ = false, nearly_tidy_ = false;
  // The writer closes last: it puts the log away.
  std::unique_ptr<Connection> writer_, reader_, tidier_;
  std::future<void> tidy_;
};

class SqliteTurn final : public Turn {
 public:
  SqliteTurn(SqliteStore& store, std::unique_lock<std::mutex> turn, Transaction transaction,
             std::string campaign)
      : store_(store), turn_(std::move(turn)), transaction_(std::move(transaction)) {
    appended_.campaign = std::move(campaign);
    store_.turn_ = &appended_;
    store_.turn_of_ = std::this_thread::get_id();
  }
  ~SqliteTurn() override { store_.turn_of_ = std::thread::id(); }

  /// Finds where the ledger ends.
  Result<void> start() {
    std::uint64_t last = 0;
    return with("SELECT id, salt, last, indexed FROM campaign WHERE name = ?1",
                [&](Statement& find) {
                  find.bind(1, appended_.campaign);
                  return find.step().map([&](bool known) {
                    if (known) entry() = Entry::of(find);
                  });
                })
        .and_then([&]() -> Result<void> {
          if (entry().id == 0) return {};
          return with("SELECT coalesce(max(sequence), 0) FROM record WHERE campaign = ?1",
                      [&](Statement& row) {
                        row.bind(1, entry().id);
                        return row.step().map(
                            [&](bool) { last = static_cast<std::uint64_t>(row.number(0)); });
                      });
        })
        .and_then([&]() -> Result<void> {
          appended_.last = last;
          if (last == entry().last) return {};
          return store_.cut_off(last, entry().last);
        });
  }

  Result<void> append(std::span<const Draft> drafts) override {
    if (drafts.empty()) return {};
    return enter_campaign().and_then([&] {
      return with("INSERT INTO record VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                  [&](Statement& insert) -> Result<void> {
                    for (const Draft& draft : drafts) {
                      const Result<void> done = add(insert, draft);
                      if (!done) return done;
                    }
                    return {};
                  });
    });
  }

  Result<void> add(std::span<const Content> contents) override {
    if (contents.empty()) return {};
    return enter_campaign().and_then([&] {
      return with("INSERT INTO content VALUES (?1, ?2, ?3)",
                  [&](Statement& insert) -> Result<void> {
                    for (const Content& content : contents) {
                      insert.bind(1, entry().id).bind(2, std::int64_t{content.item});
                      const Result<void> done = insert.bind(3, content.fields).run();
                      if (done) continue;
                      if (!store_.writer_->is_duplicate()) return done;
                      return content_in_use(appended_.campaign, content.item);
                    }
                    return {};
                  });
    });
  }

  Result<void> save(const Snapshot& snapshot) {
    std::optional<std::uint64_t> kept;
    return enter_campaign()
        .and_then([&] {
          return with("SELECT sequence FROM snapshot WHERE campaign = ?1", [&](Statement& row) {
            row.bind(1, entry().id);
            return row.step().map([&](bool found) {
              if (found) kept = static_cast<std::uint64_t>(row.number(0));
            });
          });
        })
        .and_then([&]() -> Result<void> {
          if (kept && *kept > snapshot.sequence) return {};
          return replace(snapshot);
        });
  }

  Result<void> commit() override {
    const Sweep sweep = next_sweep();
    return put(sweep.slice)
        .and_then([&] { return move_on(sweep.end); })
        .and_then([&] { return transaction_.commit(); })
        .map([&] { note(sweep); });
  }

 private:
  /// use(statement), which is reset after it.
  template <typename Use>
  Result<void> with(const char* sql, Use use) {
    return store_.writer_->prepared(sql).and_then([&](Statement* statement) {
      const Statement::Reset reset(*statement);
      return use(*statement);
    });
  }

  Entry& entry() { return appended_.entry; }

  Result<void> add(Statement& insert, const Draft& draft) {
    if (!draft.key.empty()) {
      TRY(refuse_used(draft.key));
      appended_.keys.emplace(draft.key, appended_.last + 1);
    }
    const std::uint64_t sequence = ++appended_.last;
    insert.bind(1, entry().id).bind(2, SqliteStore::to_signed(sequence)).bind(3, draft.time);
    insert.bind(4, std::int64_t{draft.kind});
    if (!draft.key.empty()) insert.bind(5, draft.key);
    insert.bind_blob(6, draft.payload).bind(7, std::int64_t{checksum(draft, sequence)});
    return insert.run();
  }

  Result<void> refuse_used(const std::string& key) {
    if (appended_.keys.contains(key)) return key_in_use(appended_.campaign, key);
    if (appended_.sought.contains(key)) return {};
    return store_.find(appended_.campaign, key).and_then([&](const auto& used) -> Result<void> {
      if (used) return key_in_use(appended_.campaign, key);
      return {};
    });
  }

  /// Keys that go into the table with this commit, and up to which record they are then there.
  struct Sweep {
    std::span<const KeyIndex::Place> slice;
    std::optional<std::uint64_t> end;
  };
  /// The slice stays while there is the turn: nobody else moves on what the table knows.
  Sweep next_sweep() {
    const std::scoped_lock lock(store_.indexing_);
    KeyIndex& index = store_.keys_[entry().id];
    index.leave_to_table(entry().indexed);
    const bool none = index.size() == 0 && index.known() == entry().last;
    if (none && appended_.keys.empty()) return {{}, appended_.last};
    const auto slice = store_.options_.background_checkpoint
                           ? index.slice(std::max(kSlice, 4 * appended_.keys.size()), kManyKeys)
                           : index.slice(SIZE_MAX, kFewKeys);
    return {slice, index.ends_with(slice)};
  }

  Result<void> put(std::span<const KeyIndex::Place> slice) {
    if (slice.empty()) return {};
    return with("INSERT OR IGNORE INTO key VALUES (?1, ?2, ?3)",
                [&](Statement& insert) -> Result<void> {
                  for (const KeyIndex::Place& one : slice) {
                    insert.bind(1, entry().id).bind(2, static_cast<std::int64_t>(one.hash));
                    TRY(insert.bind(3, SqliteStore::to_signed(one.sequence)).run());
                  }
                  return {};
                });
  }

  Result<void> move_on(std::optional<std::uint64_t> indexed) {
    if (appended_.last == entry().last && (!indexed || *indexed == entry().indexed)) return {};
    return with("UPDATE campaign SET last = ?2, indexed = ?3 WHERE id = ?1",
                [&](Statement& update) {
                  return update.bind(1, entry().id)
                      .bind(2, SqliteStore::to_signed(appended_.last))
                      .bind(3, SqliteStore::to_signed(indexed.value_or(entry().indexed)))
                      .run();
                });
  }

  /// It is on disk.
  void note(const Sweep& sweep) {
    const std::scoped_lock lock(store_.indexing_);
    KeyIndex& index = store_.keys_[entry().id];
    // Otherwise it reads them when it needs them.
    if (index.known() == entry().last) {
      std::vector<KeyIndex::Place> places;
      for (const auto& [key, sequence] : appended_.keys) {
        places.push_back({hash_of(key, static_cast<std::uint64_t>(entry().salt)), sequence});
      }
      std::ranges::sort(places, {}, &KeyIndex::Place::sequence);
      for (const KeyIndex::Place& one : places) index.add(one);
      index.know(appended_.last);
    }
    index.written(sweep.slice);
    if (sweep.end) index.leave_to_table(*sweep.end);
  }

  Result<void> enter_campaign() {
    if (entry().id > 0) return {};
    return with("INSERT INTO campaign (name, salt) VALUES (?1, random()) RETURNING id, salt",
                [&](Statement& insert) {
                  insert.bind(1, appended_.campaign);
                  return insert.step().and_then([&](bool) {
                    entry().id = insert.number(0);
                    entry().salt = insert.number(1);
                    return insert.run();
                  });
                });
  }

  Result<void> replace(const Snapshot& snapshot) {
    return store_.writer_
        ->execute(fmt::format("DELETE FROM snapshot_part WHERE campaign = {0};"
                              "INSERT OR REPLACE INTO snapshot VALUES ({0}, {1});",
                              entry().id, snapshot.sequence))
        .and_then([&] {
          return with("INSERT INTO snapshot_part VALUES (?1, ?2, ?3)",
                      [&](Statement& insert) -> Result<void> {
                        for (std::size_t n = 0; n < snapshot.parts.size(); ++n) {
                          insert.bind(1, entry().id).bind(2, static_cast<std::int64_t>(n));
                          const Result<void> done = insert.bind_blob(3, snapshot.parts[n]).run();
                          if (!done) return done;
                        }
                        return {};
                      });
        });
  }

  SqliteStore& store_;
  const std::unique_lock<std::mutex> turn_;
  Transaction transaction_;
  Appended appended_;
};

Result<std::unique_ptr<Turn>> SqliteStore::begin(std::string_view campaign) {
  if (!writer_) return read_only();
  std::unique_lock<std::mutex> lock(appending_);
  auto transaction = TRY(Transaction::begin(*writer_));
  auto turn = std::make_unique<SqliteTurn>(*this, std::move(lock), std::move(transaction),
                                           std::string(campaign));
  return turn->start().map([&] { return std::unique_ptr<Turn>(std::move(turn)); });
}

Result<void> SqliteStore::save(std::string_view campaign, const Snapshot& snapshot) {
  return begin(campaign).and_then([&](std::unique_ptr<Turn> turn) {
    return static_cast<SqliteTurn&>(*turn).save(snapshot).and_then([&] { return turn->commit(); });
  });
}

}  // namespace

Result<std::unique_ptr<Store>> open_sqlite(const std::string& path, const SqliteOptions& options) {
  return SqliteStore::open(path, options).map([](std::unique_ptr<SqliteStore> store) {
    return std::unique_ptr<Store>(std::move(store));
  });
}

}  // namespace allot::store
