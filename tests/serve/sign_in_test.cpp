// People who sign in with a provider or through a proxy.
#include "serve/sign_in.hpp"

#include <gtest/gtest.h>

#include "support/oidc_stand_in.hpp"
#include "support/test_api.hpp"

namespace allot::test::sign_in_test {
namespace {

namespace json = boost::json;
using serve::Network;
using serve::Role;

constexpr std::int64_t kNow = 1'800'000'000;  // as TestApi's clock begins
const std::pair<std::string, std::string> kSameSite{"Sec-Fetch-Site", "same-origin"};

std::string decoded(std::string_view text) {
  std::string result;
  for (std::size_t n = 0; n < text.size(); ++n) {
    if (text[n] != '%') {
      result += text[n];
      continue;
    }
    result += static_cast<char>(std::stoi(std::string(text.substr(n + 1, 2)), nullptr, 16));
    n += 2;
  }
  return result;
}

std::string parameter(const std::string& url, const std::string& name) {
  const std::size_t at = url.find(name + "=");
  const std::size_t begin = at + name.size() + 1;
  return at == std::string::npos ? "" : decoded(url.substr(begin, url.find('&', begin) - begin));
}

/// "name=value" of the cookie that the response sets first.
std::string cookie_in(const ApiResponse& response) {
  const std::string field = response.field("Set-Cookie");
  return field.substr(0, field.find(';'));
}

class ProviderTest : public testing::Test {
 protected:
  using Change = std::function<void(serve::SignInOptions&)>;
  ProviderTest() : ProviderTest("", [](serve::SignInOptions&) {}) {}
  /// A provider whose issuer has this ending, and a server with these changes.
  ProviderTest(const std::string& ending, const Change& change)
      : provider_(ending), api_([&] {
          serve::ServiceOptions changed = options();
          change(changed.sign_in);
          return changed;
        }()) {}

  StandInProvider provider_;
  TestApi api_;

  serve::ServiceOptions options() const {
    serve::ServiceOptions options = TestApi::generous();
    options.sign_in.issuer = provider_.issuer();
    options.sign_in.client = StandInProvider::kClient;
    options.sign_in.client_secret = StandInProvider::kSecret;
    options.sign_in.provider = "Example";
    options.sign_in.public_url = "http://localhost:8080";
    options.sign_in.group_claim = "groups";
    options.sign_in.roles.requesters = {"@example.org", "group:labelling"};
    options.sign_in.roles.admins = {"boss@example.org"};
    options.sign_in.roles.workers = {"group:helpers"};
    return options;
  }

