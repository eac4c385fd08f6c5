// Tokens and the list of campaigns, in the tables of a server (serve/server_tables.hpp).
//
// A token is "allot_ID_SECRET" with 32 random bytes as its secret. The tables keep only the digest,
// so a stolen copy lets nobody in, and a lost token cannot be recovered. Tokens are found by id and
// then compared in constant time.
//
// A row of a token that does not match its seal (serve/token.hpp) was changed on disk, and lets
// nobody in.
//
// Everything is in memory as well: a lookup costs one digest (a microsecond) and no disk access.
// Changes are on disk when they return. Any number of threads may call.
//
// Several servers can share the tables. Every change is a transaction that first counts up the one
// row of the table `version`, so that changes happen one after the other, and marks what it changed
// with that number. `refresh` reads what others changed: one short statement if there is nothing.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "allot/base/result.hpp"
#include "allot/campaign/event.hpp"
#include "serve/page.hpp"
#include "serve/server_tables.hpp"
#include "serve/token.hpp"

namespace allot::serve {

/// A campaign in the list of the server.
struct CampaignEntry {
  std::string id = {};
  std::string name = {};
  /// The token that created the campaign, or that an admin gave it to.
  std::string owner = {};
  Time created = {};
  /// Null for an empty page.
  std::shared_ptr<const Page> page = {};
  /// The campaign that this one is a copy of; empty for none.
  std::string twin_of = {};
  /// As its ledger says; here for lists.
  bool archived = false;

  const Page& shown() const;
  bool is_owned_by(const Token& token) const { return owner == token.id; }
  bool operator==(const CampaignEntry&) const;
};

/// The request that created a campaign: its Idempotency-Key, empty without one, and its digest.
struct CreationRequest {
  std::string key, digest;
};

/// The beginning of every token.
inline constexpr std::string_view kTokenPrefix = "allot_";

class Vault {
 public:
  static Result<std::unique_ptr<Vault>> open(std::unique_ptr<ServerTables> tables);

  /// Takes in what other servers changed before this call. Calls at the same time share the work.
  Result<void> refresh();

  struct NewToken {
    Token token;
    /// The token itself; it cannot be read again.
    std::string text;
  };
  /// `draft` has no id and no times.
  Result<NewToken> issue(Token draft, Time now);
  /// The token with that secret of 64 hexadecimal digits, which a caller can make again; adds it if
  /// it is new.
  Result<NewToken> admit(Token draft, const std::string& secret, Time now);
  /// The token of a person who signed in elsewhere: `draft` has the id, which is the same at every
  /// sign-in, the role, the address and the label. Adds it if it is new, and changes these. Nobody
  /// knows a secret for it. Refuses a token that was revoked.
  Result<Token> enrol(const Token& draft, Time now);
  /// The same for a seat in a campaign (serve/seat.hpp), but restores one that was revoked.
  Result<Token> appoint(const Token& draft, Time now);
  /// Whether there is an admin token that was not revoked.
  bool has_admin() const;
  /// Creates an admin token if there is none. Refuses if there are campaigns, in the tables or as
  /// files: then a token was lost.
  Result<std::optional<NewToken>> first_admin(Time now, bool has_campaign_files);
  /// The token with that text, unless it is unknown or revoked.
  std::optional<Token> find(std::string_view text) const;
  std::optional<Token> with_id(const std::string& id) const;
  /// Sorted by id, including revoked ones.
  std::vector<Token> tokens() const;
  std::vector<Token> tokens_where(const std::function<bool(const Token&)>& wanted) const;
  /// Ids of tokens whose rows were damaged when they were last read; they are as good as unknown.
  std::vector<std::string> damaged() const;
  /// Refuses the last admin token.
  Result<void> revoke(const std::string& id, Time now);

  /// Announces a campaign. Until `add` or `give_up`, `unfinished` names it, even after a restart.
  Result<void> begin(const std::string& id, Time now);
  Result<void> add(const CampaignEntry& entry, const CreationRequest& by = {});
  struct CreationRecord {
    std::string campaign, digest;
  };
  /// The campaign that a request with that key created.
  std::optional<CreationRecord> created_under(const std::string& key) const;
  /// Ends the announcement, together with remove(session), unless the campaign was added meanwhile.
  Result<void> give_up(const std::string& id,
                       const std::function<Result<void>(TableSession&)>& remove);
  /// Campaigns that were announced before that time.
  Result<std::vector<std::string>> unfinished(Time before);
  /// Changes name, owner, page or archived by change(entry).
  Result<void> change(const std::string& id, const std::function<void(CampaignEntry&)>& change);
  /// Takes the campaign off the list, together with its tokens, webhooks and accuracy history, in
  /// one transaction. Until `forget_ledger`, `removed_ledgers` names it, even after a restart.
  Result<void> remove(const std::string& id);
  /// Campaigns that are off the list and whose ledgers may be left.
  Result<std::vector<std::string>> removed_ledgers();
  Result<void> forget_ledger(const std::string& id);
  std::optional<CampaignEntry> campaign(const std::string& id) const;
  /// Sorted by id.
  std::vector<CampaignEntry> campaigns() const;

 private:
  struct StoredToken {
    Token token;
    std::string digest;
  };
  explicit Vault(std::unique_ptr<ServerTables> tables) : tables_(std::move(tables)) {}
  /// Changes tables: work(session, version), with all earlier changes in memory. Then keep() takes
  /// the change into memory.
  using Change = std::function<Result<void>(TableSession&, std::int64_t version)>;
  Result<void> write(const Change& change, const std::function<void()>& keep);
  /// Adds or changes a token that has an id and no secret.
  Result<Token> put(Token draft, Time now, bool restores);
  Result<void> look_for_changes();
  /// Reads what changed after the known version.
  Result<void> load(TableSession& session);
  /// Refuses a token whose row is damaged. With writing_ held.
  Result<void> check_intact(const std::string& id) const;
  /// Seals the rows of older versions.
  Result<void> seal_old_rows();
  /// Drops a removed campaign from memory.
  void drop(const std::string& id);

  std::mutex writing_;  // before known_
  std::unique_ptr<ServerTables> tables_;
  std::int64_t version_ = -1;                 // that memory has; under writing_
  std::atomic<std::uint64_t> refreshes_ = 0;  // begun so far
  Result<void> refreshed_;                    // the last one; under writing_
  mutable std::shared_mutex known_;
  std::map<std::string, StoredToken> tokens_;
  std::set<std::string> damaged_;
  std::map<std::string, CampaignEntry> campaigns_;
  std::map<std::string, CreationRecord> created_by_;
};

}  // namespace allot::serve
