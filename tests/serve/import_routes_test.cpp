// Adding items, and uploads of files.
#include <gtest/gtest.h>

#include <set>

#include "serve/campaign_fixture.hpp"

namespace allot::test::import_routes_test {
namespace {

TEST(Items, AreAddedAllOrNone) {
  TestApi api;
  const std::string path = api.campaign(0);
  const auto add = [&](const std::string& items, const std::string& key = "") {
    return api.post(path + "/items", api.requester, "{\"items\": [" + items + "]}", key);
  };
  EXPECT_EQ(add(R"({"id": "a", "fields": {"text": "x", "n": [1, {}]}, "price": 2, "gold": "yes"},
                   {"id": "b"})")
                .json()
                .at("added")
                .as_int64(),
            2);
  EXPECT_EQ(add(R"({"id": "c"}, {"id": "a"})").code(), "conflict");
  EXPECT_EQ(add(R"({"id": ""})").status, 400);
  EXPECT_EQ(add(R"({"id": "d", "color": 1})").status, 400);
  EXPECT_EQ(add(R"({"id": "d", "gold": "maybe"})").status, 400);
  EXPECT_EQ(add(R"({"id": "d", "fields": "text"})").status, 400);
  EXPECT_EQ(add(R"({"id": "d", "features": [1]})").code(), "conflict");
  EXPECT_EQ(add("").status, 400);
  EXPECT_EQ(add("{\"id\": \"" + std::string(501, 'x') + "\"}").code(), "too_large");
  std::string many;
  for (int n = 0; n < 1001; ++n)
    many += (n ? "," : "") + ("{\"id\":\"m" + std::to_string(n)) + "\"}";
  EXPECT_EQ(add(many).code(), "too_large");
  EXPECT_EQ(add(R"({"id": "e"})", "k1").status, 201);
  const ApiResponse again = add(R"({"id": "e"})", "k1");
  EXPECT_EQ(again.status, 201);
  EXPECT_EQ(again.field("Idempotency-Replayed"), "true");
  EXPECT_EQ(add(R"({"id": "f"})", "k1").code(), "key_reused");
  EXPECT_EQ(add(R"({"id": "f"})", "two words").status, 400);
  const ApiResponse list = api.get(path + "/items?limit=2", api.requester);
  EXPECT_EQ(count_of(list, "items"), 2U);
  EXPECT_EQ(list.json().at("items").at(0).at("gold").as_string(), "yes");
  EXPECT_EQ(count_of(api.get(path + "/items?cursor=" + list.text("next"), api.requester), "items"),
            1U);
}

TEST(Items, AreUploadedInPieces) {
  TestApi api;
  const std::string path = api.campaign(0);
  const auto upload = [&](const std::string& text, const std::string& type = "text/csv",
                          const std::string& query = "", const std::string& key = "") {
    ApiRequest asked{.method = Method::post,
                     .path = path + "/items/upload" + query,
                     .token = api.requester,
                     .fields = {{"Content-Type", type}},
                     .upload = text};
    if (!key.empty()) asked.fields.emplace_back("Idempotency-Key", key);
    return api.ask(std::move(asked));
  };
  std::string csv = "id,text\n", lines;
  for (int n = 0; n < 2500; ++n) {
    csv += "c" + std::to_string(n) + ",\"a, b\"\n";
    lines += "{\"id\": \"j" + std::to_string(n) + "\", \"text\": \"x\"}\n";
  }
  EXPECT_EQ(upload(csv, "text/csv; charset=utf-8", "", "k").json().at("added").as_int64(), 2500);
  EXPECT_EQ(upload(csv, "text/csv", "", "k").json().at("added").as_int64(), 2500)
      << "once is twice";
  EXPECT_EQ(upload(csv).code(), "conflict");
  EXPECT_EQ(upload(csv, "text/csv", "?skip_known=true").json().at("known").as_int64(), 2500);
  EXPECT_EQ(upload(lines, "application/x-ndjson").json().at("added").as_int64(), 2500);
  EXPECT_EQ(upload("x").status, 400);
  EXPECT_EQ(upload("").status, 400);
  EXPECT_EQ(upload("id\na\n", "application/json").status, 415);
  EXPECT_EQ(upload("key\nk1\n", "text/csv", "?id=key").status, 201);
  const std::string half = "id\n" + [] {
    std::string rows;
    for (int n = 0; n < 1500; ++n) rows += "h" + std::to_string(n) + "\n";
    return rows;
  }() + "h3\n";
  const ApiResponse refused = upload(half);
  EXPECT_EQ(refused.code(), "conflict");
  EXPECT_NE(refused.text("detail").find("1000 items before it were added"), std::string::npos)
      << refused.body;
  EXPECT_EQ(api.get(path, api.requester).json().at("items").as_int64(), 6001);
}

TEST(Items, ThatAreRefusedInAnUploadAreNamedByTheirLine) {
  TestApi api;
  const std::string path = api.campaign(0);
  const auto refusal = [&](const std::string& text, const std::string& type = "text/csv",
                           const std::string& query = "") {
    const ApiResponse got = api.ask({.method = Method::post,
                                     .path = path + "/items/upload" + query,
                                     .token = api.requester,
                                     .fields = {{"Content-Type", type}},
                                     .upload = text});
    return got.status == 201 ? "" : got.text("detail");
  };
  const auto has = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  EXPECT_EQ(refusal("id,text\nold,\"two\nlines\"\nold2,x\n"), "");
  has(refusal("id,text\nnew,\"two\nlines\"\nold,x\n"),
      "line 4: item 'old' already exists; expected a new id");
  // Whole before it is in the same batch, in another one, or was skipped.
  has(refusal("{\"id\": \"a\"}\n\n{\"id\": \"b\"}\n{\"id\": \"a\"}\n", "application/x-ndjson"),
      "line 4: item 'a' ");
  std::string many = "id,text\n";
  for (int n = 0; n < 2200; ++n) {
    // Every seventh takes two lines; the first thousand are on disk before others are read.
    many += "m" + std::to_string(n) + (n % 7 == 0 ? ",\"a\nb\"\n" : ",c\n");
  }
  // m15 is behind 15 items and the second lines of three of them.
  const std::string last = std::to_string(2 + 2200 + 315);
  has(refusal(many + "m15,x\n"),
      "line " + last + ": item 'm15' already exists, from line 20 of this upload");
  std::string renamed = many;
  for (std::size_t at = 0; (at = renamed.find("\nm", at)) != std::string::npos; ++at)
    renamed[at + 1] = 'n';
  has(refusal(renamed + "m15,x\n"), "line " + last + ": item 'm15' already exists; expected");
  EXPECT_EQ(refusal("id\nold\nlate\nold2\nlate\n", "text/csv", "?skip_known=true"), "")
      << "twice in one upload is known, too";
  has(refusal("id,gold\nx,yes\ny,perhaps\n"), "line 3: item 'y'");
}

TEST(Items, OfAClassThatThereIsNotAreNamed) {
  TestApi api;
  const std::string path = api.campaign(0);
  for (const char* member : {"gold", "truth"}) {
    const ApiResponse refused =
        api.post(path + "/items", api.requester,
                 R"({"items": [{"id": "odd", ")" + std::string(member) + R"(": "maybe"}]})");
    EXPECT_EQ(refused.status, 400) << refused.body;
    EXPECT_NE(refused.body.find("odd"), std::string::npos) << refused.body;
  }
}

TEST(Items, AreUploadedWithTheirTruths) {
  TestApi api;
  const std::string path = api.campaign(0);
  ApiRequest upload{Method::post, path + "/items/upload?truth=is", api.requester, ""};
  upload.upload = "id,text,is\na,A,yes\nb,B,\nc,C,no\n";
  upload.fields.emplace_back("Content-Type", "text/csv");
  EXPECT_EQ(api.ask(std::move(upload)).status, 201);
  const json::value items = api.get(path + "/items", api.requester).json();
  EXPECT_EQ(items.at("items").at(0).at("truth").as_string(), "yes");
  EXPECT_TRUE(items.at("items").at(1).at("truth").is_null());
  const ApiResponse asked =
      api.post(path + "/assignments", api.worker(path, "ann"), R"({"count": 3})");
  EXPECT_EQ(json::serialize(asked.json().at("assignments").at(0).at("fields")).find("is"),
            std::string::npos);
}

}  // namespace
}  // namespace allot::test::import_routes_test
