#include "allot/aggregate/group_errors.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "allot/aggregate/pooled.hpp"
#include "allot/base/rng.hpp"

namespace allot::aggregate::group_errors_test {
namespace {

/// Workers of a panel: the first `judges` repeat a shared view with chance `repeats`, else they
/// speak for themselves, as the others do.
struct Panel {
  std::uint32_t items = 1000, classes = 2, judges = 9, people = 5;
  double view = 0.75, repeats = 0.68, own = 0.75, right = 0.8, kept = 1;
};

struct Labelled {
  model::LabelSet set;
  std::vector<std::optional<ClassId>> truth;
};

Labelled draw_labels(const Panel& panel, std::uint64_t seed) {
  Rng rng(seed);
  const auto noisy = [&](std::uint32_t truth, double right) {
    if (uniform(rng) < right) return truth;
    return (truth + 1 + static_cast<std::uint32_t>(below(rng, panel.classes - 1))) % panel.classes;
  };
  Labelled result{{panel.items, panel.judges + panel.people, panel.classes, {}}, {}};
  for (std::uint32_t i = 0; i < panel.items; ++i) {
    const auto truth = static_cast<std::uint32_t>(below(rng, panel.classes));
    const std::uint32_t view = noisy(truth, panel.view);
    result.truth.emplace_back(ClassId{truth});
    for (std::uint32_t j = 0; j < result.set.worker_count; ++j) {
      const bool judge = j < panel.judges, repeats = judge && uniform(rng) < panel.repeats;
      const std::uint32_t label = repeats ? view : noisy(truth, judge ? panel.own : panel.right);
      if (uniform(rng) >= panel.kept) continue;
      result.set.labels.push_back({ItemId{i}, WorkerId{j}, ClassId{label}});
    }
  }
  return result;
}

PooledOptions declared(const Panel& panel) {
  PooledOptions options;
  options.groups.assign(panel.judges, 1);
  return options;
}

/// The mean correlation of errors of two judges, from the truth.
double true_correlation(const Panel& panel, const Labelled& labelled) {
  std::vector<std::vector<double>> wrong(panel.judges);
  for (const auto& [item, worker, label] : labelled.set.labels) {
    if (position(worker) < panel.judges)
      wrong[position(worker)].push_back(label == labelled.truth[position(item)] ? 0 : 1);
  }
  double sum = 0;
  for (std::size_t j = 0; j < wrong.size(); ++j) {
    for (std::size_t k = 0; k < j; ++k) {
      double a = 0, b = 0, both = 0;
      for (std::size_t i = 0; i < panel.items; ++i) {
        a += wrong[j][i] / panel.items;
        b += wrong[k][i] / panel.items;
        both += wrong[j][i] * wrong[k][i] / panel.items;
      }
      sum += (both - a * b) / std::sqrt(a * (1 - a) * b * (1 - b));
    }
  }
  return sum / (panel.judges * (panel.judges - 1) / 2.0);
}

/// Nine judges worth two votes, and five people. Ten panels: the mean of (stated - right) has a
/// standard error of about .002.
TEST(PooledGroups, StateTheAccuracyOfJudgesWhoErrTogether) {
  const Panel panel;
  double gap = 0, independent_gap = 0, gain = 0, found = 0, actual = 0;
  constexpr int kPanels = 10;
  for (int seed = 1; seed <= kPanels; ++seed) {
    const Labelled labelled = draw_labels(panel, static_cast<std::uint64_t>(seed));
    const auto together = pooled(labelled.set, declared(panel)).value();
    const auto alone = pooled(labelled.set).value();
    const double right = *accuracy(together.answers.answers, labelled.truth);
    const double right_alone = *accuracy(alone.answers.answers, labelled.truth);
    gap += (*expected_accuracy(together.answers) - right) / kPanels;
    independent_gap += (*expected_accuracy(alone.answers) - right_alone) / kPanels;
    gain += (right - right_alone) / kPanels;
    found += *together.groups.front().correlation / kPanels;
    actual += true_correlation(panel, labelled) / kPanels;
  }
  EXPECT_LT(std::abs(gap), 0.02);
  EXPECT_GT(independent_gap, 0.08);
  EXPECT_GT(gain, 0.05);
  EXPECT_NEAR(found, actual, 0.03);
}

TEST(PooledGroups, AnswerNoWorseThanPeopleAloneOrTheBestJudge) {
  const Panel panel;
  double gain = 0, over_judge = 0;
  constexpr int kPanels = 10;
  for (int seed = 11; seed < 11 + kPanels; ++seed) {
    const Labelled labelled = draw_labels(panel, static_cast<std::uint64_t>(seed));
    Labelled people = labelled;
    std::erase_if(people.set.labels,
                  [&](const auto& given) { return position(given.worker) < panel.judges; });
    const auto together = pooled(labelled.set, declared(panel)).value();
    const double right = *accuracy(together.answers.answers, labelled.truth);
    gain += right - *accuracy(pooled(people.set).value().answers.answers, people.truth);
    std::vector<double> judged(panel.judges);
    for (const auto& [item, worker, label] : labelled.set.labels) {
      if (position(worker) < panel.judges)
        judged[position(worker)] += label == labelled.truth[position(item)] ? 1 : 0;
    }
    over_judge += right - *std::ranges::max_element(judged) / panel.items;
  }
  EXPECT_GT(gain / kPanels, 0);
  EXPECT_GT(over_judge / kPanels, 0);
}

/// 20 panels without any shared view; standard error of the difference about .001.
TEST(PooledGroups, CostLittleWhereNobodyErrsTogether) {
  struct Case {
    std::uint32_t classes;
    double kept;
  };
  for (const auto& [classes, kept] : {Case{2, 1}, Case{2, 0.3}, Case{4, 1}, Case{4, 0.3}}) {
    const Panel panel{.classes = classes, .repeats = 0, .kept = kept};
    double loss = 0;
    constexpr int kPanels = 20;
    for (int seed = 31; seed < 31 + kPanels; ++seed) {
      const Labelled labelled = draw_labels(panel, static_cast<std::uint64_t>(seed));
      const auto together = pooled(labelled.set, declared(panel)).value();
      loss += (*accuracy(pooled(labelled.set).value().answers.answers, labelled.truth) -
               *accuracy(together.answers.answers, labelled.truth)) /
              kPanels;
    }
    EXPECT_LT(loss, 0.003) << classes << " classes, " << kept;
  }
}

TEST(PooledGroups, OfWorkersAloneChangeNothing) {
  const Labelled labelled = draw_labels({.items = 60}, 5);
  PooledOptions nobody;
  nobody.groups.assign(labelled.set.worker_count, 0);
  EXPECT_EQ(pooled(labelled.set).value().answers.probabilities,
            pooled(labelled.set, nobody).value().answers.probabilities);
}

/// By hand: answers are certain, two members err on the same two of eight items, one of them on a
/// third.
TEST(GroupErrors, AreTheCorrelationOfErrors) {
  model::LabelSet set{8, 3, 2, {}};
  ClassAnswers answers{2, {}, {}};
  for (std::uint32_t i = 0; i < 8; ++i) {
    set.labels.push_back({ItemId{i}, WorkerId{0}, ClassId{i < 2 ? 1U : 0U}});
    set.labels.push_back({ItemId{i}, WorkerId{1}, ClassId{i < 3 ? 1U : 0U}});
    if (i < 5) set.labels.push_back({ItemId{i}, WorkerId{2}, ClassId{0}});
    answers.answers.push_back(ClassId{0});
    answers.probabilities.insert(answers.probabilities.end(), {1, 0});
  }
  const std::vector<std::uint32_t> groups{1, 1, 0};
  const auto errors = group_errors(set, groups, answers);
  ASSERT_EQ(errors.size(), 1U);
  const double a = 2.0 / 8, b = 3.0 / 8, both = 2.0 / 8;
  const double phi = (both - a * b) / std::sqrt(a * (1 - a) * b * (1 - b));
  EXPECT_NEAR(*errors[0].correlation, phi, 1e-12);
  EXPECT_NEAR(*errors[0].effective_votes, 2 / (1 + phi), 1e-12);
  EXPECT_EQ(errors[0].members, 2U);
  EXPECT_EQ(errors[0].items, 8U);
  EXPECT_EQ(errors[0].outside, 5U);
}

TEST(GroupErrors, NeedErrorsToBeSeen) {
  const Panel panel{.items = 200, .judges = 3, .people = 3, .view = 1, .own = 1, .right = 1};
  const Labelled labelled = draw_labels(panel, 3);
  const PooledOptions options = declared(panel);
  const auto fitted = pooled(labelled.set, options);
  ASSERT_TRUE(fitted);
  const auto errors = group_errors(labelled.set, options.groups, fitted->answers);
  EXPECT_FALSE(errors.at(0).correlation) << "they never erred, so nothing is known about it";
  EXPECT_FALSE(errors.at(0).effective_votes);
  EXPECT_EQ(errors.at(0).outside, 200U);
}

TEST(GroupErrors, NeedSomebodyOutsideToBeSeen) {
  const Panel panel{.items = 400, .judges = 4, .people = 0, .repeats = 0.6};
  const Labelled labelled = draw_labels(panel, 3);
  const PooledOptions options = declared(panel);
  const auto answers = pooled(labelled.set, options)->answers;
  EXPECT_FALSE(group_errors(labelled.set, options.groups, answers).at(0).correlation);
  std::vector<bool> known(panel.items);
  known[0] = true;
  EXPECT_TRUE(group_errors(labelled.set, options.groups, answers, known).at(0).correlation);
}

/// Coverage with the truth known: 200 panels, 95 % wanted, at least 90 %.
TEST(GroupErrors, IntervalsHoldTheCorrelation) {
  const Panel panel{.items = 400, .judges = 4, .people = 0, .repeats = 0.6};
  double mean = 0;
  std::vector<Interval> intervals;
  for (int seed = 1; seed <= 200; ++seed) {
    const Labelled labelled = draw_labels(panel, static_cast<std::uint64_t>(seed));
    ClassAnswers certain{2, {}, {}};
    for (const auto& truth : labelled.truth) {
      certain.answers.push_back(*truth);
      for (std::uint32_t k = 0; k < 2; ++k)
        certain.probabilities.push_back(position(*truth) == k ? 1 : 0);
    }
    const std::vector<std::uint32_t> groups(panel.judges, 1);
    const std::vector<bool> known(panel.items, true);
    const auto errors = group_errors(labelled.set, groups, certain, known).front();
    mean += *errors.correlation / 200;
    intervals.push_back(*errors.bounds);
  }
  const auto held = std::ranges::count_if(
      intervals, [&](const Interval& one) { return one.low <= mean && mean <= one.high; });
  EXPECT_GE(held, 180);
}

}  // namespace
}  // namespace allot::aggregate::group_errors_test
