#include "serve/vault.hpp"

#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>

#include "allot/base/text.hpp"
#include "base/try.hpp"
#include "serve/secret.hpp"
#include "store/sqlite.hpp"

namespace allot::serve {
namespace {

using store::Connection;
using store::Statement;
using store::Transaction;

/// "alls", where SQLite keeps who a file belongs to.
constexpr std::int64_t kApplication = 0x616C6C73;

/// kMigrations[n] brings a file from format n to n + 1.
constexpr std::array<const char*, 7> kMigrations{R"(
  CREATE TABLE token (
    id TEXT PRIMARY KEY, role INTEGER NOT NULL, campaign TEXT NOT NULL, worker TEXT NOT NULL,
    label TEXT NOT NULL, created INTEGER NOT NULL, revoked INTEGER, digest BLOB NOT NULL)
    STRICT, WITHOUT ROWID;
  CREATE TABLE campaign (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, owner TEXT NOT NULL, created INTEGER NOT NULL)
    STRICT, WITHOUT ROWID;
)",
                                                 // Webhooks, see webhook_store.hpp.
                                                 R"(
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
)",
                                                 // Pages of workers, twins, and the course of
                                                 // campaigns, see course.hpp.
                                                 R"(
  ALTER TABLE campaign ADD COLUMN page TEXT NOT NULL DEFAULT '';
  ALTER TABLE campaign ADD COLUMN twin_of TEXT NOT NULL DEFAULT '';
  CREATE TABLE course (
    campaign TEXT NOT NULL, labels INTEGER NOT NULL, point BLOB NOT NULL,
    PRIMARY KEY (campaign, labels))
    STRICT, WITHOUT ROWID;
)",
                                                 // Campaigns whose file may be there without them.
                                                 R"(
  CREATE TABLE unfinished (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
)",
                                                 // By which request a campaign was made.
                                                 R"(
  ALTER TABLE campaign ADD COLUMN key TEXT NOT NULL DEFAULT '';
  ALTER TABLE campaign ADD COLUMN request BLOB NOT NULL DEFAULT x'';
)",
                                                 // A webhook's secret before this one.
                                                 R"(
  ALTER TABLE webhook ADD COLUMN old_secret BLOB NOT NULL DEFAULT x'';
  ALTER TABLE webhook ADD COLUMN old_until INTEGER;
)",
                                                 // Campaigns are of format 3: a program that does
                                                 // not know it is to say so when it starts.
                                                 "SELECT 1"};
constexpr auto kFormat = static_cast<std::int64_t>(kMigrations.size());

constexpr std::size_t kIdBytes = 8, kSecretBytes = 32;
constexpr std::string_view kPrefix = "allot_";

std::int64_t number(Time time) { return time.time_since_epoch().count(); }
Time time_of(std::int64_t number) { return Time(std::chrono::microseconds(number)); }

Result<void> bring_up_to_date(Connection& file) {
  auto turn = TRY(Transaction::begin(file));
  const auto owner = TRY(file.number("PRAGMA application_id"));
  const auto format = TRY(file.number("PRAGMA user_version"));
  if (owner != kApplication && (owner != 0 || format != 0)) {
    return fail(ErrorCode::store_failure,
                fmt::format("{}: not the file of a server; expected one made by allot serve",
                            in_quotes(file.path())));
  }
  if (format > kFormat) {
    return fail(ErrorCode::store_failure,
                fmt::format("{}: the file is of format {}; expected at most {}; a newer allot "
                            "wrote it",
                            in_quotes(file.path()), format, kFormat));
  }
  for (auto n = static_cast<std::size_t>(format); n < kMigrations.size(); ++n) {
    TRY(file.execute(kMigrations[n]));
  }
  return file
      .execute(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", kApplication,
                           kFormat))
      .and_then([&] { return turn.commit(); });
}

/// visit(row) for every row.
template <typename Visit>
Result<void> each_row(Connection& file, const char* sql, Visit visit) {
  return file.prepare(sql).and_then([&](Statement rows) -> Result<void> {
    while (true) {
      const auto row = TRY(rows.step());
      if (!row) return {};
      visit(rows);
    }
  });
}

}  // namespace

std::string_view name(Role role) {
  switch (role) {
    case Role::admin:
      return "admin";
    case Role::requester:
      return "requester";
    case Role::worker:
      break;
  }
  return "worker";
}

std::optional<Role> role_named(std::string_view text) {
  for (const Role role : {Role::admin, Role::requester, Role::worker}) {
    if (name(role) == text) return role;
  }
  return std::nullopt;
}

bool Token::owner_of(const Entry& entry) const { return entry.owner == id; }

const Page& Entry::shown() const {
  static const Page kNone;
  return page ? *page : kNone;
}

bool Entry::operator==(const Entry& other) const {
  return id == other.id && name == other.name && owner == other.owner && created == other.created &&
         shown() == other.shown() && twin_of == other.twin_of;
}

