// Lists of items, and the history of one.
#include <gtest/gtest.h>

#include <algorithm>

#include "serve/campaign_fixture.hpp"

namespace allot::test::item_routes_test {
namespace {

class ItemList : public testing::Test {
 protected:
  ItemList() { label(api, path, 50); }

  /// All rows, page by page.
  std::vector<json::value> rows(const std::string& query) {
    std::vector<json::value> all;
    std::string cursor;
    do {
      const ApiResponse page =
          api.get(path + "/items?limit=7" + query + (cursor.empty() ? "" : "&cursor=" + cursor),
                  api.requester);
      EXPECT_EQ(page.status, 200) << page.body;
      if (page.status != 200) break;
      for (const json::value& one : page.json().at("items").as_array()) all.push_back(one);
      cursor = page.json().at("next").is_null() ? "" : page.text("next");
    } while (!cursor.empty());
    return all;
  }
  std::vector<std::string> ids(const std::string& query) {
    std::vector<std::string> all;
    for (const json::value& one : rows(query)) all.push_back(text_of(one.at("item")));
    return all;
  }

  TestApi api;
  const std::string path = measured(api, 30, R"(, "labels_per_item": 3)");
};

TEST_F(ItemList, HasEveryItemWithItsTextAndPosterior) {
  const auto plain = rows("");
  ASSERT_EQ(plain.size(), 30U);
  for (std::size_t n = 0; n < plain.size(); ++n) {
    const std::string number = std::to_string(n);
    EXPECT_EQ(plain[n].at("item").as_string(), "i" + number);
    EXPECT_EQ(plain[n].at("text").as_string(), "Text of " + number + " | " + number);
    const json::value why = api.get(path + "/explain?item=i" + number, api.requester).json();
    if (n < 2) continue;  // gold
    ASSERT_FALSE(plain[n].at("answer").is_null()) << "50 labels are enough for all items";
    EXPECT_EQ(plain[n].at("probability"),
              why.at("probabilities").at(text_of(plain[n].at("answer"))));
    EXPECT_EQ(plain[n].at("settled"), why.at("settled"));
  }
}

TEST_F(ItemList, IsSortedByCertaintyOrLabelsUpOrDown) {
  for (const std::string order : {"certainty", "labels"}) {
    const std::string key = order == "labels" ? "labels" : "probability";
    auto expected = rows("");
    std::ranges::stable_sort(expected, [&](const json::value& a, const json::value& b) {
      return number_of(a.at(key)) < number_of(b.at(key));
    });
    EXPECT_EQ(rows("&order=" + order), expected) << order;
    std::ranges::reverse(expected);
    EXPECT_EQ(rows("&order=" + order + "&direction=down"), expected) << order;
  }
}

TEST_F(ItemList, IsFilteredByState) {
  const auto plain = rows("");
  for (const std::string state : {"open", "asked", "settled", "gold"}) {
    std::vector<std::string> expected;
    for (const json::value& one : plain) {
      const std::string now = text_of(one.at("state"));
      if (now == state || (state == "open" && now == "asked")) {
        expected.push_back(text_of(one.at("item")));
      }
    }
    EXPECT_EQ(ids("&state=" + state), expected) << state;
  }
}

TEST_F(ItemList, IsSearchedByIdAndTextInAnyCase) {
  using Ids = std::vector<std::string>;
  EXPECT_EQ(ids("&search=text%20of"), Ids()) << "the test's service decodes nothing";
  EXPECT_EQ(ids("&search=of 12"), Ids{"i12"});
  EXPECT_EQ(ids("&search=I2"),
            (Ids{"i2", "i20", "i21", "i22", "i23", "i24", "i25", "i26", "i27", "i28", "i29"}));
  EXPECT_EQ(ids("&search=TEXT OF 3&order=labels"), Ids{"i3"});
}

TEST_F(ItemList, RefusesUnknownWordsAndCursors) {
  for (const char* wrong : {"order=colour", "state=red", "direction=left", "cursor=x", "cursor=1",
                            "cursor=,1", "cursor=a,1", "cursor=1,2,3"}) {
    EXPECT_EQ(api.get(path + "/items?" + wrong, api.requester).status, 400) << wrong;
  }
}

/// One item that was labelled, skipped, released, expired, revised and settled.
class ItemHistory : public testing::Test {
 protected:
  int work(const std::string& what, const char* worker, json::object members = {}) {
    api.now += 1'000'000;
    members["worker"] = worker;
    return api.post(path + what, api.requester, json::serialize(members)).status;
  }
  json::value item() {
    const json::value one = api.get(path + "/items/i0", api.requester).json();
    EXPECT_EQ(one, api.get(path + "/item?id=i0", api.requester).json());
    return one;
  }
  void live() {
    EXPECT_EQ(work("/assignments", "ann"), 200);
    EXPECT_EQ(work("/labels", "ann", {{"item", "i0"}, {"label", "yes"}}), 200);
    EXPECT_EQ(work("/assignments", "bob"), 200);
    EXPECT_EQ(work("/skip", "bob", {{"item", "i0"}}), 200);
    EXPECT_EQ(work("/assignments", "cid"), 200);
    EXPECT_EQ(work("/release", "cid", {{"item", "i0"}}), 200);
    EXPECT_EQ(work("/assignments", "dan"), 200);
    EXPECT_EQ(item().at("history").as_array().size(), 7U);
    api.now += 700'000'000;
    EXPECT_EQ(work("/labels", "ann", {{"item", "i0"}, {"label", "no"}, {"revise", true}}), 200);
    const std::string settle = R"({"item": "i0", "reason": "dull"})";
    EXPECT_EQ(api.post(path + "/settle", api.requester, settle).status, 200);
  }

