#include "serve/id_token.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "support/oidc_stand_in.hpp"

namespace allot::serve::id_token_test {
namespace {

namespace json = boost::json;
using test::SigningKey;

constexpr std::int64_t kNow = 1'800'000'000;
const campaign::Time kTime{std::chrono::seconds(kNow)};
const IdTokenTerms kTerms{"https://login.example.org", "me", "the nonce", "groups"};

json::object claims() {
  return {{"iss", kTerms.issuer},
          {"aud", "me"},
          {"sub", "7"},
          {"iat", kNow - 5},
          {"exp", kNow + 60},
          {"nonce", kTerms.nonce},
          {"email", "ann@example.org"},
          {"email_verified", true},
          {"groups", json::array{"a", "b"}}};
}

KeySet keys_of(const SigningKey& key) {
  return read_keys(json::serialize(json::object{{"keys", json::array{key.public_key()}}})).value();
}

class IdTokenTest : public testing::TestWithParam<SigningKey::Kind> {
 protected:
  const SigningKey key_{GetParam(), "k1"};

  Result<Identity> checked(const std::string& token) const {
    return check_id_token(token, keys_of(key_), kTerms, kTime);
  }
  void expect_refused(const char* name, const json::value& value, const char* why) const {
    json::object changed = claims();
    if (value.is_null()) {
      changed.erase(name);
    } else {
      changed[name] = value;
    }
    const auto result = checked(key_.token(changed));
    ASSERT_FALSE(result) << name << ": " << value;
    EXPECT_NE(result.error().message.find(why), std::string::npos) << result.error().message;
  }
};

TEST_P(IdTokenTest, NamesThePerson) {
  const auto person = checked(key_.token(claims()));
  ASSERT_TRUE(person) << person.error().message;
  EXPECT_EQ(person->subject, "7");
  EXPECT_EQ(person->email, "ann@example.org");
  EXPECT_EQ(person->groups, (std::vector<std::string>{"a", "b"}));
}

TEST_P(IdTokenTest, RefusesOtherClaims) {
  expect_refused("iss", "https://login.example.org/", "another issuer");
  expect_refused("iss", nullptr, "another issuer");
  expect_refused("aud", "you", "another client");
  expect_refused("aud", json::array{"you", "me"}, "another client");  // without azp
  expect_refused("azp", "you", "another client");
  expect_refused("nonce", "another nonce", "another sign-in");
  expect_refused("nonce", nullptr, "another sign-in");
  expect_refused("exp", kNow - 61, "expired");
  expect_refused("exp", nullptr, "expired");
  expect_refused("exp", "2099", "expired");
  expect_refused("iat", kNow + 61, "future");
  expect_refused("nbf", kNow + 61, "future");
  expect_refused("nbf", "2099", "future");
  constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  expect_refused("exp", kLeast, "expired");
  expect_refused("exp", -1e300, "expired");
  for (const json::value& far :
       {json::value(kMost), json::value(std::uint64_t{kMost} + 1), json::value(1e300)}) {
    expect_refused("iat", far, "future");
    expect_refused("nbf", far, "future");
  }
  json::object always = claims();
  always["exp"] = kMost;
  always["iat"] = always["nbf"] = kLeast;
  EXPECT_TRUE(checked(key_.token(always)));
  expect_refused("sub", "", "nobody");
  expect_refused("sub", json::string(256, 'x'), "nobody");
}

TEST_P(IdTokenTest, AnAddressThatIsNotVerifiedDoesNotCount) {
  json::object unverified = claims();
  unverified["email_verified"] = false;
  EXPECT_EQ(checked(key_.token(unverified)).value().email, "");
  unverified.erase("email_verified");
  EXPECT_EQ(checked(key_.token(unverified)).value().email, "");
}

TEST_P(IdTokenTest, AnAddressThatNamesNobodyDoesNotCount) {
  for (const std::string& email :
       {std::string("x@\nexample.org"), std::string("a b@example.org"), std::string("@example.org"),
        std::string(300, 'x') + "@example.org", std::string("\xc3\xa4@example.org")}) {
    json::object odd = claims();
    odd["email"] = email;
    EXPECT_EQ(checked(key_.token(odd)).value().email, "") << email;
  }
}

TEST_P(IdTokenTest, RefusesEveryOtherSignature) {
  const std::string good = key_.token(claims());
  const SigningKey other(GetParam(), "k1");
  EXPECT_FALSE(checked(other.token(claims()))) << "another key under the same id";
  const std::size_t dot = good.rfind('.');
  EXPECT_FALSE(checked(good.substr(0, dot + 1))) << "no signature";
  for (const char* algorithm : {"none", "None", "HS256", "RS384",
                                GetParam() == SigningKey::Kind::rsa ? "ES256" : "RS256"}) {
    EXPECT_FALSE(checked(key_.token(claims(), algorithm))) << algorithm;
    const std::string named = key_.token(claims(), algorithm);
    EXPECT_FALSE(checked(named.substr(0, named.rfind('.') + 1))) << algorithm;
  }
  // One bit of the claims or of the signature.
  for (const std::size_t at : {good.find('.') + 10, dot + 5, good.size() - 3}) {
    std::string bad = good;
    bad[at] = bad[at] == 'A' ? 'B' : 'A';
    EXPECT_FALSE(checked(bad)) << at;
  }
  EXPECT_FALSE(check_id_token(good, {}, kTerms, kTime)) << "no keys";
  for (const char* text : {"", ".", "..", "a.b.c", "e30.e30.", "e30.e30.e30.e30"}) {
    EXPECT_FALSE(checked(text)) << text;
  }
}

INSTANTIATE_TEST_SUITE_P(Keys, IdTokenTest,
                         testing::Values(SigningKey::Kind::rsa, SigningKey::Kind::p256));

TEST(KeySetTest, LeavesOutKeysThatDoNotSign) {
  const SigningKey rsa(SigningKey::Kind::rsa, "a");
  json::object encrypts = rsa.public_key(), other = rsa.public_key(), small = rsa.public_key();
  encrypts["use"] = "enc";
  other["alg"] = "RS512";
  small["n"] = "AQAB";
  const json::object symmetric{{"kty", "oct"}, {"k", "AAAA"}, {"kid", "s"}};
  const auto keys = read_keys(json::serialize(
      json::object{{"keys", json::array{encrypts, other, small, symmetric, 7, rsa.public_key()}}}));
  ASSERT_TRUE(keys);
  EXPECT_EQ(keys->size(), 1U);
  EXPECT_FALSE(read_keys("{}"));
  EXPECT_FALSE(read_keys("["));
}

TEST(Base64Url, GoesBothWaysAndIsStrict) {
  for (const std::string text : {"", "f", "fo", "foo", "\xff\xfe\xfd\xfc"}) {
    EXPECT_EQ(http::from_base64url(http::to_base64url(text)), text);
  }
  EXPECT_EQ(http::to_base64url("\xfb\xff"), "-_8");
  for (const char* text : {"A", "AB=", "A+B/", "AB C", "-_9"}) {
    EXPECT_FALSE(http::from_base64url(text)) << text;
  }
}

}  // namespace
}  // namespace allot::serve::id_token_test
