#include "serve/vault.hpp"

#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>

#include "allot/base/text.hpp"
#include "base/try.hpp"
#include "serve/secret.hpp"
#include "serve/server_file.hpp"

namespace allot::serve {
namespace {

using store::Blob;
using store::Connection;
using store::Query;
using store::Statement;
using store::Transaction;

constexpr std::size_t kTokenIdBytes = 8, kSecretBytes = 32;
constexpr std::string_view kPrefix = "allot_";
constexpr const char* kForget = "DELETE FROM unfinished WHERE id = ?1";

constexpr std::array<std::string_view, 4> kRoles{"admin", "requester", "worker", "reviewer"};

std::string stored_page(const CampaignEntry& entry) {
  return entry.page ? page_json(*entry.page) : "";
}

bool is_admin(const Token& token) { return token.role == Role::admin && !token.revoked; }

/// The value under a key; nothing if there is none.
template <typename Map>
auto found_in(const Map& map, const std::string& key) {
  const auto found = map.find(key);
  return found == map.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

std::string_view name(Role role) { return kRoles[static_cast<std::size_t>(role)]; }

std::optional<Role> role_named(std::string_view text) {
  const auto found = std::ranges::find(kRoles, text);
  if (found == kRoles.end()) return std::nullopt;
  return static_cast<Role>(found - kRoles.begin());
}

bool Token::owner_of(const CampaignEntry& entry) const { return entry.owner == id; }

const Page& CampaignEntry::shown() const {
  static const Page kNone;
  return page ? *page : kNone;
}

bool CampaignEntry::operator==(const CampaignEntry& other) const {
  return id == other.id && name == other.name && owner == other.owner && created == other.created &&
         shown() == other.shown() && twin_of == other.twin_of;
}

Result<std::unique_ptr<Vault>> Vault::open(const std::string& path) {
  constexpr int kTimeoutMs = 10'000;
  // Digests are useless to others, but labels and names may not be.
  const mode_t before = umask(077);
  auto prepare = [&]() -> Result<std::unique_ptr<Connection>> {
    auto file = TRY(Connection::open(
        path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, kTimeoutMs));
    TRY(file->execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL"));
    TRY(prepare_server_file(*file));
    return file;
  };
  auto file = prepare();
  umask(before);
  std::unique_ptr<Vault> vault(new Vault(TRY(std::move(file))));
  TRY(vault->load());
  return vault;
}

Result<void> Vault::load() {
  TRY(Query(*file_, "SELECT id, role, campaign, worker, label, created, revoked, digest FROM token")
          .each([&](const Statement& row) {
            Token token{.id = row.text(0),
                        .role = static_cast<Role>(row.number(1)),
                        .campaign = row.text(2),
                        .person = row.text(3),
                        .label = row.text(4),
                        .created = row.time(5),
                        .revoked = row.time_if_any(6)};
            const std::string id = token.id;
            tokens_[id] = {std::move(token), row.text(7)};
          }));
  return Query(*file_, "SELECT id, name, owner, created, page, twin_of, key, request FROM campaign")
      .each([&](const Statement& row) {
        CampaignEntry entry{.id = row.text(0),
                            .name = row.text(1),
                            .owner = row.text(2),
                            .created = row.time(3),
                            .twin_of = row.text(5)};
        if (!row.bytes(4).empty()) {
          entry.page = std::make_shared<const Page>(load_page(row.bytes(4)));
        }
        const std::string key = row.text(6);
        if (!key.empty()) created_by_[key] = {entry.id, row.text(7)};
        campaigns_[row.text(0)] = std::move(entry);
      });
}

Result<Vault::NewToken> Vault::issue(Token draft, Time now) {
  draft.id = random_hex(kTokenIdBytes);
  draft.created = now;
  draft.revoked.reset();
  NewToken issued{draft, fmt::format("{}{}_{}", kPrefix, draft.id, random_hex(kSecretBytes))};
  const std::string digest = digest_of(issued.text);
  const std::scoped_lock writing(writing_);
  TRY(Query(*file_,
            "INSERT INTO token (id, role, campaign, worker, label, created, digest)"
            " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            draft.id, draft.role, draft.campaign, draft.person, draft.label, now, Blob{digest})
          .run());
  const std::unique_lock known(known_);
  tokens_[draft.id] = {draft, digest};
  return issued;
}

Result<std::optional<Vault::NewToken>> Vault::first_admin(Time now) {
  if (std::ranges::any_of(tokens(), is_admin)) return std::nullopt;
  return TRY(issue({.role = Role::admin, .label = "created at the first start"}, now));
}

std::optional<Token> Vault::find(std::string_view text) const {
  const std::size_t begin = kPrefix.size();
  if (text.size() != begin + 2 * kTokenIdBytes + 1 + 2 * kSecretBytes ||
      !text.starts_with(kPrefix)) {
    return std::nullopt;
  }
  const std::string digest = digest_of(text);
  const std::shared_lock known(known_);
  const auto kept = found_in(tokens_, std::string(text.substr(begin, 2 * kTokenIdBytes)));
  if (!kept || !same_secret(kept->digest, digest) || kept->token.revoked) return std::nullopt;
  return kept->token;
}

std::optional<Token> Vault::with_id(const std::string& id) const {
  const std::shared_lock known(known_);
  const auto kept = found_in(tokens_, id);
  return kept ? std::optional(kept->token) : std::nullopt;
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
  if (is_admin(*token) && std::ranges::count_if(tokens(), is_admin) == 1) {
    return fail(ErrorCode::conflict,
                fmt::format("token {} is the last admin token; expected another one before it is "
                            "revoked",
                            in_quotes(id)));
  }
  TRY(Query(*file_, "UPDATE token SET revoked = ?2 WHERE id = ?1", id, now).run());
  const std::unique_lock known(known_);
  tokens_[id].token.revoked = now;
  return {};
}

Result<void> Vault::begin(const std::string& id) {
  const std::scoped_lock writing(writing_);
  return Query(*file_, "INSERT INTO unfinished (id) VALUES (?1)", id).run();
}

Result<void> Vault::give_up(const std::string& id) {
  const std::scoped_lock writing(writing_);
  return Query(*file_, kForget, id).run();
}

Result<std::vector<std::string>> Vault::unfinished() {
  const std::scoped_lock writing(writing_);
  return Query(*file_, "SELECT id FROM unfinished ORDER BY id")
      .all<std::string>([](const Statement& row) { return row.text(0); });
}

Result<void> Vault::add(const CampaignEntry& entry, const CreationRequest& by) {
  const std::scoped_lock writing(writing_);
  if (!by.key.empty() && created_under(by.key)) {
    return fail(ErrorCode::conflict,
                fmt::format("the key {} is in use by another request; expected the request to be "
                            "repeated after its response",
                            in_quotes(by.key)));
  }
  auto transaction = TRY(Transaction::begin(*file_));
  TRY(Query(*file_,
            "INSERT INTO campaign (id, name, owner, created, page, twin_of, key, request)"
            " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            entry.id, entry.name, entry.owner, entry.created, stored_page(entry), entry.twin_of,
            by.key, Blob{by.digest})
          .run());
  TRY(Query(*file_, kForget, entry.id).run());
  TRY(transaction.commit());
  const std::unique_lock known(known_);
  campaigns_[entry.id] = entry;
  if (!by.key.empty()) created_by_[by.key] = {entry.id, by.digest};
  return {};
}

std::optional<Vault::CreationRecord> Vault::created_under(const std::string& key) const {
  const std::shared_lock known(known_);
  return found_in(created_by_, key);
}

Result<void> Vault::change(const std::string& id,
                           const std::function<void(CampaignEntry&)>& change) {
  const std::scoped_lock writing(writing_);
  auto entry = campaign(id);
  if (!entry) {
    return fail(ErrorCode::not_found, fmt::format("there is no campaign {}", in_quotes(id)));
  }
  change(*entry);
  TRY(Query(*file_, "UPDATE campaign SET name = ?2, owner = ?3, page = ?4 WHERE id = ?1", id,
            entry->name, entry->owner, stored_page(*entry))
          .run());
  const std::unique_lock known(known_);
  campaigns_[id] = *std::move(entry);
  return {};
}

std::optional<CampaignEntry> Vault::campaign(const std::string& id) const {
  const std::shared_lock known(known_);
  return found_in(campaigns_, id);
}

std::vector<CampaignEntry> Vault::campaigns() const {
  const std::shared_lock known(known_);
  std::vector<CampaignEntry> all;
  for (const auto& [id, entry] : campaigns_) all.push_back(entry);
  return all;
}

}  // namespace allot::serve
