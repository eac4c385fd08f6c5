#include "serve/server_file.hpp"

#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <map>
#include <mutex>

#include "allot/base/text.hpp"
#include "base/try.hpp"
#include "serve/token.hpp"
#include "store/sqlite.hpp"

namespace allot::serve {
namespace {

using store::Connection;
using store::Statement;

/// "alls" in ASCII.
constexpr std::int64_t kApplication = 0x616C6C73;

constexpr const char* kTokensAndCampaigns = R"(
  CREATE TABLE token (
    id TEXT PRIMARY KEY, role INTEGER NOT NULL, campaign TEXT NOT NULL, worker TEXT NOT NULL,
    label TEXT NOT NULL, created INTEGER NOT NULL, revoked INTEGER, digest BLOB NOT NULL)
    STRICT, WITHOUT ROWID;
  CREATE TABLE campaign (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, owner TEXT NOT NULL, created INTEGER NOT NULL)
    STRICT, WITHOUT ROWID;
)";

/// See webhook_store.hpp.
constexpr const char* kWebhooks = R"(
  CREATE TABLE webhook (
    id TEXT PRIMARY KEY, campaign TEXT NOT NULL, maker TEXT NOT NULL, url TEXT NOT NULL,
    events INTEGER NOT NULL, description TEXT NOT NULL, secret BLOB NOT NULL,
    active INTEGER NOT NULL, off_reason TEXT NOT NULL, created INTEGER NOT NULL,
    cursor INTEGER NOT NULL, failing_since INTEGER)
    STRICT, WITHOUT ROWID;
  CREATE INDEX webhook_by_campaign ON webhook (campaign);
  CREATE TABLE delivery (
    number INTEGER PRIMARY KEY AUTOINCREMENT, webhook TEXT NOT NULL, id TEXT NOT NULL UNIQUE,
    type TEXT NOT NULL, body TEXT NOT NULL, state INTEGER NOT NULL, attempts INTEGER NOT NULL,
    due INTEGER NOT NULL, made INTEGER NOT NULL, last INTEGER, status INTEGER NOT NULL,
    trouble TEXT NOT NULL)
    STRICT;
  CREATE INDEX delivery_by_webhook ON delivery (webhook, state, due, number);
)";

/// Workers' pages, twins, and the accuracy history (table `course`, see accuracy_history.hpp).
constexpr const char* kPagesAndHistory = R"(
  ALTER TABLE campaign ADD COLUMN page TEXT NOT NULL DEFAULT '';
  ALTER TABLE campaign ADD COLUMN twin_of TEXT NOT NULL DEFAULT '';
  CREATE TABLE course (
    campaign TEXT NOT NULL, labels INTEGER NOT NULL, point BLOB NOT NULL,
    PRIMARY KEY (campaign, labels))
    STRICT, WITHOUT ROWID;
)";

/// Campaigns whose file may exist although they were never finished.
constexpr const char* kUnfinished = R"(
  CREATE TABLE unfinished (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
)";

/// The request that created a campaign.
constexpr const char* kCreationRequests = R"(
  ALTER TABLE campaign ADD COLUMN key TEXT NOT NULL DEFAULT '';
  ALTER TABLE campaign ADD COLUMN request BLOB NOT NULL DEFAULT x'';
)";

/// The secret of a webhook before the current one.
constexpr const char* kOldSecrets = R"(
  ALTER TABLE webhook ADD COLUMN old_secret BLOB NOT NULL DEFAULT x'';
  ALTER TABLE webhook ADD COLUMN old_until INTEGER;
)";

/// Campaign files have format 3 from here on: an older program must refuse the folder at its start,
/// not at the first request.
constexpr const char* kCampaignFormat3 = "SELECT 1";

/// Rows of tokens and campaigns have the version of the tables in which they changed, so that other
/// servers on a database can read just the changes (vault.hpp). `since` is when a creation began.
constexpr const char* kVersions = R"(
  CREATE TABLE version (number INTEGER NOT NULL) STRICT;
  INSERT INTO version VALUES (0);
  ALTER TABLE token ADD COLUMN version INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE campaign ADD COLUMN version INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE unfinished ADD COLUMN since INTEGER NOT NULL DEFAULT 0;
)";

/// Campaign files have format 4 from here on.
constexpr const char* kCampaignFormat4 = "SELECT 4";

/// Archived campaigns, and campaigns that were deleted, for other servers on a database. In the
/// table `unfinished`, `since` is 0 while the ledger of a deleted campaign may be left.
constexpr const char* kArchive = R"(
  ALTER TABLE campaign ADD COLUMN archived INTEGER NOT NULL DEFAULT 0;
  CREATE TABLE removed (campaign TEXT PRIMARY KEY, version INTEGER NOT NULL) STRICT, WITHOUT ROWID;
)";

