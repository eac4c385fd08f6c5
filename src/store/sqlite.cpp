#include "store/sqlite.hpp"

#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cctype>
#include <filesystem>

#include "base/errors.hpp"
#include "store/messages.hpp"

namespace allot::store {
namespace {

/// The file or its folder is missing, or access is denied.
tl::unexpected<Error> unopened(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code wrong;
  const fs::path folder = fs::path(path).parent_path();
  if (!folder.empty() && !fs::is_directory(folder, wrong) &&
      wrong != std::errc::permission_denied) {
    return in_file(path, "there is no folder {}; expected one that exists",
                   in_quotes(folder.string()));
  }
  if (!fs::exists(path, wrong) && wrong != std::errc::permission_denied) {
    return fail(ErrorCode::store_failure, "there is no file {}; expected the file of a campaign",
                in_quotes(path));
  }
  return in_file(path, "the file cannot be opened; expected permission to read it");
}

/// An SQLite error in words that tell a user what to do.
tl::unexpected<Error> explained(int code, const std::string& path, const char* words) {
  // The words may quote bytes of a damaged file.
  constexpr std::size_t most_shown = 200;
  const std::string detail = for_display(words, most_shown);
  switch (code & 0xFF) {
    case SQLITE_FULL:
      return in_file(path, "the disk is full and nothing was saved; make room and try again");
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return in_file(path, "the file is read-only; expected one that can be written");
    case SQLITE_NOTADB:
      return not_a_campaign_file(path);
    case SQLITE_CORRUPT:
      return damaged(path, "{}", detail);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return in_file(path, "another process has been writing for too long; try again");
    case SQLITE_CANTOPEN:
      return unopened(path);
    case SQLITE_IOERR:
      return in_file(path,
                     "the disk failed ({}) and nothing was saved; check the disk and its free "
                     "space, and try again",
                     detail);
    default:
      return in_file(path, "{}", detail);
  }
}

/// A file that others have open for writing has a log, if only an empty one.
bool has_log(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path + "-wal", ignored);
}

bool is_in_writable_folder(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return ::access(folder.empty() ? "." : folder.c_str(), W_OK) == 0;
}

/// The URI of a file that SQLite reads without a lock and without files of its own.
std::string unchanging_uri(const std::string& path) {
  return "file:" + percent_encoded(path, "/") + "?immutable=1";
}

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
void Connection::Close::operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }

Result<bool> Statement::step() {
  switch (sqlite3_step(statement_.get())) {
    case SQLITE_ROW:
      return true;
    case SQLITE_DONE:
      return false;
    default:
      return connection_->trouble();
  }
}

Result<void> Statement::run() {
  while (TRY(step())) {
  }
  reset();
  return {};
}

void Statement::reset() {
  sqlite3_reset(statement_.get());
  sqlite3_clear_bindings(statement_.get());
}

