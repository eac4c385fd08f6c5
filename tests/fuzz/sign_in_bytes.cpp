#include "fuzz/sign_in_bytes.hpp"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <chrono>
#include <string>

#include "allot/base/text.hpp"
#include "fuzz/demand.hpp"
#include "fuzz/pieces.hpp"
#include "http/public_key.hpp"
#include "http/url.hpp"
#include "serve/id_token.hpp"
#include "serve/oidc_provider.hpp"
#include "serve/sign_in_rules.hpp"

namespace allot::test {
namespace {

constexpr const char* kIssuer = "https://login.example.org";

const serve::IdTokenTerms& sign_in_terms() {
  static const serve::IdTokenTerms terms{kIssuer, "me", "the nonce", "groups"};
  return terms;
}

campaign::Time sign_in_time() { return campaign::Time{std::chrono::seconds(1'800'000'000)}; }

/// The key of RFC 7515, appendix A.3, under the id "k1".
const serve::KeySet& provider_keys() {
  static const serve::KeySet keys =
      serve::read_keys(R"({"keys": [{"kty": "EC", "crv": "P-256", "kid": "k1",
        "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
        "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]})")
          .value();
  demand(keys.size() == 1, "the provider has a key");
  return keys;
}

void check_key(const http::PublicKey& key) {
  demand(key.algorithm() == "RS256" || key.algorithm() == "ES256", "a key knows its algorithm");
  demand(!key.verifies("text", "no signature"), "a key verifies its signatures only");
}

void check_keys(std::string_view bytes) {
  const auto keys = serve::read_keys(bytes);
  check_refusal(keys);
  if (!keys) return;
  for (const auto& [id, key] : *keys) check_key(key);
}

void check_key_members(std::string_view bytes) {
  const std::size_t dot = std::min(bytes.find('.'), bytes.size());
  const std::string_view first = bytes.substr(0, dot),
                         second = bytes.substr(std::min(dot + 1, bytes.size()));
  for (const auto& key :
       {http::PublicKey::rsa(first, second), http::PublicKey::p256(first, second)}) {
    check_refusal(key);
    if (key) check_key(*key);
  }
}

void check_id_token_bytes(std::string_view bytes) {
  check_refusal(serve::key_id(bytes));
  const auto person =
      serve::check_id_token(bytes, provider_keys(), sign_in_terms(), sign_in_time());
  check_refusal(person);
  demand(!person, "nobody signs in without the provider's signature");
}

void check_claim_bytes(std::string_view bytes) {
  boost::system::error_code wrong;
  const auto value = boost::json::parse(bytes, wrong);
  if (wrong || !value.is_object()) return;
  const boost::json::object& claims = value.get_object();
  const auto person = serve::person_in(claims, sign_in_terms(), sign_in_time());
  check_refusal(person);
  if (!person) return;
  demand(person->issuer == kIssuer, "a person is of the provider");
  demand(!person->subject.empty() && person->subject.size() <= 255, "a person has a name");
  serve::IdTokenTerms other = sign_in_terms();
  other.nonce = "another nonce";
  demand(!serve::person_in(claims, other, sign_in_time()), "a token counts for one sign-in");
  const boost::json::value& expires = claims.at("exp");
  const bool is_near = expires.is_int64() && expires.get_int64() < 10'000'000'000;
  if (is_near) {
    const auto later = sign_in_time() + std::chrono::years(1000);
    demand(!serve::person_in(claims, sign_in_terms(), later), "a token expires");
  }
}

void check_base64url(std::string_view bytes) {
  const auto decoded = http::from_base64url(bytes);
  if (decoded) demand(http::to_base64url(*decoded) == bytes, "base64url has one form");
  const auto again = http::from_base64url(http::to_base64url(bytes));
  demand(again == bytes, "bytes are read as they are written");
}

void check_provider_documents(std::string_view bytes) {
  const auto endpoints = serve::read_endpoints(bytes, kIssuer);
  check_refusal(endpoints);
  if (endpoints) {
    for (const std::string& url : {endpoints->authorization, endpoints->token, endpoints->keys})
      demand(http::parse_web_url(url).has_value(), "an endpoint is an address");
  }
  demand(is_utf8(serve::read_id_token(bytes)), "a token is text");
}

/// One field for each line.
http::Fields fields_of(std::string_view name, std::string_view lines) {
  http::Fields fields;
  for (const std::string_view line : split(lines, '\n'))
    fields.add(std::string(name), std::string(line));
  return fields;
}

void check_forwarded(std::string_view bytes) {
  constexpr const char* kName = "X-Forwarded-For";
  static const serve::SignInOptions options{.proxies = {serve::Network::parse("10.0.0.0/8").value(),
                                                        serve::Network::parse("::1").value()}};
  const http::Fields fields = fields_of(kName, bytes);
  demand(options.client_address("192.0.2.1", fields) == "192.0.2.1",
         "clients do not choose their address");
  const std::string address = options.client_address("10.0.0.1", fields);
  demand(serve::Network::is_address(address), "a client has an address");
  const auto plain = [](char c) {
    return std::string_view("0123456789abcdefABCDEF.:").find(c) != std::string_view::npos;
  };
  demand(std::ranges::all_of(address, plain), "an address has nothing else in it");
  if (options.trusts(address)) return;
  http::Fields forged;
  forged.add(kName, "203.0.113.7, 10.0.0.2");
  for (const auto& [name, value] : fields.list()) forged.add(name, value);
  demand(options.client_address("10.0.0.1", forged) == address,
         "what a client puts in front does not count");
}

void check_cookies(std::string_view bytes) {
  constexpr const char* kName = "allot_session";
  http::Request request;
  request.fields = fields_of("Cookie", bytes);
  const auto found = serve::cookie_of(request, kName);
  if (found) {
    demand(bytes.find(kName + ("=" + *found)) != std::string_view::npos, "a cookie was sent");
    demand(found->find(';') == std::string::npos, "a cookie ends at the semicolon");
  }
  request.fields.add("cookie", "a=b; allot_session=x");
  const auto both = serve::cookie_of(request, kName);
  demand(!found || !both, "of two cookies none counts");
}

void check_network(std::string_view bytes) {
  const auto network = serve::Network::parse(bytes);
  check_refusal(network);
  if (network) {
    const std::string address(bytes.substr(0, bytes.find('/')));
    demand(network->contains(address), "a network contains its address");
  }
  static_cast<void>(serve::names_person(bytes));
}

}  // namespace

void check_sign_in_bytes(std::string_view bytes) {
  switch (choose(bytes, 9)) {
    case 0:
      return check_keys(bytes);
    case 1:
      return check_id_token_bytes(bytes);
    case 2:
      return check_claim_bytes(bytes);
    case 3:
      return check_base64url(bytes);
    case 4:
      return check_key_members(bytes);
    case 5:
      return check_provider_documents(bytes);
    case 6:
      return check_forwarded(bytes);
    case 7:
      return check_cookies(bytes);
    default:
      return check_network(bytes);
  }
}

}  // namespace allot::test
