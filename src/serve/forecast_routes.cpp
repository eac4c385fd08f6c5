// What a budget will buy, before there is a campaign: the planner of `allot plan`.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>

#include "allot/base/text.hpp"
#include "allot/io/distribution_text.hpp"
#include "allot/policy/bound.hpp"
#include "allot/policy/forecast.hpp"
#include "serve/problem.hpp"
#include "serve/report.hpp"
#include "serve/schema.hpp"

namespace allot::serve {
namespace {

using http::Method;
using http::Response;

/// More takes too long, and adds nothing.
constexpr double kMostLabelsAnItem = 100;
constexpr std::uint64_t kMostItems = 10'000'000;
constexpr std::size_t kMostBudgets = 50;
/// How far, in standard deviations, the accuracy of one campaign lies from what is expected at
/// most, nine times in ten.
constexpr double kNineInTen = 1.6448536269514722;
/// As many labels say how often workers are right.
constexpr double kSureOfWorkers = 40;

struct Question {
  std::uint64_t items = 0;
  std::vector<Money> budgets;
  Money price = kUnitPrice;
  double most_an_item = kMostLabelsAnItem;
  model::Prior prior = model::Prior::uniform();
};

/// Of items that are of one class or the other, and workers who are right so often.
std::string prior_of_reliability(double reliability) {
  const double right = kSureOfWorkers * reliability, wrong = kSureOfWorkers - right;
  return fmt::format("mix:0.5*beta({:.6g},{:.6g})+0.5*beta({:.6g},{:.6g})", right, wrong, wrong,
                     right);
}

Question read_question(Body& body) {
  Question question;
  question.items = body.whole("items", 0, 1, kMostItems);
  if (question.items == 0) body.refuse("items is missing; expected their number");
  const std::uint64_t classes = body.whole("classes", 2, 2, 250);
  if (classes != 2) {
    body.refuse(fmt::format("classes is {}; expected 2, there is no forecast for more", classes));
  }
  if (const auto budget = body.money_if("budget")) question.budgets.push_back(*budget);
  for (const double budget : body.numbers("budgets", kMostBudgets)) {
    const auto money = parse_money(plain_number(budget));
    if (money) {
      question.budgets.push_back(*money);
    } else {
      body.refuse(fmt::format("budgets: {}", money.error().message));
    }
  }
  if (question.budgets.empty()) body.refuse("budget is missing; expected an amount, or budgets");
  question.price = body.money_if("price").value_or(kUnitPrice);
  if (question.price <= Money()) body.refuse("price is 0 or less; expected an amount above 0");
  question.most_an_item = static_cast<double>(
      body.whole("labels_an_item", static_cast<std::uint64_t>(kMostLabelsAnItem), 1, UINT32_MAX));
  question.most_an_item = std::min(question.most_an_item, kMostLabelsAnItem);
  std::optional<std::string> prior = body.text_if("prior");
  if (const auto workers = body.scalar_if("reliability")) {
    const double reliability = std::strtod(workers->c_str(), nullptr);
    if (!(reliability >= 0.55 && reliability <= 0.99)) {
      body.refuse(fmt::format("reliability {} is out of range; expected a share from 0.55 to 0.99",
                              in_quotes(*workers)));
    } else {
      prior = prior_of_reliability(reliability);
    }
  }
  if (prior) {
    const auto read = io::parse_prior(*prior);
    if (read && read->is_proper()) {
      question.prior = *read;
    } else {
      body.refuse(fmt::format("prior {} is not understood; expected uniform, beta:A,B or a mixture",
                              in_quotes(*prior)));
    }
  }
  return question;
}

/// A figure that grows with labels, in little time: where answers are all but sure, more labels
/// take long to look at and add next to nothing, so it goes on in steps, and stops there or when
/// its time is over.
class Quick {
 public:
  using At = std::function<double(double labels)>;
  Quick(const Question& question, At at)
      : at_(std::move(at)), first_(static_cast<double>(question.items)) {}