Vault::Vault(std::unique_ptr<Connection> file) : file_(std::move(file)) {}
Vault::~Vault() = default;

Result<std::unique_ptr<Vault>> Vault::open(const std::string& path) {
  constexpr int kPatience = 10'000;
  // Digests are of no use to others, but labels and names may be.
  const mode_t before = umask(077);
  auto file = Connection::open(
      path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, kPatience);
  const auto ready =
      file ? (*file)->execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL").and_then([&] {
        return bring_up_to_date(**file);
      })
           : Result<void>(tl::unexpected(file.error()));
  umask(before);
  if (!ready) return tl::unexpected(ready.error());
  std::unique_ptr<Vault> vault(new Vault(*std::move(file)));
  return vault->load().map([&] { return std::move(vault); });
}

Result<void> Vault::load() {
  return each_row(*file_,
                  "SELECT id, role, campaign, worker, label, created, revoked, digest FROM token",
                  [&](const Statement& row) {
                    Token token{std::string(row.bytes(0)),
                                static_cast<Role>(row.number(1)),
                                std::string(row.bytes(2)),
                                std::string(row.bytes(3)),
                                std::string(row.bytes(4)),
                                time_of(row.number(5)),
                                {}};
                    if (!row.is_null(6)) token.revoked = time_of(row.number(6));
                    const std::string id = token.id;
                    tokens_[id] = {std::move(token), std::string(row.bytes(7))};
                  })
      .and_then([&] {
        return each_row(
            *file_, "SELECT id, name, owner, created, page, twin_of, key, request FROM campaign",
            [&](const Statement& row) {
              Entry entry{std::string(row.bytes(0)),
                          std::string(row.bytes(1)),
                          std::string(row.bytes(2)),
                          time_of(row.number(3)),
                          nullptr,
                          std::string(row.bytes(5))};
              if (!row.bytes(4).empty()) {
                entry.page = std::make_shared<const Page>(load_page(row.bytes(4)));
              }
              const std::string id = entry.id;
              const std::string key(row.bytes(6));
              if (!key.empty()) made_by_[key] = {id, std::string(row.bytes(7))};
              campaigns_[id] = std::move(entry);
            });
      });
}

Result<Vault::Issued> Vault::issue(Token draft, Time now) {
  draft.id = random_hex(kIdBytes);
  draft.created = now;
  draft.revoked.reset();
  Issued issued{draft, fmt::format("{}{}_{}", kPrefix, draft.id, random_hex(kSecretBytes))};
  const std::string digest = digest_of(issued.text);
  const std::scoped_lock writing(writing_);
  const auto statement =
      TRY(file_->prepared("INSERT INTO token (id, role, campaign, worker, label, created, digest)"
                          " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"));
  const Statement::Reset reset(*statement);
  return (statement)
      ->bind(1, std::string_view(draft.id))
      .bind(2, static_cast<std::int64_t>(draft.role))
      .bind(3, std::string_view(draft.campaign))
      .bind(4, std::string_view(draft.worker))
      .bind(5, std::string_view(draft.label))
      .bind(6, number(now))
      .bind_blob(7, digest)
      .run()
      .map([&] {
        const std::unique_lock known(known_);
        tokens_[draft.id] = {draft, digest};
        return issued;
      });
}

Result<std::optional<Vault::Issued>> Vault::first_admin(Time now) {
  for (const Token& one : tokens()) {
    if (one.role == Role::admin && !one.revoked) return std::nullopt;
  }
  return issue({.role = Role::admin, .label = "made at the first start"}, now)
      .map([](Issued issued) { return std::optional(std::move(issued)); });
}

std::optional<Token> Vault::find(std::string_view text) const {
  const std::size_t begin = kPrefix.size();
  if (text.size() != begin + 2 * kIdBytes + 1 + 2 * kSecretBytes || !text.starts_with(kPrefix)) {
    return std::nullopt;
  }
  const std::string digest = digest_of(text);
  const std::shared_lock known(known_);
  const auto kept = tokens_.find(std::string(text.substr(begin, 2 * kIdBytes)));
  if (kept == tokens_.end() || !same_secret(kept->second.digest, digest)) return std::nullopt;
  return kept->second.token.revoked ? std::nullopt : std::optional(kept->second.token);
}

std::optional<Token> Vault::with_id(const std::string& id) const {
  const std::shared_lock known(known_);
  const auto kept = tokens_.find(id);
  return kept == tokens_.end() ? std::nullopt : std::optional(kept->second.token);
}

std::vector<Token> Vault::tokens() const {
  const std::shared_lock known(known_);
  std::vector<Token> all;
  for (const auto& [id, kept] : tokens_) all.push_back(kept.token);
  return all;
}

