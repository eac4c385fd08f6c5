// ID tokens of OpenID Connect: who signed in, stated and signed by the provider.
//
// A token is a JSON Web Token with a signature by RS256 or ES256. The checks are those of OpenID
// Connect Core 1.0, section 3.1.3.7: key and algorithm, issuer, audience, times and nonce.
#pragma once

#include <boost/json/fwd.hpp>
#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "allot/campaign/event.hpp"
#include "http/public_key.hpp"

namespace allot::serve {

/// A person as a provider or a proxy names them.
struct Identity {
  /// The provider, and the person there; both never change.
  std::string issuer = {}, subject = {};
  /// Empty unless the provider has verified it.
  std::string email = {};
  std::string name = {};
  /// Values of the claim that decides about roles.
  std::vector<std::string> groups = {};
};

/// Keys of a provider by their id; a key without an id is under the empty text.
using KeySet = std::multimap<std::string, http::PublicKey, std::less<>>;
/// Reads a JSON Web Key Set. Leaves out keys that are not for signatures or of another kind.
Result<KeySet> read_keys(std::string_view json);

struct IdTokenTerms {
  std::string issuer, client, nonce;
  /// Name of the claim for Identity::groups; empty for none.
  std::string group_claim = {};
};
/// Id of the key that signed the token; empty if it has none. Refuses what is not a token.
Result<std::string> key_id(std::string_view token);
/// The person in the token, if it was signed by one of the keys for these terms and is valid now.
Result<Identity> check_id_token(std::string_view token, const KeySet& keys,
                                const IdTokenTerms& terms, campaign::Time now);
/// The person whom the claims of a token name. Its signature is checked already.
Result<Identity> person_in(const boost::json::object& claims, const IdTokenTerms& terms,
                           campaign::Time now);

}  // namespace allot::serve
