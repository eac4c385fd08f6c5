// An OpenID Connect provider: its documents, its keys, and the exchange of a code for an ID token.
//
// The provider's addresses come from its discovery document, which is read at first use and again
// after an hour. Keys are read when a token names one that is not known, at most every ten seconds.
// Calls return at once; results come from the thread of the HTTP client.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "http/client.hpp"
#include "serve/id_token.hpp"
#include "serve/sign_in_rules.hpp"

namespace allot::serve {

/// An error of a provider and its description, cut and safe for the log.
std::string provider_error(std::string_view error, std::string_view description);
/// Addresses of a provider.
struct OidcEndpoints {
  std::string authorization, token, keys;
};
/// Reads the discovery document of the issuer.
Result<OidcEndpoints> read_endpoints(std::string_view json, const std::string& issuer);
/// The ID token in the reply to a code; empty if there is none.
std::string read_id_token(std::string_view json);

class OidcProvider {
 public:
  /// `clock` gives the time of the server.
  OidcProvider(const SignInOptions& options, std::function<campaign::Time()> clock);
  /// Waits for calls under way.
  ~OidcProvider();

  struct Request {
    std::string state, nonce, verifier;
  };
  /// The address to which a browser goes to sign in.
  void address_for(const Request& request, const std::function<void(Result<std::string>)>& done);
  /// Trades the code for the person who signed in.
  void redeem(const std::string& code, const Request& request,
              const std::function<void(Result<Identity>)>& done);

  /// Where the provider sends browsers back to.
  std::string return_address() const { return options_.public_url + "/sign-in/return"; }

 private:
  using Endpoints = OidcEndpoints;
  using Clock = std::chrono::steady_clock;
  template <typename Value>
  using Then = std::function<void(Result<Value>)>;

  void get(const std::string& url, const Then<std::string>& then);
  void find_endpoints(const Then<Endpoints>& then);
  void find_keys(bool fresh, const Endpoints& endpoints, const Then<KeySet>& then);
  void check(const std::string& token, const Request& request, const Endpoints& endpoints,
             bool fresh, const Then<Identity>& then);

  const SignInOptions options_;
  const std::function<campaign::Time()> clock_;
  std::mutex mutex_;
  std::optional<Endpoints> endpoints_;
  Clock::time_point endpoints_at_ = {}, keys_at_ = {};
  std::optional<KeySet> keys_;
  std::unique_ptr<http::Client> client_;  // last: its thread uses the others
};

}  // namespace allot::serve