std::int64_t Statement::number(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

std::string_view Statement::bytes(int column) const {
  const auto* data = static_cast<const char*>(sqlite3_column_blob(statement_.get(), column));
  const int size = sqlite3_column_bytes(statement_.get(), column);
  return {data ? data : "", static_cast<std::size_t>(size)};
}

std::optional<Time> Statement::time_if_any(int column) const {
  if (sqlite3_column_type(statement_.get(), column) == SQLITE_NULL) return {};
  return time(column);
}

Result<std::unique_ptr<Connection>> Connection::open(const std::string& path, int flags,
                                                     int timeout_ms) {
  return open_as(path, path, flags, timeout_ms);
}

Result<std::unique_ptr<Connection>> Connection::open_for_reading(const std::string& path,
                                                                 int timeout_ms) {
  if (has_log(path) || is_in_writable_folder(path)) {
    return open_as(path, path, SQLITE_OPEN_READONLY, timeout_ms);
  }
  return open_without_log(path);
}

Result<std::unique_ptr<Connection>> Connection::open_without_log(const std::string& path) {
  return open_as(path, unchanging_uri(path), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, 0);
}

Result<std::unique_ptr<Connection>> Connection::open_as(const std::string& path,
                                                        const std::string& name, int flags,
                                                        int timeout_ms) {
  std::unique_ptr<Connection> connection(new Connection(path));
  sqlite3* raw = nullptr;
  const int code = sqlite3_open_v2(name.c_str(), &raw, flags, nullptr);
  connection->connection_.reset(raw);
  if (code != SQLITE_OK) return explained(code, path, sqlite3_errstr(code));
  sqlite3_extended_result_codes(raw, 1);
  sqlite3_busy_timeout(raw, timeout_ms);
  return connection;
}

Result<void> Connection::execute(const std::string& sql) {
  if (sqlite3_exec(connection_.get(), sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK) {
    return {};
  }
  return trouble();
}

Result<Statement> Connection::prepare(std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(connection_.get(), sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code != SQLITE_OK) return trouble();
  return Statement(*this, statement);
}

Result<Statement*> Connection::prepared(const char* sql) {
  const auto known = prepared_.find(sql);
  if (known != prepared_.end()) return &known->second;
  return prepare(sql).map(
      [&](Statement made) { return &prepared_.emplace(sql, std::move(made)).first->second; });
}

Result<std::int64_t> Connection::number(std::string_view sql) {
  return prepare(sql).and_then([](Statement statement) {
    return statement.step().map([&](bool row) { return row ? statement.number(0) : 0; });
  });
}

void Connection::define(const char* name, Function function) {
  const auto call = [](sqlite3_context* context, int, sqlite3_value** values) {
    const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(values[0]));
    const auto size = static_cast<std::size_t>(sqlite3_value_bytes(values[0]));
    const auto& known = *static_cast<const Function*>(sqlite3_user_data(context));
    sqlite3_result_int64(context, known(text ? std::string_view(text, size) : std::string_view(),
                                        sqlite3_value_int64(values[1])));
  };
  sqlite3_create_function_v2(connection_.get(), name, 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
                             new Function(function), call, nullptr, nullptr,
                             [](void* kept) { delete static_cast<Function*>(kept); });
}

void Connection::on_commit(std::function<void(int)> logged) {
  logged_ = std::move(logged);
  const auto tell = [](void* self, sqlite3*, const char*, int pages) {
    static_cast<Connection*>(self)->logged_(pages);
    return SQLITE_OK;
  };
  sqlite3_wal_hook(connection_.get(), tell, this);
}

bool Connection::checkpoint() {
  // Pages that cannot move now move with a later checkpoint.
  int logged = 0, moved = 0;
  const int code = sqlite3_wal_checkpoint_v2(connection_.get(), nullptr, SQLITE_CHECKPOINT_PASSIVE,
                                             &logged, &moved);
  return code == SQLITE_OK && logged == moved;
}

void Connection::keep_log() {
  int keep = 1;
  sqlite3_file_control(connection_.get(), nullptr, SQLITE_FCNTL_PERSIST_WAL, &keep);
}

Result<void> Connection::copy_to(Connection& empty) {
  sqlite3_backup* const copy =
      sqlite3_backup_init(empty.connection_.get(), "main", connection_.get(), "main");
  if (copy == nullptr) return empty.trouble();
  constexpr int kAllPages = -1;
  sqlite3_backup_step(copy, kAllPages);
  // The codes of the source are kept in the target.
  const int code = sqlite3_backup_finish(copy);
  if (code == SQLITE_OK) return {};
  return explained(code, empty.path(), sqlite3_errmsg(empty.connection_.get()));
}

tl::unexpected<Error> Connection::trouble() const {
  const int code = sqlite3_extended_errcode(connection_.get());
  return explained(code, path_, sqlite3_errmsg(connection_.get()));
}

bool Connection::is_duplicate() const {
  const int code = sqlite3_extended_errcode(connection_.get());
  return code == SQLITE_CONSTRAINT_UNIQUE || code == SQLITE_CONSTRAINT_PRIMARYKEY;
}

bool Connection::is_damaged() const {
  const int code = sqlite3_errcode(connection_.get()) & 0xff;  // without what extends it
  return code == SQLITE_CORRUPT || code == SQLITE_NOTADB;
}

void Query::bind_number(int place, std::int64_t number) {
  sqlite3_bind_int64((*statement_)->statement_.get(), place, number);
}

void Query::bind(int place, std::string_view text) {
  sqlite3_bind_text64((*statement_)->statement_.get(), place, text.data(), text.size(),
                      SQLITE_STATIC, SQLITE_UTF8);
}

void Query::bind(int place, Blob blob) {
  // SQLite takes a null address for NULL, and an empty view may have one.
  const char* const data = blob.bytes.empty() ? "" : blob.bytes.data();
  sqlite3_bind_blob64((*statement_)->statement_.get(), place, data, blob.bytes.size(),
                      SQLITE_STATIC);
}

Result<void> Query::run() {
  return statement_.and_then([](Statement* statement) { return statement->run(); });
}

Result<std::int64_t> Query::count() {
  std::int64_t value = 0;
  TRY(each([&](const Statement& row) { value = row.number(0); }));
  return value;
}

Result<Transaction> Transaction::begin(Connection& connection) {
  return Query(connection, "BEGIN IMMEDIATE").run().map([&] { return Transaction(connection); });
}

Transaction::~Transaction() {
  if (connection_) static_cast<void>(connection_->execute("ROLLBACK"));
}

Result<void> Transaction::commit() {
  return Query(*connection_, "COMMIT").run().map([&] { connection_ = nullptr; });
}

Result<void> migrate(Connection& file, const Schema& schema) {
  if (TRY(file.number("PRAGMA user_version")) == schema.format()) return {};
  auto transaction = TRY(Transaction::begin(file));
  // Read again: another process may have migrated the file while this one waited.
  const auto format = static_cast<std::size_t>(TRY(file.number("PRAGMA user_version")));
  for (std::size_t n = format; n < schema.migrations.size(); ++n) {
    TRY(file.execute(schema.migrations[n]));
  }
  TRY(file.execute(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}",
                               schema.application, schema.format())));
  return transaction.commit();
}

}  // namespace allot::store
