// Who may come in, and which campaigns there are: the file server.db of a data folder.
//
// A token is "allot_ID_SECRET", the secret 32 random bytes. Only its digest is kept, so nobody gets
// in with a stolen file, and who loses a token needs a new one. Tokens are found by their id and
// then compared in constant time.
//
// All of it is in memory as well: looking up costs a digest (a microsecond) and no disk. Changes
// are on disk when they return; any number of threads may ask for them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "allot/base/result.hpp"
#include "allot/campaign/event.hpp"
#include "serve/page.hpp"

namespace allot::store {
class Connection;
}

namespace allot::serve {

using campaign::Time;

enum class Role : std::uint8_t {
  admin,      // everything
  requester,  // makes campaigns, and does everything in them
  worker,     // asks and answers in one campaign, under one name
};
std::string_view name(Role role);
std::optional<Role> role_named(std::string_view name);

struct Entry;

struct Token {
  std::string id = {};
  Role role = Role::admin;
  /// Of a worker.
  std::string campaign = {}, worker = {};
  /// What its maker calls it.
  std::string label = {};
  Time created = {};
  std::optional<Time> revoked = {};

  bool owner_of(const Entry& entry) const;
  bool operator==(const Token&) const = default;
};

/// A campaign as the server knows it.
struct Entry {
  std::string id = {};
  std::string name = {};
  /// The token that made it, or that an admin gave it to.
  std::string owner = {};
  Time created = {};
  /// None for an empty one.
  std::shared_ptr<const Page> page = {};
  /// The campaign that this one goes beside, on the same items; empty for none.
  std::string twin_of = {};

  const Page& shown() const;
  bool operator==(const Entry&) const;
};

/// The request that something was made by: its key, empty if it had none, and its digest.
struct Asked {
  std::string key, request;
};

class Vault {
 public:
  /// The file is made if there is none, and brought up to date if it is old.
  static Result<std::unique_ptr<Vault>> open(const std::string& path);
  ~Vault();

  struct Issued {
    Token token;
    /// To be shown once; it cannot be had again.
    std::string text;
  };
  /// `draft` without id and times.
  Result<Issued> issue(Token draft, Time now);
  /// A token to begin with, if no admin has one.
  Result<std::optional<Issued>> first_admin(Time now);
  /// The token of that text, unless it is unknown or revoked.
  std::optional<Token> find(std::string_view text) const;
  std::optional<Token> with_id(const std::string& id) const;
  /// By id, revoked ones as well.
  std::vector<Token> tokens() const;
  /// Refuses the last admin token.
  Result<void> revoke(const std::string& id, Time now);

  /// A campaign is about to be made: unless it is added or given up, `unfinished` names it after
  /// the next start as well.
  Result<void> begin(const std::string& id);
  Result<void> add(const Entry& entry, const Asked& by = {});
  struct MadeBy {
    std::string campaign, request;
  };
  /// The campaign that was made by the request with that key.
  std::optional<MadeBy> made_under(const std::string& key) const;
  Result<void> give_up(const std::string& id);
  Result<std::vector<std::string>> unfinished();
  /// Its name, owner and page, by change(entry).
  Result<void> change(const std::string& id, const std::function<void(Entry&)>& change);
  std::optional<Entry> campaign(const std::string& id) const;
  /// By id.
  std::vector<Entry> campaigns() const;

 private:
  struct Kept {
    Token token;
    std::string digest;
  };
  explicit Vault(std::unique_ptr<store::Connection> file);
  Result<void> load();
  /// A statement about one id.
  Result<void> run_for(const char* sql, const std::string& id);

  std::mutex writing_;  // before known_
  std::unique_ptr<store::Connection> file_;
  mutable std::shared_mutex known_;
  std::map<std::string, Kept> tokens_;
  std::map<std::string, Entry> campaigns_;
  std::map<std::string, MadeBy> made_by_;
};

}  // namespace allot::serve
