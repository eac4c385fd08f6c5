// Campaigns with items and labels for tests of routes.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "support/test_api.hpp"

namespace allot::test {

using http::Method;

inline std::string first_item(const ApiResponse& answered) {
  return std::string(answered.json().at("assignments").at(0).at("item").as_string());
}

inline std::size_t count_of(const ApiResponse& answered, const char* name) {
  return answered.json().at(name).as_array().size();
}

inline std::string text_of(const json::value& value) { return std::string(value.as_string()); }
inline double number_of(const json::value& value) { return value.to_number<double>(); }

/// A campaign with truths, except for every fifth item, and two gold items.
inline std::string measured(TestApi& api, int items, const std::string& more = "") {
  const std::string path = api.campaign(0, more);
  json::array list;
  for (int n = 0; n < items; ++n) {
    const std::string id = std::to_string(n);
    json::object item{{"id", "i" + id}, {"fields", {{"text", "Text of " + id}, {"n", n}}}};
    const char* const truth = n % 2 == 0 ? "yes" : "no";
    if (n < 2) {
      item["gold"] = truth;
    } else if (n % 5 != 4) {
      item["truth"] = truth;
    }
    list.push_back(item);
  }
  EXPECT_EQ(api.post(path + "/items", api.requester, body({{"items", list}})).status, 201);
  return path;
}

/// Labels by three workers: "good" is right nine times in ten, the others twice in three.
inline void label(TestApi& api, const std::string& path, int labels, int from = 0) {
  for (int n = from; n < from + labels; ++n) {
    const std::string worker = n % 3 == 0 ? "good" : n % 3 == 1 ? "fair" : "poor";
    const ApiResponse asked =
        api.post(path + "/assignments", api.requester, body({{"worker", worker}}));
    const auto& all = asked.json().at("assignments").as_array();
    if (all.empty()) return;
    const std::string item = text_of(all[0].at("item"));
    const bool wrong = worker == "good" ? n % 10 == 9 : n % 3 == n / 3 % 3;
    const bool yes = std::stoi(item.substr(1)) % 2 == (wrong ? 1 : 0);
    api.now += 1'000'000;
    EXPECT_EQ(api.post(path + "/labels", api.requester,
                       body({{"worker", worker}, {"item", item}, {"label", yes ? "yes" : "no"}}))
                  .status,
              200);
  }
}

inline bool is_true(const std::string& item, const json::value& answer) {
  return (std::stoi(item.substr(1)) % 2 == 0) == (answer.as_string() == "yes");
}
inline bool has_truth(const std::string& item) {
  const int number = std::stoi(item.substr(1));
  return number >= 2 && number % 5 != 4;
}

}  // namespace allot::test
