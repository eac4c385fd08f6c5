// Forecasts of what a budget buys.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "allot/policy/bound.hpp"
#include "allot/policy/forecast.hpp"
#include "serve/campaign_fixture.hpp"

namespace allot::test::forecast_routes_test {
namespace {

/// Where answers are all but sure a forecast stops early, and what it says is still in order.
TEST(Forecasts, OfManyLabelsAreInOrder) {
  TestApi api;
  const json::value got = api.post("/api/v1/forecast", api.requester,
                                   R"({"items": 54, "budgets": [1600, 54, 270, 1000],
                                        "reliability": 0.8})")
                              .json();
  double labels = 0, accuracy = 0, bound = 0;
  for (const json::value& row : got.at("rows").as_array()) {
    EXPECT_GT(number_of(row.at("labels")), labels);
    EXPECT_GE(number_of(row.at("accuracy")), accuracy);
    EXPECT_GE(number_of(row.at("accuracy")), number_of(row.at("equal")) - 1e-9);
    EXPECT_LE(number_of(row.at("accuracy")), number_of(row.at("bound")) + 1e-9);
    EXPECT_GE(number_of(row.at("bound")), bound);
    labels = number_of(row.at("labels"));
    accuracy = number_of(row.at("accuracy"));
    bound = number_of(row.at("bound"));
  }
  EXPECT_EQ(labels, 1600);
  EXPECT_GT(accuracy, 0.98);
}

TEST(Forecasts, AreThoseOfThePlanner) {
  TestApi api;
  const auto ask = [&](const std::string& body) {
    return api.post("/api/v1/forecast", api.requester, body);
  };
  const json::value got =
      ask(R"({"items": 200, "budgets": [10, 50, 5000], "price": 0.05, "labels_per_item": 20})")
          .json();
  policy::Forecast adaptive("opt-kg", model::Prior::uniform(), 200);
  policy::Forecast equal("least-labelled", model::Prior::uniform(), 200);
  policy::BudgetCurve bound = policy::budget_curve(model::Prior::uniform());
  const std::vector<double> labels{200, 1000, 4000};
  ASSERT_EQ(got.at("rows").as_array().size(), 3U);
  for (std::size_t n = 0; n < 3; ++n) {
    const json::value& row = got.at("rows").at(n);
    EXPECT_EQ(number_of(row.at("labels")), labels[n]);
    EXPECT_DOUBLE_EQ(number_of(row.at("accuracy")), adaptive.accuracy(labels[n]));
    EXPECT_DOUBLE_EQ(number_of(row.at("equal")), equal.accuracy(labels[n]));
    EXPECT_DOUBLE_EQ(number_of(row.at("bound")),
                     bound.accuracy_for_budget(labels[n] / 200).accuracy);
    EXPECT_LT(number_of(row.at("low")), number_of(row.at("accuracy")));
    EXPECT_GT(number_of(row.at("high")), number_of(row.at("accuracy")));
    EXPECT_LE(number_of(row.at("equal")), number_of(row.at("accuracy")));
  }
  const json::value coins = ask(R"({"items": 1000, "budget": 5000, "reliability": 0.8})").json();
  // Five votes of workers who are right four times in five, as a sum over what they may say.
  const double majority = 0.32768 + 5 * 0.4096 * 0.2 + 10 * 0.512 * 0.04;
  EXPECT_NEAR(number_of(coins.at("rows").at(0).at("equal")), majority, 0.02);
  for (const char* wrong :
       {"{}", R"({"items": 5})", R"({"items": 0, "budget": 1})", R"({"items": 5, "budget": "x"})",
        R"({"items": 5, "budget": 5, "classes": 1})", R"({"items": 5, "budget": 5, "price": 0})",
        R"({"items": 5, "budget": 5, "classes": 3, "prior": "beta:1,1"})",
        R"({"items": 5, "budget": 5, "classes": 3, "reliability": 0.2})",
        R"({"items": 5, "budget": 5, "reliability": 0.2})",
        R"({"items": 5, "budget": 5, "prior": "odd"})"}) {
    EXPECT_EQ(ask(wrong).status, 400) << wrong;
  }
  EXPECT_EQ(ask(R"({"items": 5, "budget": 5, "classes": 21})").code(), "too_large");
}

TEST(Forecasts, OfSeveralClassesAreThoseOfTheModel) {
  TestApi api;
  const auto rows = [&](const std::string& more) {
    return api
        .post(
            "/api/v1/forecast", api.requester,
            R"({"items": 20000, "budgets": [5000, 1000], "price": 0.05, "classes": 4)" + more + "}")
        .json()
        .at("rows");
  };
  const std::vector<double> labels{20'000, 100'000};
  const auto expect = [&](const json::value& got, const auto& model) {
    const auto expected = policy::multiclass_forecast(model, 20'000, labels);
    ASSERT_EQ(got.as_array().size(), 2U);
    for (std::size_t n = 0; n < 2; ++n) {
      const json::value& row = got.at(n);
      EXPECT_EQ(number_of(row.at("labels")), labels[n]);
      EXPECT_DOUBLE_EQ(number_of(row.at("accuracy")), expected[n].opt_kg);
      EXPECT_DOUBLE_EQ(number_of(row.at("equal")), expected[n].equal);
      EXPECT_LT(number_of(row.at("low")), number_of(row.at("accuracy")));
      EXPECT_GT(number_of(row.at("high")), number_of(row.at("accuracy")));
      EXPECT_EQ(number_of(row.at("bound")), 1);
    }
  };
  expect(rows(R"(, "reliability": 0.7)"), policy::ClearItems{4, 0.7});
  expect(rows(""), model::DirichletPrior::symmetric(4));
  expect(rows(R"(, "prior": "dirichlet:2,1,1,1")"), model::DirichletPrior::dirichlet({2, 1, 1, 1}));
}

}  // namespace
}  // namespace allot::test::forecast_routes_test
