#include "allot/policy/forecast.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "allot/base/check.hpp"
#include "policy/item_course.hpp"

namespace allot::policy {
namespace {

/// The most labels of one item, whatever the budget.
constexpr double kMostLabels = 1 << 14;
/// The most items whose sums are convolved: the loss of few items against many falls as 1 / items.
constexpr double kFewItems = 200;
/// The number of items from which that loss is below 1e-5.
constexpr double kManyItems = 20'000;
/// A sum is reused while its mean moves by this part of its spread.
constexpr double kDrift = 0.1;
constexpr int kMostPoints = 16;
/// The accuracy that may be missing.
constexpr double kAccuracy = 1e-5;
/// The part of the labels that may be missing.
constexpr double kRounding = 0.01;

/// Labels of an item that the budget pays, and their gain, with slopes in the budget.
struct Bought {
  double labels = 0, gain = 0, labels_slope = 0, gain_slope = 0;

  void add(const LabelBin& bin, const LabelSum::Chance& chance, double share) {
    labels += bin.labels * chance.value * share;
    gain += bin.gain * chance.value * share;
    labels_slope += bin.labels * chance.slope * share;
    gain_slope += bin.gain * chance.slope * share;
  }
};

/// Mean absolute deviation; tails are too heavy for squares.
double deviation(std::span<const LabelCount> item, double mean) {
  double sum = 0;
  for (const auto& [labels, chance] : item) sum += chance * std::abs(labels - mean);
  return sum;
}

/// Steps that are taken together, and the labels that others may have had on the way.
struct Stretch {
  std::size_t first, last;
  std::vector<LabelSum> sums;  // evenly on the way
};

}  // namespace

class Forecast::Course {
 public:
  Course(const model::Prior& prior, std::unique_ptr<LevelRule> rule, std::uint64_t items,
         double most_budget)
      : item_(prior, std::move(rule), static_cast<std::size_t>(std::min(most_budget, kMostLabels))),
        items_(static_cast<double>(items)),
        most_budget_(most_budget) {}

  double most_budget() const { return most_budget_; }

  /// The accuracy with infinitely many items.
  double with_many(double labels) {
    double accuracy = item_.accuracy_now();
    for (std::size_t k = 0; const CourseStep* step = item_.step(k); ++k) {
      if (step->labels_before >= labels) break;
      accuracy += step->gain * std::min(1.0, (labels - step->labels_before) / step->labels);
    }
    return accuracy;
  }

  double with_few(double budget) {
    const Bought bought = buy(budget);
    const double missing = budget / items_ - bought.labels;
    // Labels that rounding lost are missing at the last level; those beyond add next to nothing.
    const bool rounding = missing < kRounding * budget / items_ && bought.labels_slope > 0;
    return item_.accuracy_now() + bought.gain +
           (rounding ? missing * bought.gain_slope / bought.labels_slope : 0);
  }

 private:
  Bought buy(double budget) {
    const double width =
        std::exp2(std::max(0.0, std::ceil(std::log2(budget / double{LabelSum::kCells}))));
    std::vector<Stretch>& stretches = stretches_[width];
    Bought bought;
    for (std::size_t i = 0;; ++i) {
      if (i == stretches.size() && !add_stretch(stretches, width)) return bought;
      const auto& [first, last, sums] = stretches[i];
      for (std::size_t k = first; k <= last; ++k) {
        for (const LabelBin& bin : item_.step(k)->bins) {
          if (bin.had >= budget) break;
          for (const LabelSum& sum : sums) {
            bought.add(bin, sum.fewer_than(budget - bin.had - 0.5),
                       1 / static_cast<double>(sums.size()));
          }
        }
      }
      // No label is worth more than the level at which it is asked for.
      const double missing = budget / items_ - bought.labels;
      if (missing * item_.step(last)->level < kAccuracy) return bought;
    }
  }