  /// With so many labels, or as many as it came to. Labels do not fall from one call to the next.
  double operator()(double labels) {
    while (seen_ < labels && value_ < kAllButSure && used_ < kMostTime) {
      const auto begin = Clock::now();
      seen_ = std::min(labels, std::max(first_, kStep * seen_));
      value_ = std::max(value_, at_(seen_));
      used_ += Clock::now() - begin;
    }
    return value_;
  }
  /// Whether it came so far.
  bool reaches(double labels) const { return seen_ >= labels; }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr double kAllButSure = 0.998, kStep = 1.1;
  static constexpr std::chrono::milliseconds kMostTime{1000};

  const At at_;
  const double first_;
  Clock::duration used_{};
  double seen_ = -1, value_ = 0;
};

Response answer(Question question) {
  const auto items = static_cast<double>(question.items);
  std::ranges::sort(question.budgets);
  policy::Forecast opt_kg("opt-kg", question.prior, question.items);
  policy::Forecast least_labelled("least-labelled", question.prior, question.items);
  policy::BudgetCurve curve = policy::budget_curve(question.prior);
  Quick adaptive(question, [&](double labels) { return opt_kg.accuracy(labels); });
  Quick equal(question, [&](double labels) { return least_labelled.accuracy(labels); });
  Quick bound(question,
              [&](double labels) { return curve.accuracy_for_budget(labels / items).accuracy; });
  JsonList rows;
  for (const Money budget : question.budgets) {
    const double paid = static_cast<double>(std::max(budget, Money()).pays(question.price));
    const double labels = std::min(paid, std::floor(question.most_an_item * items));
    const double even = equal(labels), most = bound(labels);
    const double asked = adaptive(labels);
    const double accuracy = adaptive.reaches(labels) ? asked : std::max(asked, even);
    const double spread = kNineInTen * std::sqrt(accuracy * (1 - accuracy) / items);
    rows.json(JsonObject()
                  .money("budget", budget)
                  .number("labels", labels)
                  .number("accuracy", accuracy)
                  .number("low", std::max(0.0, accuracy - spread))
                  .number("high", std::min(1.0, accuracy + spread))
                  .number("equal", even)
                  .number("bound", bound.reaches(labels) ? most : 1)
                  .end());
  }
  return json_response(JsonObject().json("rows", rows.end()).end());
}

void forecast(const CallPtr& call) {
  Body body = Body::parse(call->request.body);
  const Question question = read_question(body);
  if (const auto wrong = body.done()) return call->refuse(*wrong);
  call->work([question]() -> Result<Response> { return answer(question); });
}

}  // namespace

void add_forecast_routes(std::vector<Route>& routes) {
  using namespace schema;
  routes.push_back(
      {.method = Method::post,
       .pattern = "/api/v1/forecast",
       .access = Access::requester,
       .name = "forecast",
       .summary = "What accuracy a budget buys, before there is a campaign",
       .handle = forecast,
       .request = object(
           {{"items", whole()},
            maybe("classes", whole("2: there is no forecast for more")),
            maybe("budget", scalar()),
            maybe("budgets", list(number(), "At most 50; rows come in their order")),
            maybe("price", scalar("Of a label, 1 if not given")),
            maybe("labels_an_item", whole("At most")),
            maybe("prior", text("How often workers say yes of an item, uniform if not given")),
            maybe(
                "reliability",
                scalar(
                    "Instead: items are of one class or the other, and workers right so often"))}),
       .response = object(
           {{"rows", list(object({{"budget", money()},
                                  {"labels", number("That it pays for")},
                                  {"accuracy",
                                   share("Expected, asking where it helps most; from 0.998 on, or "
                                         "where it takes long, what fewer labels bring")},
                                  {"low", share()},
                                  {"high", share("Nine campaigns in ten lie between")},
                                  {"equal", share("Expected, with as many labels for every item")},
                                  {"bound", share("What no policy gets beyond")}}))}})});
}

}  // namespace allot::serve