/// Runs of language models, see model_run_store.hpp.
constexpr const char* kModelRuns = R"(
  CREATE TABLE model_run (
    campaign TEXT PRIMARY KEY, models TEXT NOT NULL, prompt TEXT NOT NULL, cost_cap INTEGER,
    spent_before INTEGER NOT NULL, state INTEGER NOT NULL, reason TEXT NOT NULL,
    failed INTEGER NOT NULL, trouble TEXT NOT NULL, started INTEGER NOT NULL, ended INTEGER)
    STRICT, WITHOUT ROWID;
)";

/// A digest of each token, so that a row that changed on disk is noticed; empty until the vault
/// writes it.
constexpr const char* kSeals = "ALTER TABLE token ADD COLUMN seal BLOB NOT NULL DEFAULT x''";

constexpr const char* kMigrations[] = {
    kTokensAndCampaigns, kWebhooks, kPagesAndHistory, kUnfinished, kCreationRequests, kOldSecrets,
    kCampaignFormat3,    kVersions, kCampaignFormat4, kArchive,    kModelRuns,        kSeals};
constexpr store::Schema kSchema{kApplication, kMigrations};

Result<void> prepare_server_file(Connection& file) {
  const bool is_new = TRY(file.number("PRAGMA application_id")) == 0 &&
                      TRY(file.number("PRAGMA user_version")) == 0;
  if (!is_new) TRY(check_server_file(file));
  return store::migrate(file, kSchema);
}

class FileRow final : public TableRow {
 public:
  explicit FileRow(const Statement& row) : row_(row) {}
  std::int64_t number(int column) const override { return row_.number(column); }
  std::string_view bytes(int column) const override { return row_.bytes(column); }
  bool is_null(int column) const override { return !row_.time_if_any(column); }

 private:
  const Statement& row_;
};

/// Statements on the connection; the holder of its mutex may use it.
class FileSession final : public TableSession {
 public:
  explicit FileSession(Connection& file) : file_(file) {}

  Result<void> execute(const char* sql, std::span<const TableValue> values,
                       const Visit& visit) override {
    store::Query query(file_, translated(sql));
    for (std::size_t n = 0; n < values.size(); ++n) bind(query, static_cast<int>(n + 1), values[n]);
    return query.each([&](const Statement& row) {
      if (visit) visit(FileRow(row));
    });
  }

 private:
  /// The same address for the same statement, so that it is prepared once.
  const char* translated(const char* sql) {
    std::string& statement = statements_[sql];
    if (statement.empty()) statement = statement_for(sql, "main.", '?');
    return statement.c_str();
  }

  static void bind(store::Query& query, int place, const TableValue& value) {
    std::visit(
        [&](const auto& one) {
          using Value = std::decay_t<decltype(one)>;
          if constexpr (std::same_as<Value, Bytes>) {
            query.bind_value(place, store::Blob{one.bytes});
          } else if constexpr (!std::same_as<Value, std::monostate>) {
            query.bind_value(place, one);
          }
        },
        value);
  }

  Connection& file_;
  std::map<const char*, std::string> statements_;
};

class ServerFile final : public ServerTables {
 public:
  explicit ServerFile(std::unique_ptr<Connection> file) : file_(std::move(file)) {}

  Result<void> transact(const std::function<Result<void>(TableSession&)>& work) override {
    const std::scoped_lock lock(mutex_);
    auto transaction = TRY(store::Transaction::begin(*file_));
    TRY(work(session_));
    return transaction.commit();
  }

 protected:
  Result<void> execute(const char* sql, std::span<const TableValue> values,
                       const Visit& visit) override {
    const std::scoped_lock lock(mutex_);
    return session_.execute(sql, values, visit);
  }

 private:
  std::mutex mutex_;
  const std::unique_ptr<Connection> file_;
  FileSession session_{*file_};
};

Result<std::unique_ptr<Connection>> connect(const std::string& path,
                                            const ServerFileOptions& options) {
  constexpr int kTimeoutMs = 10'000;
  const int create = options.create ? SQLITE_OPEN_CREATE : 0;
  auto file = TRY(Connection::open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | create,
                                   options.lossy ? 0 : kTimeoutMs));
  // With a checkpoint after each change, a copy of the file without its log has all of them. That
  // doubles the time of a commit here; labels are in files of their own.
  TRY(file->execute(options.lossy ? "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF"
                                  : "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; "
                                    "PRAGMA wal_autocheckpoint = 1"));
  if (options.create) TRY(prepare_server_file(*file));
  return file;
}

}  // namespace