  /// A browser on its way to the provider.
  struct Visit {
    std::string state, nonce, challenge, cookie;
  };
  Visit start(const std::string& to = "/") {
    const ApiResponse response = api_.ask({.path = "/sign-in?to=" + to});
    EXPECT_EQ(response.status, 303) << response.body;
    const std::string url = response.field("Location");
    EXPECT_TRUE(url.starts_with(provider_.base() + "/authorize?response_type=code&")) << url;
    EXPECT_EQ(parameter(url, "code_challenge_method"), "S256");
    EXPECT_EQ(parameter(url, "redirect_uri"), "http://localhost:8080/sign-in/return");
    EXPECT_EQ(parameter(url, "client_id"), StandInProvider::kClient);
    return {parameter(url, "state"), parameter(url, "nonce"), parameter(url, "code_challenge"),
            cookie_in(response)};
  }
  ApiResponse come_back(const Visit& visit, const std::string& code) {
    return api_.ask({.path = "/sign-in/return?state=" + visit.state + "&code=" + code,
                     .fields = {{"Cookie", visit.cookie}}});
  }
  /// Comes back with a token that has these claims.
  ApiResponse sign_in(
      const std::function<void(json::object&)>& change = [](json::object&) {},
      const std::string& to = "/") {
    const Visit visit = start(to);
    json::object claims = provider_.claims(visit.nonce, kNow);
    change(claims);
    return come_back(visit, provider_.code_for(provider_.key().token(claims), visit.challenge));
  }
  ApiResponse me(const std::string& cookie) {
    return api_.ask({.path = "/api/v1/me", .fields = {{"Cookie", "a=b; " + cookie}}});
  }
  /// The sign-in page gets the word, the log the cause.
  void expect_refused(const ApiResponse& response, const std::string& cause,
                      const std::string& word = "refused") {
    EXPECT_EQ(response.field("Location"), "/#sign-in=" + word) << response.cause;
    EXPECT_NE(response.cause.find(cause), std::string::npos) << response.cause;
    EXPECT_EQ(response.field("Set-Cookie"), "");
  }
};

TEST_F(ProviderTest, APersonSignsInWorksAndSignsOut) {
  const ApiResponse back = sign_in([](json::object&) {}, "/new");
  EXPECT_EQ(back.status, 303) << back.body;
  EXPECT_EQ(back.field("Location"), "/new");
  EXPECT_NE(back.field("Set-Cookie").find("; HttpOnly; SameSite=Lax"), std::string::npos);
  const std::string cookie = cookie_in(back);
  EXPECT_EQ(me(cookie).text("role"), "requester");
  EXPECT_EQ(me(cookie).text("label"), "ann@example.org");
  const auto create = [&](std::vector<std::pair<std::string, std::string>> fields) {
    fields.emplace_back("Cookie", cookie);
    return api_.ask({.method = http::Method::post,
                     .path = "/api/v1/campaigns",
                     .body = R"({"name": "c", "classes": ["no", "yes"], "budget": 10})",
                     .fields = std::move(fields)});
  };
  EXPECT_EQ(create({kSameSite}).status, 201);
  EXPECT_EQ(create({{"Origin", "http://localhost:8080"}, {"Host", "localhost:8080"}}).status, 201);
  EXPECT_EQ(create({}).code(), "sign_in_refused") << "another site's page could send it";
  EXPECT_EQ(create({{"Sec-Fetch-Site", "cross-site"}}).status, 403);
  EXPECT_EQ(create({{"Origin", "https://evil.example"}, {"Host", "localhost:8080"}}).status, 403);

  const std::string again = cookie_in(sign_in());
  EXPECT_NE(again, cookie);
  const ApiResponse list = api_.ask({.path = "/api/v1/campaigns", .fields = {{"Cookie", again}}});
  EXPECT_EQ(list.json().at("campaigns").as_array().size(), 2U) << "campaigns stay theirs";

  EXPECT_EQ(api_.ask({.method = http::Method::post,
                      .path = "/api/v1/sign-out",
                      .fields = {{"Cookie", cookie}, kSameSite}})
                .status,
            204);
  EXPECT_EQ(me(cookie).status, 401);
  EXPECT_EQ(me(again).status, 200);
}

TEST_F(ProviderTest, TokensThatAreNotForThisSignInAreRefused) {
  expect_refused(sign_in([](json::object& claims) { claims["nonce"] = "another"; }),
                 "another sign-in");
  expect_refused(sign_in([](json::object& claims) { claims["exp"] = kNow - 100; }), "expired");
  expect_refused(sign_in([](json::object& claims) { claims["iss"] = "https://evil.example"; }),
                 "another issuer");
  expect_refused(sign_in([](json::object& claims) { claims["aud"] = "another"; }),
                 "another client");
  const Visit visit = start();
  const auto token_by = [&](const SigningKey& key, const std::string& algorithm) {
    return key.token(provider_.claims(visit.nonce, kNow), algorithm);
  };
  const SigningKey other(SigningKey::Kind::rsa, provider_.key().id);
  expect_refused(come_back(visit, provider_.code_for(token_by(other, ""), visit.challenge)),
                 "no valid signature");
  const Visit second = start();
  const std::string unsigned_token = token_by(provider_.key(), "none");
  expect_refused(
      come_back(second, provider_.code_for(unsigned_token.substr(0, unsigned_token.rfind('.') + 1),
                                           second.challenge)),
      "no valid signature");
}

TEST_F(ProviderTest, ACodeAndAStateCountOnceAndInTheirBrowserOnly) {
  Visit visit = start();
  const std::string token = provider_.key().token(provider_.claims(visit.nonce, kNow));
  const std::string code = provider_.code_for(token, visit.challenge);
  Visit stolen = visit;
  stolen.cookie = start().cookie;
  expect_refused(come_back(stolen, code), "began in another browser", "late");
  stolen.cookie = "";
  expect_refused(come_back(stolen, code), "began in another browser", "late");
  EXPECT_EQ(come_back(visit, code).status, 303);
  expect_refused(come_back(visit, code), "began in another browser", "late");
  const Visit later = start();
  expect_refused(come_back(later, code), "refused the code");
  const Visit verifier = start();
  expect_refused(come_back(verifier, provider_.code_for(token, "another challenge")),
                 "refused the code");
  const Visit slow = start();
  api_.now += std::int64_t{601} * 1'000'000;
  expect_refused(come_back(slow, provider_.code_for(token, slow.challenge)), "is over", "late");
}

TEST_F(ProviderTest, TheLogHasTheErrorOfTheProvider) {
  const Visit visit = start();
  const ApiResponse denied = api_.ask(
      {.path = "/sign-in/return?state=" + visit.state +
               "&error=access_denied&error_description=<b>not\ntoday" + std::string(300, 'x'),
       .fields = {{"Cookie", visit.cookie}}});
  expect_refused(denied, "the error access_denied: <b>not todayxxx");
  EXPECT_TRUE(denied.cause.ends_with("x...")) << denied.cause;
  EXPECT_LT(denied.cause.size(), 300U);
  EXPECT_EQ(denied.body, "");
  expect_refused(come_back(start(), "no code of the provider"), "status 400 (invalid_grant)");
}

class WrongSecretTest : public ProviderTest {
 protected:
  WrongSecretTest()
      : ProviderTest("", [](serve::SignInOptions& options) { options.client_secret = "old"; }) {}
};

TEST_F(WrongSecretTest, IsInTheLog) {
  const ApiResponse response = sign_in();
  expect_refused(response,
                 "refused the code with status 401 (invalid_client: <b>wrong</b> secret)");
  EXPECT_EQ(response.body, "");
}

class SlashTest : public ProviderTest {
 protected:
  SlashTest() : ProviderTest("/", [](serve::SignInOptions&) {}) {}
};

TEST_F(SlashTest, AnIssuerCanEndInASlash) {
  EXPECT_EQ(me(cookie_in(sign_in())).text("label"), "ann@example.org");
}

class MissingSlashTest : public ProviderTest {
 protected:
  MissingSlashTest()
      : ProviderTest("/", [](serve::SignInOptions& options) { options.issuer.pop_back(); }) {}
};

TEST_F(MissingSlashTest, TheIssuerIsTheOneOfTheDiscoveryDocument) {
  const ApiResponse response = api_.ask({.path = "/sign-in"});
  expect_refused(response, "of issuer '" + provider_.issuer() + "', which is not '", "provider");
}

class EverybodyTest : public ProviderTest {
 protected:
  EverybodyTest()
      : ProviderTest("", [](serve::SignInOptions& options) {
          options.roles = {.requesters = {"group:labelling"}, .workers = {"*"}};
        }) {}
};

TEST_F(EverybodyTest, AWorkerMustHaveAVerifiedAddress) {
  const auto with = [&](const char* email, bool verified, const json::array& groups) {
    return sign_in([&](json::object& claims) {
      claims["email"] = email;
      claims["email_verified"] = verified;
      claims["groups"] = groups;
    });
  };
  expect_refused(with("zoe@lab.example", false, {}), "no verified address", "no-address");
  expect_refused(with("", true, {}), "no verified address", "no-address");
  expect_refused(with("zoe@\nlab.example", true, {}), "no verified address", "no-address");
  EXPECT_EQ(me(cookie_in(with("zoe@lab.example", true, {}))).text("role"), "worker");
  EXPECT_EQ(me(cookie_in(with("", false, {"labelling"}))).text("role"), "requester");
}

TEST_F(ProviderTest, RolesComeFromAddressesAndGroups) {
  const auto role = [&](const char* email, bool verified, const json::array& groups) {
    const ApiResponse back = sign_in([&](json::object& claims) {
      claims["sub"] = std::string(email) + (verified ? "+" : "-");
      claims["email"] = email;
      claims["email_verified"] = verified;
      claims["groups"] = groups;
    });
    if (back.field("Set-Cookie").empty()) expect_refused(back, "in no list", "no-role");
    return back.field("Set-Cookie").empty() ? "" : me(cookie_in(back)).text("role");
  };
  EXPECT_EQ(role("boss@example.org", true, {}), "admin");
  EXPECT_EQ(role("boss@example.org", false, {}), "") << "anybody can claim an address";
  EXPECT_EQ(role("eve@example.org", true, {}), "requester");
  EXPECT_EQ(role("eve@example.com", true, {"labelling"}), "requester");
  EXPECT_EQ(role("eve@example.com", true, {"lunch"}), "");
  EXPECT_EQ(role("eve@sub.example.org", true, {}), "");
}

TEST_F(ProviderTest, CampaignsNameVerifiedAddresses) {
  const std::string path = api_.campaign(2);
  ASSERT_EQ(api_.ask({.method = http::Method::put,
                      .path = path + "/people/zoe@lab.example",
                      .token = api_.requester,
                      .body = R"({"role": "worker"})"})
                .status,
            200);
  const auto work = [&](const char* subject, const char* email, bool verified) {
    const ApiResponse back = sign_in([&](json::object& claims) {
      claims["sub"] = subject;
      claims["email"] = email;
      claims["email_verified"] = verified;
      claims["groups"] = json::array{"helpers"};
    });
    const std::string cookie = cookie_in(back);
    if (cookie.empty()) expect_refused(back, "no verified address", "no-address");
    return api_
        .ask({.method = http::Method::post,
              .path = path + "/assignments",
              .body = "{}",
              .fields = {{"Cookie", cookie}, kSameSite}})
        .status;
  };
  EXPECT_EQ(work("17", "Zoe@Lab.example", true), 200);
  EXPECT_EQ(work("18", "zoe@lab.example", false), 401) << "anybody can claim an address";
  EXPECT_EQ(work("zoe@lab.example", "eve@lab.example", true), 404) << "a subject is no address";
  EXPECT_EQ(work("zoe@lab.example", "", false), 401);
}

TEST_F(ProviderTest, ARevokedPersonStaysOut) {
  const std::string cookie = cookie_in(sign_in());
  std::string id;
  for (const serve::Token& token : api_.hub().vault().tokens())
    if (token.label == "ann@example.org") id = token.id;
  ASSERT_TRUE(api_.hub().vault().revoke(id, api_.hub().now()));
  EXPECT_EQ(me(cookie).status, 401);
  expect_refused(sign_in(), "was revoked", "revoked");
}

TEST_F(ProviderTest, SessionsEndAndKeysChange) {
  const std::string cookie = cookie_in(sign_in());
  EXPECT_EQ(provider_.key_reads, 1);
  EXPECT_EQ(me(cookie).status, 200);
  api_.now += std::int64_t{12 * 3600 + 1} * 1'000'000;
  EXPECT_EQ(me(cookie).status, 401);
}

TEST_F(ProviderTest, PagesLearnHowToSignIn) {
  const ApiResponse before = api_.ask({.path = "/api/v1/sign-in"});
  EXPECT_EQ(before.text("provider"), "Example");
  EXPECT_TRUE(before.json().at("person").is_null());
  const ApiResponse after =
      api_.ask({.path = "/api/v1/sign-in", .fields = {{"Cookie", cookie_in(sign_in())}}});
  EXPECT_EQ(after.text("person"), "ann@example.org");
  EXPECT_EQ(start("https://evil.example").state.size(), 32U);
  for (const char* to : {"https://evil.example", "//evil.example", "/\\evil.example", "x"}) {
    EXPECT_EQ(sign_in([](json::object&) {}, to).field("Location"), "/") << to;
  }
}

serve::ServiceOptions proxied() {
  serve::ServiceOptions options = TestApi::generous();
  options.sign_in.proxy_header = "X-Forwarded-Email";
  options.sign_in.proxies = {Network::parse("127.0.0.0/8").value()};
  options.sign_in.roles.requesters = {"@example.org"};
  options.sign_in.roles.monitors = {"*"};
  return options;
}

TEST(ProxySignIn, ATrustedProxyNamesThePerson) {
  TestApi api(proxied());
  const auto ask = [&](const std::string& person, const std::string& path) {
    return api.ask({.path = path, .fields = {{"x-forwarded-email", person}}});
  };
  EXPECT_EQ(ask("ann@example.org", "/api/v1/me").text("role"), "requester");
  EXPECT_EQ(ask("ann@example.org", "/api/v1/me").text("label"), "ann@example.org");
  EXPECT_EQ(ask("robot", "/api/v1/me").text("role"), "monitor");
  EXPECT_EQ(ask("robot", "/metrics").status, 200);
  EXPECT_EQ(ask("robot", "/api/v1/campaigns").status, 403);
  EXPECT_EQ(ask("", "/api/v1/me").status, 401);
  EXPECT_EQ(ask("two words", "/api/v1/me").code(), "sign_in_refused");
  const ApiResponse twice =
      api.ask({.path = "/api/v1/me",
               .fields = {{"X-Forwarded-Email", "ann@example.org"}, {"X-Forwarded-Email", "x"}}});
  EXPECT_EQ(twice.code(), "sign_in_refused");
  EXPECT_EQ(api.get("/api/v1/me", api.admin).text("role"), "admin") << "tokens still work";
}

TEST(ProxySignIn, APersonIsTheSameInAnyCase) {
  TestApi api(proxied());
  const auto ask = [&](const std::string& person) {
    return api.ask({.path = "/api/v1/me", .fields = {{"X-Forwarded-Email", person}}});
  };
  ASSERT_EQ(ask("ann@example.org").status, 200);
  EXPECT_EQ(ask("Ann@Example.org").text("label"), "ann@example.org");
  for (const serve::Token& token : api.hub().vault().tokens()) {
    if (token.label == "ann@example.org") {
      ASSERT_TRUE(api.hub().vault().revoke(token.id, api.hub().now()));
    }
  }
  EXPECT_EQ(ask("ann@example.org").status, 403);
  EXPECT_EQ(ask("aNN@example.org").status, 403);
  EXPECT_EQ(ask("@example.org").code(), "sign_in_refused");
}

TEST(ProxySignIn, TheFieldFromAnyOtherAddressIsRefused) {
  serve::ServiceOptions options = proxied();
  options.sign_in.proxies = {Network::parse("10.0.0.7").value()};
  TestApi api(options);
  const ApiResponse forged =
      api.ask({.path = "/api/v1/me", .fields = {{"X-Forwarded-Email", "ann@example.org"}}});
  EXPECT_EQ(forged.status, 403);
  EXPECT_EQ(forged.code(), "sign_in_refused");
  EXPECT_EQ(api.get("/api/v1/me", "").status, 401);
}

TEST(NetworkTest, KnowsItsAddresses) {
  const auto has = [](const char* network, const char* address) {
    return Network::parse(network).value().contains(address);
  };
  EXPECT_TRUE(has("10.0.0.0/8", "10.255.1.2"));
  EXPECT_FALSE(has("10.0.0.0/8", "11.0.0.1"));
  EXPECT_TRUE(has("10.0.0.7", "::ffff:10.0.0.7"));
  EXPECT_FALSE(has("10.0.0.7", "10.0.0.6"));
  EXPECT_TRUE(has("fd00::/9", "fd7f::1"));
  EXPECT_FALSE(has("fd00::/9", "fd80::1"));
  EXPECT_TRUE(has("0.0.0.0/0", "1.2.3.4"));
  EXPECT_FALSE(has("0.0.0.0/0", "::1"));
  EXPECT_FALSE(has("::1", "localhost"));
  for (const char* bad : {"", "10.0.0", "10.0.0.0/33", "10.0.0.0/x", "::1/129", "host"}) {
    EXPECT_FALSE(Network::parse(bad)) << bad;
  }
}

}  // namespace
}  // namespace allot::test::sign_in_test