  TestApi api;
  const std::string path = api.campaign(1, R"(, "lease": "10m")");
};

TEST_F(ItemHistory, TellsEverythingInOrder) {
  live();
  const json::value one = item();
  const json::array& rows = one.at("history").as_array();
  std::vector<std::string> what;
  for (const json::value& row : rows) what.push_back(text_of(row.at("what")));
  EXPECT_EQ(what,
            (std::vector<std::string>{"leased", "labelled", "leased", "skipped", "leased",
                                      "released", "leased", "expired", "revised", "settled"}));
  EXPECT_EQ(rows[1].at("label").as_string(), "yes");
  EXPECT_EQ(rows[8].at("label").as_string(), "no");
  EXPECT_EQ(rows[9].at("detail").as_string(), "dull");
  EXPECT_EQ(one.at("settled").as_string(), "dull");
  EXPECT_EQ(one.at("fields").at("text").as_string(), "text of i0");
}

TEST_F(ItemHistory, HasThePosteriorAfterEachLabel) {
  live();
  const json::value one = item();
  const json::array& rows = one.at("history").as_array();
  EXPECT_TRUE(rows[0].at("probabilities").is_null());
  EXPECT_GT(number_of(rows[1].at("probabilities").at("yes")), 0.5);
  EXPECT_NEAR(number_of(rows[8].at("probabilities").at("no")),
              number_of(one.at("probabilities").at("no")), 1e-9);
}

TEST_F(ItemHistory, HasTheEventsOfTheLedger) {
  live();
  const json::value events = api.get(path + "/events?limit=1000", api.requester).json();
  std::vector<std::int64_t> numbers, expected;
  const json::value shown = item();
  for (const json::value& row : shown.at("history").as_array()) {
    numbers.push_back(row.at("event").as_int64());
  }
  for (const json::value& event : events.at("events").as_array()) {
    if (!event.at("item").is_null()) expected.push_back(event.at("sequence").as_int64());
  }
  EXPECT_EQ(numbers, expected);
}

TEST_F(ItemHistory, OfAnyIdIsFoundAndOfNoneRefused) {
  EXPECT_EQ(api.get(path + "/items/none", api.requester).status, 404);
  EXPECT_EQ(api.get(path + "/item", api.requester).status, 400);
  EXPECT_EQ(api.post(path + "/items", api.requester, R"({"items": [{"id": "a/b c"}]})").status,
            201);
  EXPECT_EQ(api.get(path + "/item?id=a/b c", api.requester).json().at("item").as_string(), "a/b c");
}

}  // namespace
}  // namespace allot::test::item_routes_test