Result<ServerFileFormat> check_server_file(Connection& file) {
  const auto owner = TRY(file.number("PRAGMA application_id"));
  const auto format = TRY(file.number("PRAGMA user_version"));
  if (owner != kApplication) {
    return fail(ErrorCode::store_failure,
                fmt::format("{}: not the file of a server; expected one made by allot serve",
                            in_quotes(file.path())));
  }
  if (format > kSchema.format()) {
    return fail(ErrorCode::store_failure,
                fmt::format("{}: written by a newer allot (format {}); expected format {} or older",
                            in_quotes(file.path()), format, kSchema.format()));
  }
  return ServerFileFormat{format, kSchema.format()};
}

std::vector<std::string> CampaignIds::unlisted(std::vector<std::string> ids) const {
  std::erase_if(ids, [&](const std::string& id) {
    return std::ranges::find(listed, id) != listed.end() ||
           std::ranges::find(passing, id) != passing.end();
  });
  return ids;
}

Result<CampaignIds> campaign_ids(Connection& file) {
  const auto id_of = [](const store::Statement& row) { return row.text(0); };
  CampaignIds ids{.listed =
                      TRY(store::Query(file, "SELECT id FROM campaign ORDER BY id").all(+id_of))};
  constexpr const char* kHasPassing =
      "SELECT count(*) FROM sqlite_master WHERE name = 'unfinished'";
  if (TRY(file.number(kHasPassing)) > 0) {
    ids.passing = TRY(store::Query(file, "SELECT id FROM unfinished").all(+id_of));
  }
  return ids;
}

Result<std::vector<std::string>> damaged_tokens(Connection& file) {
  constexpr const char* kHasSeals =
      "SELECT count(*) FROM pragma_table_info('token') WHERE name = 'seal'";
  if (TRY(file.number(kHasSeals)) == 0) return std::vector<std::string>();
  store::Query query(file,
                     "SELECT id, role, campaign, worker, revoked, digest, seal FROM token"
                     " WHERE length(seal) > 0 ORDER BY id");
  std::vector<std::string> damaged;
  TRY(query.each([&](const Statement& row) {
    const Token token{.id = row.text(0),
                      .role = static_cast<Role>(row.number(1)),
                      .campaign = row.text(2),
                      .person = row.text(3),
                      .revoked = row.time_if_any(4)};
    if (row.bytes(6) != seal_of(token, row.bytes(5))) damaged.push_back(token.id);
  }));
  return damaged;
}

Result<bool> take_campaign(const std::string& path, const std::string& other, const std::string& id,
                           std::uint64_t last) {
  TRY(connect(other, {}));
  const auto file = TRY(connect(path, {}));
  TRY(store::Query(*file, "ATTACH ?1 AS other", other).run());
  auto transaction = TRY(store::Transaction::begin(*file));
  const bool was_listed =
      TRY(store::Query(*file, "SELECT count(*) FROM campaign WHERE id = ?1", id).count()) > 0;
  if (!was_listed) {
    for (const char* const sql :
         {"DELETE FROM unfinished WHERE id = ?1", "DELETE FROM removed WHERE campaign = ?1",
          "INSERT INTO campaign SELECT * FROM other.campaign WHERE id = ?1",
          "UPDATE campaign SET twin_of = '' WHERE id = ?1"
          " AND twin_of NOT IN (SELECT id FROM campaign)",
          "INSERT OR IGNORE INTO token SELECT * FROM other.token WHERE campaign = ?1",
          "INSERT OR IGNORE INTO webhook SELECT * FROM other.webhook WHERE campaign = ?1"}) {
      TRY(store::Query(*file, sql, id).run());
    }
  }
  for (const char* const sql :
       {"DELETE FROM course WHERE campaign = ?1",
        "INSERT INTO course SELECT * FROM other.course WHERE campaign = ?1"})
    TRY(store::Query(*file, sql, id).run());
  // A message's id has the number of its event (WebhookStore), and none can be there twice.
  for (const char* const sql :
       {"UPDATE webhook SET cursor = min(cursor, ?2) WHERE campaign = ?1",
        "DELETE FROM delivery WHERE webhook IN (SELECT id FROM webhook WHERE campaign = ?1)"
        " AND CAST(substr(id, length(webhook) + 6) AS INTEGER) > ?2"}) {
    TRY(store::Query(*file, sql, id, last).run());
  }
  TRY(transaction.commit());
  return was_listed;
}

Result<std::unique_ptr<ServerTables>> open_server_file(const std::string& path,
                                                       const ServerFileOptions& options) {
  // Digests are useless to others, but labels and names may not be.
  const mode_t before = umask(077);
  auto file = connect(path, options);
  umask(before);
  return std::make_unique<ServerFile>(TRY(std::move(file)));
}

}  // namespace allot::serve
