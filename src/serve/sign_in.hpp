// Signing in without a token: by a proxy that names the person, or by OpenID Connect.
//
// A proxy that is trusted sets a header field; the same field from any other address is refused.
// With OpenID Connect (authorization code with PKCE), the browser goes to the provider and comes
// back with a code, which the server trades for an ID token (serve/id_token.hpp). The person then
// has a session: a cookie with a random secret, of which the server keeps the digest in memory. A
// restart ends all sessions.
//
// Either way a person is a token of the vault whose id follows from issuer and subject, so that
// campaigns stay theirs. An admin can revoke it. Requests that a browser makes for another site are
// refused, since cookies and proxies would sign them in too.
//
// Cost: a request with a session takes one digest and two lookups. Any number of threads may call.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "http/message.hpp"
#include "serve/hub.hpp"
#include "serve/sign_in_rules.hpp"

namespace allot::serve {

class OidcProvider;

class SignIn {
 public:
  SignIn(Hub& hub, const SignInOptions& options);
  ~SignIn();

  /// Whether people can sign in with the provider.
  bool has_provider() const { return provider_ != nullptr; }
  const std::string& provider_name() const { return options_.provider; }

  /// The token of a request that has none: nothing if nobody has signed in. Refuses a field of a
  /// proxy that is not trusted, people without a role, and requests for other sites.
  Result<std::optional<Token>> caller(const http::Request& request);
  /// Whether a proxy names a person who is new, or has another role now: `enrol_caller` must then
  /// come first, which writes to the disk.
  bool must_enrol(const http::Request& request) const;
  Result<void> enrol_caller(const http::Request& request);
  /// For the log: whom a proxy's field names, whoever sent it.
  std::string claimed_person(const http::Request& request) const;

  /// Sends the browser to the provider; afterwards it comes to the path `to`.
  void start(const std::string& to, const http::Reply& reply);
  /// Takes the browser back from the provider. Calls told(person), for the log, once the provider
  /// has told who it is.
  using Told = std::function<void(const std::string& person)>;
  void finish(const http::Request& request, const Told& told, const http::Reply& reply);
  /// Ends the session of the request.
  http::Response end(const http::Request& request);

 private:
  /// A browser that is at the provider.
  struct Pending {
    /// Digest of the browser's cookie.
    std::string browser;
    std::string nonce, verifier, to;
    Time until;
  };
  struct Session {
    std::string token;
    Time until;
  };
  /// The token that the person should have.
  Result<Token> draft_of(const Identity& identity) const;
  Result<std::optional<Identity>> named_by_proxy(const http::Request& request) const;
  std::optional<Token> in_session(const http::Request& request);
  std::optional<Pending> take_pending(const http::Request& request, const std::string& state);
  http::Response welcome(const Identity& identity, const std::string& to);
  bool is_secure() const { return options_.public_url.starts_with("https://"); }
  std::string cookie_name(std::string_view name) const;
  std::string cookie(std::string_view name, std::string_view value,
                     std::chrono::seconds time) const;

  Hub& hub_;
  const SignInOptions options_;
  std::unique_ptr<OidcProvider> provider_;
  std::mutex mutex_;
  std::map<std::string, Pending> pending_;   // by state
  std::map<std::string, Session> sessions_;  // by the digest of the cookie
};

}  // namespace allot::serve