Result<void> Vault::revoke(const std::string& id, Time now) {
  const std::scoped_lock writing(writing_);
  const auto token = with_id(id);
  if (!token) {
    return fail(ErrorCode::not_found, fmt::format("there is no token {}", in_quotes(id)));
  }
  if (token->revoked) return {};
  const auto is_admin = [](const Token& one) { return one.role == Role::admin && !one.revoked; };
  if (is_admin(*token) && std::ranges::count_if(tokens(), is_admin) == 1) {
    return fail(ErrorCode::conflict,
                fmt::format("token {} is the last one of an admin; expected another to be made "
                            "before it is revoked",
                            in_quotes(id)));
  }
  const auto statement = TRY(file_->prepared("UPDATE token SET revoked = ?2 WHERE id = ?1"));
  const Statement::Reset reset(*statement);
  return statement->bind(1, std::string_view(id)).bind(2, number(now)).run().map([&] {
    const std::unique_lock known(known_);
    tokens_[id].token.revoked = now;
  });
}

Result<void> Vault::run_for(const char* sql, const std::string& id) {
  const auto statement = TRY(file_->prepared(sql));
  const Statement::Reset reset(*statement);
  return statement->bind(1, std::string_view(id)).run();
}

Result<void> Vault::begin(const std::string& id) {
  const std::scoped_lock writing(writing_);
  return run_for("INSERT INTO unfinished (id) VALUES (?1)", id);
}

Result<void> Vault::give_up(const std::string& id) {
  const std::scoped_lock writing(writing_);
  return run_for("DELETE FROM unfinished WHERE id = ?1", id);
}

Result<std::vector<std::string>> Vault::unfinished() {
  const std::scoped_lock writing(writing_);
  std::vector<std::string> all;
  return each_row(*file_, "SELECT id FROM unfinished ORDER BY id",
                  [&](const Statement& row) { all.emplace_back(row.bytes(0)); })
      .map([&] { return std::move(all); });
}

Result<void> Vault::add(const Entry& entry, const Asked& by) {
  const std::scoped_lock writing(writing_);
  if (!by.key.empty() && made_under(by.key)) {
    return fail(ErrorCode::conflict, fmt::format("the key {} was used at the same time; expected "
                                                 "the request to be repeated after its answer",
                                                 in_quotes(by.key)));
  }
  auto turn = TRY(Transaction::begin(*file_));
  const auto statement = TRY(
      file_->prepared("INSERT INTO campaign (id, name, owner, created, page, twin_of, key, request)"
                      " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"));
  const Statement::Reset reset(*statement);
  const std::string page = entry.page ? page_json(*entry.page) : "";
  return (statement)
      ->bind(1, std::string_view(entry.id))
      .bind(2, std::string_view(entry.name))
      .bind(3, std::string_view(entry.owner))
      .bind(4, number(entry.created))
      .bind(5, std::string_view(page))
      .bind(6, std::string_view(entry.twin_of))
      .bind(7, std::string_view(by.key))
      .bind_blob(8, by.request)
      .run()
      .and_then([&] { return run_for("DELETE FROM unfinished WHERE id = ?1", entry.id); })
      .and_then([&] { return turn.commit(); })
      .map([&] {
        const std::unique_lock known(known_);
        campaigns_[entry.id] = entry;
        if (!by.key.empty()) made_by_[by.key] = {entry.id, by.request};
      });
}

std::optional<Vault::MadeBy> Vault::made_under(const std::string& key) const {
  const std::shared_lock known(known_);
  const auto made = made_by_.find(key);
  return made == made_by_.end() ? std::nullopt : std::optional(made->second);
}

Result<void> Vault::change(const std::string& id, const std::function<void(Entry&)>& change) {
  const std::scoped_lock writing(writing_);
  auto entry = campaign(id);
  if (!entry) {
    return fail(ErrorCode::not_found, fmt::format("there is no campaign {}", in_quotes(id)));
  }
  change(*entry);
  const auto statement =
      TRY(file_->prepared("UPDATE campaign SET name = ?2, owner = ?3, page = ?4 WHERE id = ?1"));
  const Statement::Reset reset(*statement);
  const std::string page = entry->page ? page_json(*entry->page) : "";
  return (statement)
      ->bind(1, std::string_view(id))
      .bind(2, std::string_view(entry->name))
      .bind(3, std::string_view(entry->owner))
      .bind(4, std::string_view(page))
      .run()
      .map([&] {
        const std::unique_lock known(known_);
        campaigns_[id] = *std::move(entry);
      });
}

std::optional<Entry> Vault::campaign(const std::string& id) const {
  const std::shared_lock known(known_);
  const auto entry = campaigns_.find(id);
  return entry == campaigns_.end() ? std::nullopt : std::optional(entry->second);
}

std::vector<Entry> Vault::campaigns() const {
  const std::shared_lock known(known_);
  std::vector<Entry> all;
  for (const auto& [id, entry] : campaigns_) all.push_back(entry);
  return all;
}

}  // namespace allot::serve
