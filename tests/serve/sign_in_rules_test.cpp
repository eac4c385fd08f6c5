#include "serve/sign_in_rules.hpp"

#include <gtest/gtest.h>

#include "serve/oidc_provider.hpp"

namespace allot::serve::sign_in_rules_test {
namespace {

using namespace std::string_literals;

TEST(SignInRules, AnAddressHasNothingBehindIt) {
  const SignInOptions options{.proxies = {Network::parse("10.0.0.0/8").value()}};
  http::Fields fields;
  fields.add("X-Forwarded-For", "203.0.113.9\0<script>"s);
  EXPECT_EQ(options.client_address("10.0.0.1", fields), "10.0.0.1");
  EXPECT_FALSE(Network::parse("10.0.0.0\0x/8"s));
}

TEST(SignInRules, OfTwoCookiesNoneCounts) {
  http::Request request;
  request.fields.add("Cookie", "a=b; session=1;session2=3");
  EXPECT_EQ(cookie_of(request, "session"), "1");
  request.fields.add("cookie", "session=2");
  EXPECT_EQ(cookie_of(request, "session"), std::nullopt);
}

TEST(SignInRules, AProviderHasAddresses) {
  const auto read = [](const std::string& authorization) {
    return read_endpoints(
        R"({"issuer": "https://a.b", "authorization_endpoint": ")" + authorization +
            R"(", "token_endpoint": "https://a.b/t", "jwks_uri": "https://a.b/k"})",
        "https://a.b");
  };
  EXPECT_EQ(read("https://a.b/login?x=y").value().authorization, "https://a.b/login?x=y");
  EXPECT_FALSE(read(""));
  EXPECT_FALSE(read("javascript:alert(1)"));
  EXPECT_FALSE(read(R"(https://a.b/\r\nSet-Cookie: x=y)"));
}

}  // namespace
}  // namespace allot::serve::sign_in_rules_test
