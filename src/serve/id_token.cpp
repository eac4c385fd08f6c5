#include "serve/id_token.hpp"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <limits>

#include "allot/base/text.hpp"
#include "base/errors.hpp"
#include "serve/secret.hpp"
#include "serve/sign_in_rules.hpp"

namespace allot::serve {
namespace {

namespace bj = boost::json;

/// Clocks of the provider and of this machine may differ by this much.
constexpr std::chrono::seconds kSkew{60};
constexpr std::size_t kLongestSubject = 255, kLongestIdToken = 64 << 10, kMostGroups = 1000;

tl::unexpected<Error> refused(std::string_view why) {
  return fail(ErrorCode::forbidden, "the ID token {}; expected one that the provider just signed",
              why);
}

/// A member that is a text; empty if there is none.
std::string text_of(const bj::object& object, std::string_view name) {
  const bj::value* const value = object.if_contains(name);
  return value != nullptr && value->is_string() ? std::string(value->as_string()) : std::string();
}

/// A member that is a number of seconds since 1970; fractions are cut, and numbers that are no time
/// become one that is far away.
std::optional<std::int64_t> seconds_of(const bj::object& object, std::string_view name) {
  const bj::value* const value = object.if_contains(name);
  if (value == nullptr) return std::nullopt;
  if (value->is_int64()) return value->get_int64();
  if (value->is_uint64()) return std::numeric_limits<std::int64_t>::max();
  if (!value->is_double()) return std::nullopt;
  return static_cast<std::int64_t>(std::clamp(value->get_double(), -1e15, 1e15));
}

/// A member that is a text or a list of texts.
std::vector<std::string> texts_of(const bj::object& object, std::string_view name) {
  std::vector<std::string> texts;
  const bj::value* const value = object.if_contains(name);
  if (value != nullptr && value->is_string()) texts.emplace_back(value->as_string());
  if (value == nullptr || !value->is_array()) return texts;
  for (const bj::value& one : value->get_array()) {
    if (one.is_string() && texts.size() < kMostGroups) texts.emplace_back(one.as_string());
  }
  return texts;
}

Result<bj::object> object_of(std::string_view part) {
  const auto text = http::from_base64url(part);
  boost::system::error_code wrong;
  bj::value value = text ? bj::parse(*text, wrong) : bj::value();
  if (!text || wrong || !value.is_object()) return refused("cannot be read");
  return std::move(value.get_object());
}

/// A token in its parts.
struct SplitToken {
  bj::object header, claims;
  std::string_view signed_text;
  std::string signature;
};

Result<SplitToken> split_token(std::string_view token) {
  const auto parts = split(token, '.');
  if (token.size() > kLongestIdToken || parts.size() != 3) return refused("cannot be read");
  const auto signature = http::from_base64url(parts[2]);
  if (!signature) return refused("cannot be read");
  bj::object header = TRY(object_of(parts[0])), claims = TRY(object_of(parts[1]));
  return SplitToken{std::move(header), std::move(claims),
                    token.substr(0, parts[0].size() + 1 + parts[1].size()), *signature};
}

Result<void> check_signature(const SplitToken& token, const KeySet& keys) {
  if (token.header.contains("crit")) return refused("has extensions that are not known");
  const std::string algorithm = text_of(token.header, "alg"), id = text_of(token.header, "kid");
  // Without an id, any key of the provider will do.
  for (const auto& [name, key] : keys) {
    const bool named = id.empty() || name == id;
    if (named && key.algorithm() == algorithm && key.verifies(token.signed_text, token.signature))
      return {};
  }
  return refused("has no valid signature");
}

Result<void> check_claims(const bj::object& claims, const IdTokenTerms& terms, campaign::Time now) {
  if (text_of(claims, "iss") != terms.issuer) return refused("is of another issuer");
  const auto audience = texts_of(claims, "aud");
  if (std::ranges::find(audience, terms.client) == audience.end())
    return refused("is for another client");
  const std::string party = text_of(claims, "azp");
  if ((audience.size() > 1 || !party.empty()) && party != terms.client)
    return refused("is for another client");
  const auto expires = seconds_of(claims, "exp"), issued = seconds_of(claims, "iat"),
             not_before = seconds_of(claims, "nbf");
  const std::int64_t present =
      std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count();
  // The clock is added to, not the claims, which can be any number.
  const std::int64_t earliest = present - kSkew.count(), latest = present + kSkew.count();
  if (!expires || *expires <= earliest) return refused("has expired");
  if (!issued || *issued > latest ||
      (claims.contains("nbf") && (!not_before || *not_before > latest))) {
    return refused("is from the future");
  }
  if (!same_secret(text_of(claims, "nonce"), terms.nonce))
    return refused("belongs to another sign-in");
  return {};
}

}  // namespace

Result<KeySet> read_keys(std::string_view json) {
  boost::system::error_code wrong;
  const bj::value value = bj::parse(json, wrong);
  const bj::value* const list =
      !wrong && value.is_object() ? value.get_object().if_contains("keys") : nullptr;
  if (list == nullptr || !list->is_array()) {
    return fail(ErrorCode::invalid_argument,
                "the keys of the provider cannot be read; expected a JSON Web Key Set");
  }
  KeySet keys;
  for (const bj::value& one : list->get_array()) {
    if (!one.is_object()) continue;
    const bj::object& key = one.get_object();
    if (const std::string use = text_of(key, "use"); !use.empty() && use != "sig") continue;
    const std::string kind = text_of(key, "kty"), algorithm = text_of(key, "alg");
    Result<http::PublicKey> read = fail(ErrorCode::invalid_argument, "");
    if (kind == "RSA") read = http::PublicKey::rsa(text_of(key, "n"), text_of(key, "e"));
    if (kind == "EC" && text_of(key, "crv") == "P-256")
      read = http::PublicKey::p256(text_of(key, "x"), text_of(key, "y"));
    if (read && (algorithm.empty() || algorithm == read->algorithm()))
      keys.emplace(text_of(key, "kid"), *std::move(read));
  }
  return keys;
}

Result<std::string> key_id(std::string_view token) {
  return text_of(TRY(split_token(token)).header, "kid");
}

Result<Identity> check_id_token(std::string_view token, const KeySet& keys,
                                const IdTokenTerms& terms, campaign::Time now) {
  const SplitToken parts = TRY(split_token(token));
  TRY(check_signature(parts, keys));
  return person_in(parts.claims, terms, now);
}

Result<Identity> person_in(const boost::json::object& claims, const IdTokenTerms& terms,
                           campaign::Time now) {
  TRY(check_claims(claims, terms, now));
  Identity identity{
      .issuer = terms.issuer, .subject = text_of(claims, "sub"), .name = text_of(claims, "name")};
  if (identity.subject.empty() || identity.subject.size() > kLongestSubject)
    return refused("names nobody");
  const bj::value* const verified = claims.if_contains("email_verified");
  const std::string email = text_of(claims, "email");
  if (verified != nullptr && verified->is_bool() && verified->get_bool() && names_person(email))
    identity.email = email;
  if (!terms.group_claim.empty()) identity.groups = texts_of(claims, terms.group_claim);
  return identity;
}

}  // namespace allot::serve
