#include "allot/store/sqlite_store.hpp"

#include <fmt/format.h>
#include <sqlite3.h>
#include <zlib.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <future>
#include <limits>
#include <mutex>
#include <thread>

#include "allot/base/text.hpp"
#include "store/messages.hpp"
#include "store/sqlite.hpp"

namespace allot::store {
namespace {

/// "allt", where SQLite keeps who a file belongs to.
constexpr std::int64_t kApplication = 0x616C6C74;

/// kMigrations[n] brings a file from format n to n + 1.
constexpr std::array<const char*, 2> kMigrations{R"(
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
)"};
/// Pages of the log from which on it is tidied; aside later, since nobody waits for it, and what
/// many commits wrote is then moved once.
constexpr int kTidyFrom = 1000, kTidyAsideFrom = 4000, kTooMany = 50'000;

/// In KB, so that items that are asked again need not be read again; 2 MB otherwise.
constexpr int kCacheOfOneThatStays = 16'000;

constexpr auto kFormat = static_cast<std::int64_t>(kMigrations.size());

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
        fmt::format("{}: not a campaign file, expected one made by allot", in_quotes(path)));
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
    // Looked up first: whoever appends in between only makes the ledger longer.
    const auto end = reading.select(
        "SELECT last FROM campaign WHERE name = ?1",
        [&](Statement& rows) { rows.bind(1, campaign); }, std::uint64_t{0},
        [](Statement& rows, std::uint64_t& last) {
          last = static_cast<std::uint64_t>(rows.number(0));
          return Result<void>();
        });
    if (!end) return tl::unexpected(end.error());
    std::uint64_t expected = after;
    auto records = reading.select(
        "SELECT sequence, time, kind, key, payload, checksum FROM record"
        " WHERE campaign = (SELECT id FROM campaign WHERE name = ?1) AND sequence > ?2"
        " ORDER BY sequence LIMIT ?3",
        [&](Statement& rows) {
          rows.bind(1, campaign).bind(2, to_signed(after)).bind(3, to_signed(most));
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
    return reading.select(
        "SELECT sequence, time, kind, key, payload, checksum FROM record"
        " WHERE campaign = (SELECT id FROM campaign WHERE name = ?1) AND key = ?2",
        [&](Statement& rows) { rows.bind(1, campaign).bind(2, key); }, std::optional<Record>(),
        [&](Statement& rows, std::optional<Record>& found) {
          return take(rows, static_cast<std::uint64_t>(rows.number(0))).map([&](Record record) {
            found = std::move(record);
          });
        });
  }

  Result<std::optional<std::string>> content(std::string_view campaign,
                                             std::uint32_t item) override {
    const Reading reading(*this);
    return reading.select(
        "SELECT fields FROM content"
        " WHERE campaign = (SELECT id FROM campaign WHERE name = ?1) AND item = ?2",
        [&](Statement& rows) { rows.bind(1, campaign).bind(2, std::int64_t{item}); },
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
        : connection_(store.has_turn() ? *store.writer_ : *store.reader_),
          lock_(store.has_turn() ? std::unique_lock<std::mutex>()
                                 : std::unique_lock(store.reading_)) {}

    Connection& connection() const { return connection_; }

    /// Calls visit(rows, result) for every row.
    template <typename Bind, typename T, typename Visit>
    Result<T> select(const char* sql, Bind bind, T result, Visit visit) const {
      const auto prepared = connection_.prepared(sql);
      if (!prepared) return tl::unexpected(prepared.error());
      Statement& rows = **prepared;
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
    Connection& connection_;
    const std::unique_lock<std::mutex> lock_;
  };

  bool has_turn() const { return turn_of_ == std::this_thread::get_id(); }

  SqliteStore(std::string path, const SqliteOptions& options)
      : path_(std::move(path)), options_(options) {}

  static std::int64_t to_signed(std::uint64_t number) {
    constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
    return static_cast<std::int64_t>(std::min(number, kMost));
  }

  /// After a commit by the writer.
  void logged(int pages) {
    if (!options_.tidies_aside) {
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
      auto writer = Connection::open(path_, SQLITE_OPEN_READWRITE | create, patience);
      if (!writer) return tl::unexpected(writer.error());
      writer_ = std::move(*writer);
      writer_->on_commit([this](int pages) { logged(pages); });
    }
    return {};
  }

  Result<void> connect_tidier() {
    if (!options_.tidies_aside) return {};
    auto tidier =
        Connection::open(path_, SQLITE_OPEN_READWRITE, static_cast<int>(options_.patience.count()));
    if (!tidier) return tl::unexpected(tidier.error());
    tidier_ = std::move(*tidier);
    return tidier_->execute("PRAGMA synchronous = FULL");
  }

  Result<void> connect_reader() {
    auto reader =
        Connection::open(path_, SQLITE_OPEN_READONLY, static_cast<int>(options_.patience.count()));
    if (!reader) return tl::unexpected(reader.error());
    reader_ = std::move(*reader);
    return {};
  }

  Result<void> check_format() {
    if (!writer_) {
      return connect_reader().and_then([&] { return refuse_others(*reader_, false); });
    }
    return refuse_others(*writer_, options_.mode == OpenMode::create)
        .and_then([&] {
          return writer_->execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;");
        })
        .and_then([&]() -> Result<void> {
          if (!options_.tidies_aside) return {};
          return writer_->execute(fmt::format("PRAGMA cache_size = -{}", kCacheOfOneThatStays));
        })
        .and_then([&] { return limit_size(); })
        .and_then([&] { return migrate(); })
        .and_then([&] { return connect_tidier(); })
        .and_then([&] { return connect_reader(); });
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
                            fmt::format("{}: not a campaign file, expected one made by allot",
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
                            fmt::format("{}: of an older format ({}); open it once to write, so "
                                        "that it is brought up to date",
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
    const auto before = writer_->number("PRAGMA user_version");
    if (!before) return tl::unexpected(before.error());
    if (*before == kFormat) return {};
    return Transaction::begin(*writer_).and_then([&](Transaction transaction) -> Result<void> {
      // Another process may have been faster.
      const auto format = writer_->number("PRAGMA user_version");
      if (!format) return tl::unexpected(format.error());
      for (auto n = *format; n < kFormat; ++n) {
        const auto done = writer_->execute(kMigrations[static_cast<std::size_t>(n)]);
        if (!done) return done;
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
  std::atomic<std::thread::id> turn_of_ = {};
  std::atomic<bool> tidying_ = false, nearly_tidy_ = false;
  // The writer closes last: it puts the log away.
  std::unique_ptr<Connection> writer_, reader_, tidier_;
  std::future<void> tidy_;
};

class SqliteTurn final : public Turn {
 public:
  SqliteTurn(SqliteStore& store, std::unique_lock<std::mutex> turn, Transaction transaction,
             std::string campaign)
      : store_(store),
        turn_(std::move(turn)),
        transaction_(std::move(transaction)),
        campaign_(std::move(campaign)) {
    store_.turn_of_ = std::this_thread::get_id();
  }
  ~SqliteTurn() override { store_.turn_of_ = std::thread::id(); }

  /// Finds where the ledger ends.
  Result<void> start() {
    std::uint64_t end = 0;
    return with("SELECT id, last FROM campaign WHERE name = ?1",
                [&](Statement& find) {
                  find.bind(1, campaign_);
                  return find.step().map([&](bool known) {
                    if (!known) return;
                    id_ = find.number(0);
                    end = static_cast<std::uint64_t>(find.number(1));
                  });
                })
        .and_then([&]() -> Result<void> {
          if (!id_) return {};
          return with("SELECT coalesce(max(sequence), 0) FROM record WHERE campaign = ?1",
                      [&](Statement& last) {
                        last.bind(1, *id_);
                        return last.step().map(
                            [&](bool) { last_ = static_cast<std::uint64_t>(last.number(0)); });
                      });
        })
        .and_then([&]() -> Result<void> {
          if (last_ == end) return {};
          return store_.cut_off(last_, end);
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
                  })
          .and_then([&] {
            return with("UPDATE campaign SET last = ?2 WHERE id = ?1", [&](Statement& end) {
              return end.bind(1, *id_).bind(2, static_cast<std::int64_t>(last_)).run();
            });
          });
    });
  }

  Result<void> add(std::span<const Content> contents) override {
    if (contents.empty()) return {};
    return enter_campaign().and_then([&] {
      return with("INSERT INTO content VALUES (?1, ?2, ?3)",
                  [&](Statement& insert) -> Result<void> {
                    for (const Content& content : contents) {
                      insert.bind(1, *id_).bind(2, std::int64_t{content.item});
                      const Result<void> done = insert.bind(3, content.fields).run();
                      if (done) continue;
                      if (!store_.writer_->is_duplicate()) return done;
                      return content_in_use(campaign_, content.item);
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
            row.bind(1, *id_);
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

  Result<void> commit() override { return transaction_.commit(); }

 private:
  /// use(statement), which is reset after it.
  template <typename Use>
  Result<void> with(const char* sql, Use use) {
    return store_.writer_->prepared(sql).and_then([&](Statement* statement) {
      const Statement::Reset reset(*statement);
      return use(*statement);
    });
  }

  Result<void> add(Statement& insert, const Draft& draft) {
    ++last_;
    insert.bind(1, *id_).bind(2, static_cast<std::int64_t>(last_)).bind(3, draft.time);
    insert.bind(4, std::int64_t{draft.kind});
    if (!draft.key.empty()) insert.bind(5, draft.key);
    insert.bind_blob(6, draft.payload).bind(7, std::int64_t{checksum(draft, last_)});
    const Result<void> done = insert.run();
    if (!done && store_.writer_->is_duplicate()) return key_in_use(campaign_, draft.key);
    return done;
  }

  Result<void> enter_campaign() {
    if (id_) return {};
    return with("INSERT INTO campaign (name) VALUES (?1) RETURNING id", [&](Statement& insert) {
      insert.bind(1, campaign_);
      return insert.step().and_then([&](bool) {
        id_ = insert.number(0);
        return insert.run();
      });
    });
  }

  Result<void> replace(const Snapshot& snapshot) {
    return store_.writer_
        ->execute(fmt::format("DELETE FROM snapshot_part WHERE campaign = {0};"
                              "INSERT OR REPLACE INTO snapshot VALUES ({0}, {1});",
                              *id_, snapshot.sequence))
        .and_then([&] {
          return with("INSERT INTO snapshot_part VALUES (?1, ?2, ?3)",
                      [&](Statement& insert) -> Result<void> {
                        for (std::size_t n = 0; n < snapshot.parts.size(); ++n) {
                          insert.bind(1, *id_).bind(2, static_cast<std::int64_t>(n));
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
  const std::string campaign_;
  std::optional<std::int64_t> id_;
  std::uint64_t last_ = 0;
};

Result<std::unique_ptr<Turn>> SqliteStore::begin(std::string_view campaign) {
  if (!writer_) return read_only();
  std::unique_lock<std::mutex> lock(appending_);
  auto transaction = Transaction::begin(*writer_);
  if (!transaction) return tl::unexpected(transaction.error());
  auto turn = std::make_unique<SqliteTurn>(*this, std::move(lock), std::move(*transaction),
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
