#include "serve/vault.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "allot/base/text.hpp"
#include "base/try.hpp"
#include "serve/secret.hpp"

namespace allot::serve {
namespace {

constexpr std::size_t kTokenIdBytes = 8, kSecretBytes = 32;

std::string stored_page(const CampaignEntry& entry) {
  return entry.page ? page_json(*entry.page) : "";
}

/// Ends the announcement of a campaign; false if it was ended before.
Result<bool> forget(TableSession& session, const std::string& id) {
  bool known = false;
  TRY(session.query("DELETE FROM server.unfinished WHERE id = ?1 RETURNING id", id)
          .each([&](const TableRow&) { known = true; }));
  return known;
}

Result<void> insert_token(TableSession& session, std::int64_t version, const Token& token,
                          const std::string& digest) {
  const std::string seal = seal_of(token, digest);
  return session
      .query(
          "INSERT INTO server.token (id, role, campaign, worker, label, created, digest, seal,"
          " version) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
          token.id, token.role, token.campaign, token.person, token.label, token.created,
          Bytes{digest}, Bytes{seal}, version)
      .run();
}

bool is_admin(const Token& token) { return token.role == Role::admin && !token.revoked; }

/// The value under a key; nothing if there is none.
template <typename Map>
auto found_in(const Map& map, const std::string& key) {
  const auto found = map.find(key);
  return found == map.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

const Page& CampaignEntry::shown() const {
  static const Page kNone;
  return page ? *page : kNone;
}

bool CampaignEntry::operator==(const CampaignEntry& other) const {
  return id == other.id && name == other.name && owner == other.owner && created == other.created &&
         shown() == other.shown() && twin_of == other.twin_of && archived == other.archived;
}

Result<std::unique_ptr<Vault>> Vault::open(std::unique_ptr<ServerTables> tables) {
  std::unique_ptr<Vault> vault(new Vault(std::move(tables)));
  TRY(vault->refresh());
  TRY(vault->seal_old_rows());
  return vault;
}

Result<void> Vault::seal_old_rows() {
  const auto old = TRY(tables_->query("SELECT id FROM server.token WHERE length(seal) = 0")
                           .all([](const TableRow& row) { return row.text(0); }));
  if (old.empty()) return {};
  return tables_->transact([&](TableSession& session) -> Result<void> {
    for (const std::string& id : old) {
      const auto stored = found_in(tokens_, id);
      if (!stored) continue;
      const std::string seal = seal_of(stored->token, stored->digest);
      // Another server may have changed the row meanwhile, and sealed it.
      TRY(session
              .query("UPDATE server.token SET seal = ?2 WHERE id = ?1 AND length(seal) = 0", id,
                     Bytes{seal})
              .run());
    }
    return {};
  });
}

Result<void> Vault::refresh() {
  const std::uint64_t asked = refreshes_;
  const std::scoped_lock writing(writing_);
  if (refreshes_ == asked) {
    ++refreshes_;
    refreshed_ = look_for_changes();
  }
  return refreshed_;
}

Result<void> Vault::look_for_changes() {
  const auto now = TRY(tables_->query("SELECT number FROM server.version").count());
  if (now == version_) return {};
  return tables_->transact([&](TableSession& session) { return load(session); });
}

Result<void> Vault::load(TableSession& session) {
  // Rows of later changes may come along; they are read once more next time.
  const auto now = TRY(session.query("SELECT number FROM server.version").count());
  struct SealedToken {
    StoredToken stored;
    std::string seal;
  };
  std::vector<SealedToken> tokens;
  TRY(session
          .query("SELECT id, role, campaign, worker, label, created, revoked, digest, seal"
                 " FROM server.token WHERE version > ?1",
                 version_)
          .each([&](const TableRow& row) {
            tokens.push_back({{Token{.id = row.text(0),
                                     .role = static_cast<Role>(row.number(1)),
                                     .campaign = row.text(2),
                                     .person = row.text(3),
                                     .label = row.text(4),
                                     .created = row.time(5),
                                     .revoked = row.time_if_any(6)},
                               row.text(7)},
                              row.text(8)});
          }));
  struct StoredCampaign {
    CampaignEntry entry;
    std::string key, request;
  };
  std::vector<StoredCampaign> campaigns;
  TRY(session
          .query("SELECT id, name, owner, created, page, twin_of, key, request, archived"
                 " FROM server.campaign WHERE version > ?1",
                 version_)
          .each([&](const TableRow& row) {
            CampaignEntry entry{.id = row.text(0),
                                .name = row.text(1),
                                .owner = row.text(2),
                                .created = row.time(3),
                                .twin_of = row.text(5),
                                .archived = row.number(8) != 0};
            if (!row.bytes(4).empty()) {
              entry.page = std::make_shared<const Page>(load_page(row.bytes(4)));
            }
            campaigns.push_back({std::move(entry), row.text(6), row.text(7)});
          }));
  const auto removed =
      TRY(session.query("SELECT campaign FROM server.removed WHERE version > ?1", version_)
              .all([](const TableRow& row) { return row.text(0); }));
  const std::unique_lock known(known_);
  for (auto& [stored, seal] : tokens) {
    const std::string id = stored.token.id;
    const bool intact = seal.empty() || seal == seal_of(stored.token, stored.digest);
    if (intact) {
      damaged_.erase(id);
      tokens_[id] = std::move(stored);
    } else {
      damaged_.insert(id);
      tokens_.erase(id);
    }
  }
  for (auto& [entry, key, request] : campaigns) {
    if (!key.empty()) created_by_[key] = {entry.id, request};
    const std::string id = entry.id;
    campaigns_[id] = std::move(entry);
  }
  for (const std::string& id : removed) drop(id);
  version_ = now;
  return {};
}

Result<void> Vault::write(const Change& change, const std::function<void()>& keep) {
  const std::scoped_lock writing(writing_);
  std::int64_t version = 0;
  TRY(tables_->transact([&](TableSession& session) -> Result<void> {
    TRY(session.query("UPDATE server.version SET number = number + 1").run());
    version = TRY(session.query("SELECT number FROM server.version").count());
    if (version != version_ + 1) {
      TRY(load(session));
      version_ = version - 1;  // what this transaction adds is not there yet
    }
    return change(session, version);
  }));
  version_ = version;
  const std::unique_lock known(known_);
  keep();
  return {};
}

Result<Vault::NewToken> Vault::issue(Token draft, Time now) {
  draft.id = random_hex(kTokenIdBytes);
  draft.created = now;
  draft.revoked.reset();
  NewToken issued{draft, fmt::format("{}{}_{}", kTokenPrefix, draft.id, random_hex(kSecretBytes))};
  const std::string digest = digest_of(issued.text);
  TRY(write([&](TableSession& session,
                std::int64_t version) { return insert_token(session, version, draft, digest); },
            [&] {
              tokens_[draft.id] = {draft, digest};
            }));
  return issued;
}

Result<Vault::NewToken> Vault::admit(Token draft, const std::string& secret, Time now) {
  draft.id = hex(digest_of(secret)).substr(0, 2 * kTokenIdBytes);
  draft.created = now;
  const NewToken admitted{draft, fmt::format("{}{}_{}", kTokenPrefix, draft.id, secret)};
  if (with_id(draft.id)) return admitted;
  const std::string digest = digest_of(admitted.text);
  TRY(write(
      [&](TableSession& session, std::int64_t version) -> Result<void> {
        if (with_id(draft.id)) return {};  // another server was faster
        TRY(check_intact(draft.id));
        return insert_token(session, version, draft, digest);
      },
      [&] {
        tokens_.try_emplace(draft.id, StoredToken{draft, digest});
      }));
  return admitted;
}

Result<Token> Vault::enrol(const Token& draft, Time now) {
  const auto known = with_id(draft.id);
  const bool is_current = known && !known->revoked && known->role == draft.role &&
                          known->person == draft.person && known->label == draft.label;
  return is_current ? *known : put(draft, now, false);
}

Result<Token> Vault::appoint(const Token& draft, Time now) { return put(draft, now, true); }

Result<Token> Vault::put(Token draft, Time now, bool restores) {
  const std::string digest = digest_of(random_bytes(kSecretBytes));
  bool is_new = false;
  TRY(write(
      [&](TableSession& session, std::int64_t version) -> Result<void> {
        const auto known = with_id(draft.id);
        if (known && known->revoked && !restores) {
          return fail(ErrorCode::forbidden,
                      fmt::format("the access of {} was revoked; expected another person",
                                  in_quotes(draft.label)));
        }
        TRY(check_intact(draft.id));
        is_new = !known;
        draft.created = known ? known->created : now;
        if (is_new) return insert_token(session, version, draft, digest);
        draft.campaign = known->campaign;
        const std::string seal = seal_of(draft, tokens_.at(draft.id).digest);
        return session
            .query(
                "UPDATE server.token SET role = ?2, worker = ?3, label = ?4, revoked = NULL,"
                " seal = ?5, version = ?6 WHERE id = ?1",
                draft.id, draft.role, draft.person, draft.label, Bytes{seal}, version)
            .run();
      },
      [&] {
        StoredToken& stored = tokens_[draft.id];
        if (is_new) stored.digest = digest;
        stored.token = draft;
      }));
  return draft;
}

bool Vault::has_admin() const { return std::ranges::any_of(tokens(), is_admin); }

Result<std::optional<Vault::NewToken>> Vault::first_admin(Time now, bool has_campaign_files) {
  if (has_admin()) return std::nullopt;
  if (has_campaign_files || !campaigns().empty()) {
    return fail(ErrorCode::store_failure,
                "there are campaigns but no admin token, so the tables of the server are damaged "
                "or missing; restore them from a backup, or create a token with "
                "'allot serve --new-admin-token'");
  }
  Token draft{.role = Role::admin, .label = "created at the first start"};
  draft.id = random_hex(kTokenIdBytes);
  draft.created = now;
  NewToken issued{draft, fmt::format("{}{}_{}", kTokenPrefix, draft.id, random_hex(kSecretBytes))};
  const std::string digest = digest_of(issued.text);
  bool made = false;
  TRY(write(
      [&](TableSession& session, std::int64_t version) -> Result<void> {
        // Another server may have been faster.
        made = !has_admin();
        return made ? insert_token(session, version, draft, digest) : Result<void>();
      },
      [&] {
        if (made) tokens_[draft.id] = {draft, digest};
      }));
  return made ? std::optional(issued) : std::nullopt;
}

std::optional<Token> Vault::find(std::string_view text) const {
  const std::size_t begin = kTokenPrefix.size();
  if (text.size() != begin + 2 * kTokenIdBytes + 1 + 2 * kSecretBytes ||
      !text.starts_with(kTokenPrefix)) {
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

Result<void> Vault::check_intact(const std::string& id) const {
  if (!damaged_.contains(id)) return {};
  return fail(ErrorCode::store_failure,
              fmt::format("token {} was changed on disk; restore the tables of the server from a "
                          "backup",
                          in_quotes(id)));
}

std::vector<std::string> Vault::damaged() const {
  const std::shared_lock known(known_);
  return {damaged_.begin(), damaged_.end()};
}

std::vector<Token> Vault::tokens() const {
  return tokens_where([](const Token&) { return true; });
}

std::vector<Token> Vault::tokens_where(const std::function<bool(const Token&)>& wanted) const {
  const std::shared_lock known(known_);
  std::vector<Token> found;
  for (const auto& [id, kept] : tokens_) {
    if (wanted(kept.token)) found.push_back(kept.token);
  }
  return found;
}

Result<void> Vault::revoke(const std::string& id, Time now) {
  bool revokes = false;
  return write(
      [&](TableSession& session, std::int64_t version) -> Result<void> {
        auto token = with_id(id);
        if (!token) {
          return fail(ErrorCode::not_found, fmt::format("there is no token {}", in_quotes(id)));
        }
        revokes = !token->revoked;
        if (!revokes) return {};
        if (is_admin(*token) && std::ranges::count_if(tokens(), is_admin) == 1) {
          return fail(ErrorCode::conflict,
                      fmt::format("token {} is the last admin token; expected another one before "
                                  "it is revoked",
                                  in_quotes(id)));
        }
        token->revoked = now;
        const std::string seal = seal_of(*token, tokens_.at(id).digest);
        return session
            .query("UPDATE server.token SET revoked = ?2, seal = ?3, version = ?4 WHERE id = ?1",
                   id, now, Bytes{seal}, version)
            .run();
      },
      [&] {
        if (revokes) tokens_[id].token.revoked = now;
      });
}

Result<void> Vault::begin(const std::string& id, Time now) {
  return tables_->query("INSERT INTO server.unfinished (id, since) VALUES (?1, ?2)", id, now).run();
}

Result<void> Vault::give_up(const std::string& id,
                            const std::function<Result<void>(TableSession&)>& remove) {
  return tables_->transact([&](TableSession& session) -> Result<void> {
    if (!TRY(forget(session, id))) return {};
    return remove(session);
  });
}

Result<std::vector<std::string>> Vault::unfinished(Time before) {
  return tables_->query("SELECT id FROM server.unfinished WHERE since < ?1 ORDER BY id", before)
      .all([](const TableRow& row) { return row.text(0); });
}

Result<void> Vault::add(const CampaignEntry& entry, const CreationRequest& by) {
  return write(
      [&](TableSession& session, std::int64_t version) -> Result<void> {
        if (!by.key.empty() && created_under(by.key)) {
          return fail(ErrorCode::conflict,
                      fmt::format("the key {} is in use by another request; expected the request "
                                  "to be repeated after its response",
                                  in_quotes(by.key)));
        }
        TRY(session
                .query("INSERT INTO server.campaign (id, name, owner, created, page, twin_of, key,"
                       " request, version) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
                       entry.id, entry.name, entry.owner, entry.created, stored_page(entry),
                       entry.twin_of, by.key, Bytes{by.digest}, version)
                .run());
        TRY(forget(session, entry.id));
        return {};
      },
      [&] {
        campaigns_[entry.id] = entry;
        if (!by.key.empty()) created_by_[by.key] = {entry.id, by.digest};
      });
}

std::optional<Vault::CreationRecord> Vault::created_under(const std::string& key) const {
  const std::shared_lock known(known_);
  return found_in(created_by_, key);
}

Result<void> Vault::change(const std::string& id,
                           const std::function<void(CampaignEntry&)>& change) {
  std::optional<CampaignEntry> entry;
  return write(
      [&](TableSession& session, std::int64_t version) -> Result<void> {
        entry = campaign(id);
        if (!entry) {
          return fail(ErrorCode::not_found, fmt::format("there is no campaign {}", in_quotes(id)));
        }
        change(*entry);
        return session
            .query(
                "UPDATE server.campaign SET name = ?2, owner = ?3, page = ?4, archived = ?5,"
                " version = ?6 WHERE id = ?1",
                id, entry->name, entry->owner, stored_page(*entry), entry->archived, version)
            .run();
      },
      [&] { campaigns_[id] = *std::move(entry); });
}

Result<void> Vault::remove(const std::string& id) {
  return write(
      [&](TableSession& session, std::int64_t version) -> Result<void> {
        if (!campaign(id)) {
          return fail(ErrorCode::not_found, fmt::format("there is no campaign {}", in_quotes(id)));
        }
        for (const char* const sql : {"DELETE FROM server.campaign WHERE id = ?1",
                                      "DELETE FROM server.token WHERE campaign = ?1",
                                      "DELETE FROM server.delivery WHERE webhook IN"
                                      " (SELECT id FROM server.webhook WHERE campaign = ?1)",
                                      "DELETE FROM server.webhook WHERE campaign = ?1",
                                      "DELETE FROM server.course WHERE campaign = ?1",
                                      "DELETE FROM server.model_run WHERE campaign = ?1",
                                      "INSERT INTO server.unfinished (id, since) VALUES (?1, 0)"}) {
          TRY(session.query(sql, id).run());
        }
        TRY(session
                .query("UPDATE server.campaign SET twin_of = '', version = ?2 WHERE twin_of = ?1",
                       id, version)
                .run());
        return session
            .query("INSERT INTO server.removed (campaign, version) VALUES (?1, ?2)", id, version)
            .run();
      },
      [&] { drop(id); });
}

/// With known_ held.
void Vault::drop(const std::string& id) {
  campaigns_.erase(id);
  std::erase_if(tokens_, [&](const auto& one) { return one.second.token.campaign == id; });
  std::erase_if(created_by_, [&](const auto& one) { return one.second.campaign == id; });
  for (auto& [other, entry] : campaigns_) {
    if (entry.twin_of == id) entry.twin_of.clear();
  }
}

Result<std::vector<std::string>> Vault::removed_ledgers() {
  return tables_->query("SELECT id FROM server.unfinished WHERE since = 0 ORDER BY id")
      .all([](const TableRow& row) { return row.text(0); });
}

Result<void> Vault::forget_ledger(const std::string& id) {
  return tables_->query("DELETE FROM server.unfinished WHERE id = ?1", id).run();
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
