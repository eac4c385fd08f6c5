// Forecasts: what a budget buys, before there is a campaign (the planner of `allot plan`).
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <functional>
#include <variant>

#include "allot/base/text.hpp"
#include "allot/io/distribution_text.hpp"
#include "allot/policy/bound.hpp"
#include "allot/policy/forecast.hpp"
#include "base/try.hpp"
#include "serve/call.hpp"
#include "serve/schema.hpp"

namespace allot::serve {
namespace {

using http::Response;

/// More takes too long and adds nothing.
constexpr double kMostLabelsPerItem = 100;
constexpr std::uint64_t kMostItems = 10'000'000;
constexpr std::size_t kMostBudgets = 50;
/// Standard deviations around the expected accuracy that hold nine campaigns in ten.
constexpr double kNineInTen = 1.6448536269514722;
/// Weight of the given reliability, as a number of labels.
constexpr double kSureOfWorkers = 40;

/// Workers cannot tell more classes apart either.
constexpr std::uint64_t kMostClasses = 20;

struct Question {
  std::uint64_t items = 0;
  std::uint64_t classes = 2;
  std::vector<Money> budgets;
  Money price = kUnitPrice;
  double most_an_item = kMostLabelsPerItem;
  model::Prior prior = model::Prior::uniform();
  /// For more than two classes.
  std::variant<model::DirichletPrior, policy::ClearItems> labels = policy::ClearItems();
};

/// Prior of items that clearly belong to one class, with workers of that reliability.
std::string prior_of_reliability(double reliability) {
  const double right = kSureOfWorkers * reliability, wrong = kSureOfWorkers - right;
  return fmt::format("mix:0.5*beta({:.6g},{:.6g})+0.5*beta({:.6g},{:.6g})", right, wrong, wrong,
                     right);
}

/// Reads the prior for two classes.
void read_two(Body& body, Question& question, std::optional<std::string> prior,
              std::optional<double> reliability) {
  if (reliability) prior = prior_of_reliability(*reliability);
  if (!prior) return;
  const auto read = io::parse_prior(*prior);
  if (read && read->is_proper()) {
    question.prior = *read;
  } else {
    body.refuse(fmt::format("unknown prior {}; expected uniform, beta:A,B or a mixture",
                            in_quotes(*prior)));
  }
}

void read_several(Body& body, Question& question, const std::optional<std::string>& prior,
                  std::optional<double> reliability) {
  const auto classes = static_cast<std::uint32_t>(std::min(question.classes, kMostClasses));
  if (reliability) {
    question.labels = policy::ClearItems{classes, *reliability};
    return;
  }
  const auto read = io::parse_dirichlet_prior(prior.value_or("uniform"), classes);
  if (read) {
    question.labels = *read;
  } else {
    body.refuse(fmt::format("prior: {}", read.error().message));
  }
}

Question read_question(Body& body) {
  Question question;
  question.items = body.whole("items", 0, 1, kMostItems);
  if (question.items == 0) body.refuse("items is missing; expected their number");
  question.classes = body.whole("classes", 2, 2, kMostClasses);
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
      body.whole("labels_per_item", static_cast<std::uint64_t>(kMostLabelsPerItem), 1, UINT32_MAX));
  question.most_an_item = std::min(question.most_an_item, kMostLabelsPerItem);
  const std::optional<std::string> prior = body.text_if("prior");
  const std::optional<std::string> workers = body.scalar_if("reliability");
  if (prior && workers) body.refuse("prior and reliability are both given; expected one of them");
  std::optional<double> reliability;
  if (workers) {
    reliability = parse_number(*workers);
    if (!reliability || !(*reliability >= 0.55 && *reliability <= 0.99)) {
      body.refuse(fmt::format("reliability {} is out of range; expected a share from 0.55 to 0.99",
                              in_quotes(*workers)));
    }
  }
  question.classes <= 2 ? read_two(body, question, prior, reliability)
                        : read_several(body, question, prior, reliability);
  return question;
}

using Duration = std::chrono::nanoseconds;

/// Processor time of this thread; other load on the machine does not count.
Duration processor_time() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + Duration(time.tv_nsec);
}

/// A value that grows with the number of labels, computed in limited processor time. It advances in
/// steps, and stops where answers are almost certain (more labels add next to nothing) or when its
/// time is used up.
class TimedCurve {
 public:
  using At = std::function<double(double labels)>;
  TimedCurve(const Question& question, Duration most_time, At at)
      : at_(std::move(at)), first_(static_cast<double>(question.items)), most_time_(most_time) {}

