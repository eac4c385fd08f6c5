// Tokens: created, listed, revoked.
#include <gtest/gtest.h>

#include <set>

#include "serve/campaign_fixture.hpp"

namespace allot::test::token_routes_test {
namespace {

using serve::Role;

TEST(Tokens, LearnThePublicAddressOfTheServer) {
  TestApi alone;
  EXPECT_TRUE(alone.get("/api/v1/me", alone.requester).json().at("public_url").is_null());
  EXPECT_NE(alone.get("/api/v1/me", alone.requester).text("data_folder"), "");
  const std::string ann = alone.worker(alone.campaign(1), "ann");
  EXPECT_TRUE(alone.get("/api/v1/me", ann).json().at("data_folder").is_null());
  serve::ServiceOptions options = TestApi::generous();
  options.sign_in.public_url = "https://labels.example.org";
  TestApi named(options);
  EXPECT_EQ(named.get("/api/v1/me", named.requester).text("public_url"),
            "https://labels.example.org");
}

TEST(Tokens, AreMadeListedAndRevoked) {
  TestApi api;
  const std::string path = api.campaign(), id = path.substr(path.rfind('/') + 1);
  const ApiResponse link = api.post(path + "/links", api.requester, R"({"worker": "ann"})");
  ASSERT_EQ(link.status, 201);
  const std::string secret = link.text("secret");
  EXPECT_EQ(link.text("link"), "/label/" + id + "#" + secret);
  EXPECT_EQ(api.post(path + "/assignments", secret).status, 200);
  const std::string token(link.json().at("token").at("id").as_string());
  EXPECT_EQ(api.post("/api/v1/tokens", api.requester,
                     R"({"role": "worker", "worker": "bob", "campaign": ")" + id + "\"}")
                .status,
            201);
  EXPECT_EQ(api.post("/api/v1/tokens", api.requester, R"({"role": "admin"})").code(), "wrong_role");
  EXPECT_EQ(api.post("/api/v1/tokens", api.admin, R"({"role": "requester", "label": "b"})").status,
            201);
  for (const char* wrong :
       {R"({"role": "king"})", R"({})", R"({"role": "worker"})", R"({"role": 1})",
        R"({"role": "admin", "worker": "x", "campaign": "y"})", R"({"role": "admin", "age": 3})"}) {
    EXPECT_EQ(api.post("/api/v1/tokens", api.admin, wrong).status, 400) << wrong;
  }
  EXPECT_EQ(count_of(api.get("/api/v1/tokens", api.requester), "tokens"), 3U);
  const ApiResponse all = api.get("/api/v1/tokens?limit=2", api.admin);
  EXPECT_EQ(count_of(all, "tokens"), 2U);
  const ApiResponse rest = api.get("/api/v1/tokens?cursor=" + all.text("next"), api.admin);
  EXPECT_EQ(count_of(rest, "tokens"), 3U);
  EXPECT_EQ(all.body.find(secret), std::string::npos);
  const auto revoke = [&](const std::string& which, const std::string& by) {
    return api.ask({.method = Method::del, .path = "/api/v1/tokens/" + which, .token = by}).status;
  };
  EXPECT_EQ(revoke(token, api.issue({.role = Role::requester})), 404);
  EXPECT_EQ(revoke(token, api.requester), 204);
  EXPECT_EQ(api.post(path + "/assignments", secret).status, 401);
  EXPECT_EQ(revoke("nobody", api.admin), 404);
}

}  // namespace
}  // namespace allot::test::token_routes_test
