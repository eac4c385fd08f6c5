// The page that workers see.
#include <gtest/gtest.h>

#include <algorithm>

#include "serve/campaign_fixture.hpp"
#include "serve/page.hpp"

namespace allot::test::workers_page_test {
namespace {

TEST(Pages, AreKeptChangedAndShownToWorkers) {
  TestApi api;
  const std::string path =
      api.campaign(1, R"(, "page": {"question": "Is it good?", "fields": {"text": "html"}})");
  const auto page = [&] { return api.get(path, api.requester).json().at("page"); };
  EXPECT_EQ(json::serialize(page()),
            R"({"question":"Is it good?","instructions":"","fields":{"text":"html"},"classes":[],)"
            R"("shuffle":false,"currency":null})");
  const ApiResponse changed = patch(api, path, R"({"page": {"instructions": "**Look**"}})");
  EXPECT_EQ(changed.status, 200) << changed.body;
  EXPECT_EQ(page().at("question").as_string(), "Is it good?") << "what is not named stays";
  const json::value me = api.get("/api/v1/me", api.worker(path, "ann")).json();
  EXPECT_EQ(me.at("campaign").at("page"), page());
  EXPECT_EQ(me.at("campaign").at("phase").as_string(), "running");
  EXPECT_EQ(me.at("campaign").at("earned").to_number<double>(), 0);
  api.reopen(TestApi::generous());
  EXPECT_EQ(page().at("instructions").as_string(), "**Look**");
  EXPECT_EQ(page().at("fields").at("text").as_string(), "html");
  const ApiResponse plain = api.get(api.campaign(), api.requester);
  EXPECT_EQ(json::serialize(plain.json().at("page")),
            R"({"question":"","instructions":"","fields":{},"classes":[],"shuffle":false,)"
            R"("currency":null})");
  for (const std::string& wrong :
       {std::string(R"({"page": 3})"), std::string(R"({"page": {"colour": "red"}})"),
        std::string(R"({"page": {"fields": {"text": "film"}}})"),
        std::string(R"({"page": {"fields": {"text": 1}}})")}) {
    EXPECT_EQ(patch(api, path, wrong).status, 400) << wrong;
  }
  const auto long_text = [](const char* member, std::size_t bytes) {
    return "{\"page\": {\"" + std::string(member) + "\": \"" + std::string(bytes, 'x') + "\"}}";
  };
  EXPECT_EQ(patch(api, path, long_text("question", 500)).status, 200);
  EXPECT_EQ(patch(api, path, long_text("question", 501)).status, 413);
  EXPECT_EQ(patch(api, path, long_text("instructions", 65536)).status, 200);
  EXPECT_EQ(patch(api, path, long_text("instructions", 65537)).status, 413);
}

TEST(Pages, HiddenFieldsReachNoWorker) {
  TestApi api;
  const std::string path = api.campaign(0, R"(, "page": {"fields": {"note": "hidden"}})");
  ASSERT_EQ(api.post(path + "/items", api.requester,
                     R"({"items": [{"id": "a", "fields": {"text": "T", "note": "secret"}}]})")
                .status,
            201);
  const std::string ann = api.worker(path, "ann");
  const ApiResponse asked = api.post(path + "/assignments", ann);
  EXPECT_EQ(json::serialize(asked.json().at("assignments").at(0).at("fields")), R"({"text":"T"})");
  EXPECT_EQ(api.get(path + "/assignments", ann).body.find("secret"), std::string::npos);
  EXPECT_NE(api.get(path + "/assignments?worker=ann", api.requester).body.find("secret"),
            std::string::npos);
  EXPECT_EQ(api.get("/api/v1/me", ann).body.find("note"), std::string::npos);
  EXPECT_EQ(serve::shown({}, R"({"a": 1})"), R"({"a": 1})");
  // A reviewer sees what workers see; the owner sees everything.
  api.post(path + "/labels", ann, R"({"item": "a", "label": "yes"})");
  const ApiResponse link = api.post(path + "/links", api.requester, R"({"reviewer": "eve"})");
  const ApiResponse queue = api.get(path + "/review", link.text("secret"));
  EXPECT_EQ(json::serialize(queue.json().at("items").at(0).at("fields")), R"({"text":"T"})");
  EXPECT_NE(api.get(path + "/review", api.requester).body.find("secret"), std::string::npos);
}

}  // namespace
}  // namespace allot::test::workers_page_test