  /// As many steps as one sum serves, or one that takes several.
  bool add_stretch(std::vector<Stretch>& stretches, double width) {
    const std::size_t first = stretches.empty() ? 0 : stretches.back().last + 1;
    const CourseStep* step = item_.step(first);
    if (!step) return false;
    const double before = step->labels_before;
    const double drift =
        kDrift * deviation(step->counts, step->labels_after) / std::sqrt(items_ - 1);
    std::size_t last = first;
    while (step->labels_after - before < drift) {
      const CourseStep* const next = item_.step(last + 1);
      if (!next || next->labels_after - before > drift) break;
      step = next;
      ++last;
    }
    const int points = static_cast<int>(
        std::clamp((step->labels_after - before) / (5 * drift), 1.0, double{kMostPoints}));
    Stretch stretch{first, last, {}};
    for (int i = 0; i < points; ++i) {
      stretch.sums.emplace_back(mixed(first, last, (i + 0.5) / points),
                                static_cast<std::uint64_t>(items_) - 1, width);
    }
    stretches.push_back(std::move(stretch));
    return true;
  }

  /// The labels of an item that has gone through the steps with chance `share`.
  std::vector<LabelCount> mixed(std::size_t first, std::size_t last, double share) {
    std::vector<LabelCount> result;
    if (first == 0) {
      result.push_back({0, 1 - share});
    } else {
      for (const auto& [labels, chance] : item_.step(first - 1)->counts) {
        result.push_back({labels, chance * (1 - share)});
      }
    }
    for (const auto& [labels, chance] : item_.step(last)->counts) {
      result.push_back({labels, chance * share});
    }
    return result;
  }

  ItemCourse item_;
  const double items_;
  const double most_budget_;
  std::map<double, std::vector<Stretch>> stretches_;  // by the width of cells
};

Forecast::Forecast(std::string_view policy, model::Prior prior, std::uint64_t items)
    : policy_(policy), prior_(std::move(prior)), items_(items) {
  require(items > 0, "Forecast", "items", 0, "expected at least 1");
  if (!prior_.is_proper()) throw std::invalid_argument("Forecast: the prior is improper");
  if (policy != "opt-kg" && policy != "label-price" && policy != "least-labelled") {
    throw std::invalid_argument("Forecast: policy '" + policy_ +
                                "' has no forecast; expected opt-kg, label-price or "
                                "least-labelled");
  }
}
Forecast::Forecast(Forecast&&) noexcept = default;
Forecast::~Forecast() = default;

Forecast::Course& Forecast::course(std::unique_ptr<Course>& kept, std::uint64_t items,
                                   double budget) {
  if (!kept || kept->most_budget() < budget) {
    auto rule = level_rule(is_equal() ? "least-labelled" : policy_, prior_);
    kept = std::make_unique<Course>(prior_, std::move(rule), items, 2 * budget);
  }
  return *kept;
}

/// A single item gets all labels.
bool Forecast::is_equal() const { return policy_ == "least-labelled" || items_ == 1; }

double Forecast::accuracy(double budget) {
  require(budget >= 0, "Forecast::accuracy", "budget", budget, "expected 0 or more");
  const auto items = static_cast<double>(items_);
  const double labels = budget / items;
  if (!is_equal() && items <= kFewItems) return course(few_, items_, budget).with_few(budget);
  const double many = course(many_, items_, std::max(kMostLabels, labels)).with_many(labels);
  if (is_equal() || items >= kManyItems) return many;
  const double few_budget = labels * kFewItems;
  const double loss =
      many - course(few_, static_cast<std::uint64_t>(kFewItems), few_budget).with_few(few_budget);
  return many - loss * kFewItems / items;
}

double Forecast::label_value(double budget) {
  const double step = std::max(1.0, budget / 50), low = std::max(0.0, budget - step);
  const double high = budget + step;
  return (accuracy(high) - accuracy(low)) * static_cast<double>(items_) / (high - low);
}

double Forecast::budget_for_accuracy(double target, double most) {
  require(target >= 0 && target <= 1, "Forecast::budget_for_accuracy", "accuracy", target,
          "expected 0 to 1");
  if (accuracy(0) >= target) return 0;
  double low = 0, high = std::min(most, static_cast<double>(items_));
  while (accuracy(high) < target) {
    if (high >= most) return std::numeric_limits<double>::infinity();
    low = high;
    high = std::min(most, 2 * high);
  }
  while (std::floor(high) > std::ceil(low) && high - low > 1) {
    const double middle = std::floor((low + high) / 2);
    (accuracy(middle) >= target ? high : low) = middle;
  }
  return high;
}

}  // namespace allot::policy
