// Charts of a campaign: map, open leases, labels per minute.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "serve/campaign_fixture.hpp"
#include "serve/open_campaign.hpp"

namespace allot::test::board_routes_test {
namespace {

TEST(Board, TheMapCountsEveryItemOnce) {
  TestApi api;
  const std::string path = measured(api, 40, R"(, "labels_per_item": 3)");
  label(api, path, 70);
  const json::value map = api.get(path + "/map", api.requester).json();
  const auto edges = [&](const char* name) {
    std::vector<double> all;
    for (const json::value& one : map.at(name).as_array()) all.push_back(number_of(one));
    return all;
  };
  const auto certainty = edges("certainty"), labels = edges("labels");
  EXPECT_TRUE(std::ranges::is_sorted(certainty));
  EXPECT_EQ(certainty.front(), 0.5);
  EXPECT_EQ(certainty.back(), 1);
  std::map<std::string, std::vector<std::vector<int>>> counts;
  for (const char* part : {"open", "settled"}) {
    counts[part].assign(certainty.size() - 1, std::vector<int>(labels.size() - 1));
  }
  const json::value items = api.get(path + "/items?limit=1000", api.requester).json();
  for (const json::value& one : items.at("items").as_array()) {
    if (one.at("state").as_string() == "gold") continue;
    // Without a label there is no answer, but a belief.
    const json::value alone =
        api.get(path + "/items/" + text_of(one.at("item")), api.requester).json();
    double p = 0;
    for (const auto& [name, share] : alone.at("probabilities").as_object()) {
      p = std::max(p, number_of(share));
    }
    const double n = number_of(one.at("labels"));
    std::size_t row = 0, column = 0;
    while (row + 2 < certainty.size() && p >= certainty[row + 1]) ++row;
    while (column + 2 < labels.size() && n >= labels[column + 1]) ++column;
    ++counts[one.at("state").as_string() == "settled" ? "settled" : "open"][row][column];
  }
  int settled = 0;
  for (const char* part : {"open", "settled"}) {
    const auto& rows = map.at(part).as_array();
    ASSERT_EQ(rows.size(), counts[part].size());
    for (std::size_t r = 0; r < rows.size(); ++r) {
      for (std::size_t c = 0; c + 1 < labels.size(); ++c) {
        EXPECT_EQ(rows[r].at(c).as_int64(), counts[part][r][c]) << part << r << " " << c;
        settled += part[0] == 's' ? counts[part][r][c] : 0;
      }
    }
  }
  EXPECT_GT(settled, 0);
  const std::string four =
      api.post("/api/v1/campaigns", api.requester,
               R"({"name": "x", "classes": ["a", "b", "c", "d"], "budget": 9})")
          .field("Location");
  EXPECT_EQ(number_of(api.get(four + "/map", api.requester).json().at("certainty").at(0)), 0.25);
}

TEST(Board, TellsWhoIsAskedWhatAndWhy) {
  TestApi api;
  const std::string path = measured(api, 10, R"(, "gold_rate": 0)");
  std::vector<std::string> given;
  for (const char* worker : {"ann", "bob", "cid"}) {
    api.now += 1'000'000;
    const ApiResponse asked = api.post(path + "/assignments", api.requester,
                                       "{\"worker\": \"" + std::string(worker) + "\"}");
    given.push_back(text_of(asked.json().at("assignments").at(0).at("item")));
  }
  const json::value all = api.get(path + "/asked", api.requester).json();
  const json::array& asked = all.at("asked").as_array();
  ASSERT_EQ(asked.size(), 3U);
  for (std::size_t n = 0; n < 3; ++n) {
    EXPECT_EQ(asked[n].at("item").as_string(), given[2 - n]) << "newest first";
    EXPECT_EQ(asked[n].at("why").at("reason").as_string(), "chosen");
    const json::value why = api.get(path + "/explain?item=" + given[2 - n] +
                                        "&worker=" + text_of(asked[n].at("worker")),
                                    api.requester)
                                .json();
    EXPECT_EQ(asked[n].at("why").at("value"), why.at("value"));
    EXPECT_EQ(asked[n].at("why").at("outlook"), why.at("outlook"));
    EXPECT_EQ(asked[n].at("probabilities"), why.at("probabilities"));
    EXPECT_EQ(asked[n].at("fields"), why.at("fields"));
  }
  EXPECT_EQ(api.get(path + "/asked?limit=1", api.requester).json().at("asked").as_array().size(),
            1U);
  EXPECT_EQ(api.get(path + "/asked?limit=0", api.requester).status, 400);
}

TEST(Board, LabelsAMinuteAreThoseOfTheEvents) {
  TestApi api;
  const std::string path = measured(api, 30);
  api.now = 1'800'000'000'000'000;
  label(api, path, 10);
  api.now += 3'000'000'000;
  const auto counted = [&] {
    const json::value rate = api.get(path + "/rate", api.requester).json();
    std::map<std::string, std::int64_t> told, expected;
    EXPECT_EQ(rate.at("minutes").as_array().size(), 60U);
    for (const json::value& one : rate.at("minutes").as_array()) {
      if (one.at("labels").as_int64() > 0)
        told[text_of(one.at("time"))] = one.at("labels").as_int64();
    }
    std::int64_t all = 0;
    const std::string first = text_of(rate.at("minutes").at(0).at("time"));
    const json::value events = api.get(path + "/events?limit=1000", api.requester).json();
    for (const json::value& one : events.at("events").as_array()) {
      if (one.at("event").as_string() != "answered") continue;
      const std::string minute = text_of(one.at("time")).substr(0, 16);
      if (minute >= first.substr(0, 16)) ++expected[minute + ":00Z"], ++all;
    }
    EXPECT_EQ(told, expected);
    return all;
  };
  EXPECT_EQ(counted(), 10);
  label(api, path, 15, 10);
  EXPECT_EQ(counted(), 25);
  api.now += 1'200'000'000;
  EXPECT_EQ(counted(), 15) << "the first ten are more than an hour ago";
  api.reopen(TestApi::generous());
  EXPECT_EQ(counted(), 15);
}

}  // namespace
}  // namespace allot::test::board_routes_test
