// Rules of signing in: which proxies are trusted, and which role a person gets.
#pragma once

#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/message.hpp"
#include "serve/id_token.hpp"
#include "serve/vault.hpp"

namespace allot::serve {

/// Addresses that begin with the same bits: "10.0.0.0/8", "::1".
class Network {
 public:
  static Result<Network> parse(std::string_view text);
  static bool is_address(const std::string& text) { return bytes_of(text).has_value(); }
  /// False for a text that is no address.
  bool contains(const std::string& address) const;

 private:
  /// IPv4 addresses are mapped into IPv6.
  using Bytes = std::array<unsigned char, 16>;
  static std::optional<Bytes> bytes_of(const std::string& address);
  Bytes bytes_{};
  unsigned bits_ = 0;
};

/// People by role. An entry is an e-mail address, a domain ("@example.org"), a value of the role
/// claim ("group:labelling"), or "*" for everybody who can sign in.
struct RoleRules {
  std::vector<std::string> admins = {}, requesters = {}, monitors = {}, reviewers = {},
                           workers = {};

  /// Whether no list has an entry.
  bool empty() const;
  /// The first role that has the person, in the order of the lists; nothing if none has.
  std::optional<Role> role_of(const Identity& identity) const;
};

/// Ways to sign in besides tokens; none unless they are named.
struct SignInOptions {
  /// The header field in which a proxy names the person, and the proxies that may set it and
  /// X-Forwarded-For.
  std::string proxy_header = {};
  std::vector<Network> proxies = {};

  /// The OpenID Connect provider, such as "https://login.example.org", and what it knows this
  /// server by.
  std::string issuer = {}, client = {}, client_secret = {};
  /// Name of the provider on the pages.
  std::string provider = {};
  /// Address of this server for browsers, such as "https://labels.example.org".
  std::string public_url = {};
  /// Claim with the groups of a person; empty for none.
  std::string group_claim = {};
  /// PEM file with certificates to trust at the provider instead of the system's.
  std::string roots = {};
  /// Time after which a person must sign in again.
  std::chrono::seconds session_time{12 * 3600};

  RoleRules roles = {};

  bool trusts(const std::string& address) const;
  /// The address of the client: that of the connection, or the one that trusted proxies name in
  /// X-Forwarded-For. What other clients write there does not count.
  std::string client_address(const std::string& peer, const http::Fields& fields) const;

  /// Whether people can sign in with accounts.
  bool has_accounts() const { return !issuer.empty() || !proxy_header.empty(); }
};

/// The value of a cookie; nothing if there is none, or more than one.
std::optional<std::string> cookie_of(const http::Request& request, std::string_view wanted);

/// Longest name of a person.
inline constexpr std::size_t kLongestPerson = 255;
/// Whether a text can name a person: visible ASCII characters, and no "@" in front.
bool names_person(std::string_view text);

/// Id of the token that stands for the person: the same at every sign-in.
std::string token_id_of(const Identity& identity);

}  // namespace allot::serve