  /// The value at `labels`, or where the curve stopped. `labels` must not fall between calls.
  double operator()(double labels) {
    while (seen_ < labels && value_ < kAllButSure && used_ < most_time_) {
      const Duration begin = processor_time();
      seen_ = std::min(labels, std::max(first_, kStep * seen_));
      value_ = std::max(value_, at_(seen_));
      used_ += processor_time() - begin;
    }
    return value_;
  }
  /// True if the curve got that far.
  bool reaches(double labels) const { return seen_ >= labels; }

 private:
  static constexpr double kAllButSure = 0.998, kStep = 1.1;

  const At at_;
  const double first_;
  const Duration most_time_;
  Duration used_{};
  double seen_ = -1, value_ = 0;
};

double labels_of(const Question& question, Money budget) {
  return std::min(static_cast<double>(std::max(budget, Money()).pays(question.price)),
                  std::floor(question.most_an_item * static_cast<double>(question.items)));
}

std::string row_json(const Question& question, Money budget, double accuracy, double equal,
                     double bound) {
  const double spread =
      kNineInTen * std::sqrt(accuracy * (1 - accuracy) / static_cast<double>(question.items));
  return JsonObject()
      .money("budget", budget)
      .number("labels", labels_of(question, budget))
      .number("accuracy", accuracy)
      .number("low", std::max(0.0, accuracy - spread))
      .number("high", std::min(1.0, accuracy + spread))
      .number("equal", equal)
      .number("bound", bound);
}

std::string rows_of_two(const Question& question, Duration most_time) {
  const auto items = static_cast<double>(question.items);
  policy::Forecast opt_kg("opt-kg", question.prior, question.items);
  policy::Forecast least_labelled("least-labelled", question.prior, question.items);
  policy::BudgetCurve curve = policy::budget_curve(question.prior);
  TimedCurve adaptive(question, most_time, [&](double labels) { return opt_kg.accuracy(labels); });
  TimedCurve equal(question, most_time,
                   [&](double labels) { return least_labelled.accuracy(labels); });
  TimedCurve bound(question, most_time, [&](double labels) {
    return curve.accuracy_for_budget(labels / items).accuracy;
  });
  JsonList rows;
  for (const Money budget : question.budgets) {
    const double labels = labels_of(question, budget);
    const double even = equal(labels), most = bound(labels);
    const double asked = adaptive(labels);
    rows.json(row_json(question, budget, adaptive.reaches(labels) ? asked : std::max(asked, even),
                       even, bound.reaches(labels) ? most : 1));
  }
  return rows;
}

/// The only known bound is 1.
std::string rows_of_several(const Question& question) {
  std::vector<double> labels;
  for (const Money budget : question.budgets) labels.push_back(labels_of(question, budget));
  const auto forecast = policy::multiclass_forecast(question.labels, question.items, labels);
  JsonList rows;
  for (std::size_t n = 0; n < labels.size(); ++n) {
    rows.json(row_json(question, question.budgets[n], forecast[n].opt_kg, forecast[n].equal, 1));
  }
  return rows;
}

Result<void> forecast(const CallPtr& call) {
  Body body = Body::parse(call->request.body);
  Question question = read_question(body);
  TRY(body.done());
  std::ranges::sort(question.budgets);
  const Duration most_time = call->service.options().forecast_time;
  return call->work_slow([question, most_time]() -> Result<Response> {
    return json_response(JsonObject().json("rows", question.classes == 2
                                                       ? rows_of_two(question, most_time)
                                                       : rows_of_several(question)));
  });
}

}  // namespace

void add_forecast_routes(std::vector<Route>& routes) {
  using namespace schema;
  const std::string row =
      object({{"budget", money()},
              {"labels", number("Labels that the budget pays for")},
              {"accuracy", share("Expected with opt-kg; a lower estimate from 0.998 on or where "
                                 "the time runs out")},
              {"low", share()},
              {"high", share("Nine campaigns in ten lie between low and high")},
              {"equal", share("Expected with equally many labels per item")},
              {"bound", share("Upper bound for every policy; 1 for more than two classes, where "
                              "none is known")}});
  RouteGroup(routes, "/api/v1", Access::requester)
      .add(http::Method::post, "/forecast", "forecast", forecast,
           "Forecast the accuracy that a budget buys, before there is a campaign",
           object({{"rows", list(row)}}),
           {.request = object(
                {{"items", whole_from(1, kMostItems)},
                 maybe("classes", whole_from(2, kMostClasses, "Default: 2")),
                 maybe("budget", scalar()),
                 maybe("budgets", list(number(), "At most 50; rows are sorted by budget")),
                 maybe("price", scalar("Price of a label; default: 1")),
                 maybe("labels_per_item", whole_from(1, UINT32_MAX, "Most labels per item")),
                 maybe("prior", text("Distribution of the share of yes per item, or of each class; "
                                     "default: uniform")),
                 maybe("reliability", scalar("Instead of a prior: share of right labels, on items "
                                             "with a clear class"))})});
}

}  // namespace allot::serve
