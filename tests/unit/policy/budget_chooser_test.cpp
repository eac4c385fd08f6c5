// The policy budget-kg: cvar:0.5 while more than one label per item is left, then even-kg.
#include <gtest/gtest.h>

#include "allot/model/crowd.hpp"
#include "allot/policy/desk.hpp"
#include "allot/policy/registry.hpp"

namespace allot::policy::budget_chooser_test {
namespace {

using model::CrowdOptions;
using model::DirichletPrior;
using model::Refit;

constexpr std::uint32_t kItems = 40, kWorkers = 9;

Desk desk_of(const char* policy, const CrowdOptions& options) {
  return Desk(model::make_crowd(options, kItems, kWorkers),
              make_policy(policy, TieBreak::random).value(), Offers::everyone(kItems, kWorkers));
}

CrowdOptions three_classes() { return {.item_prior = DirichletPrior::symmetric(3)}; }

/// Plays budget-kg, cvar:0.5 and even-kg on the same labels. Each choice has the same random
/// numbers; the labels are those of the pairs that budget-kg chooses.
class Contest {
 public:
  explicit Contest(const CrowdOptions& options)
      : classes_(options.class_count()),
        budget_(desk_of("budget-kg", options)),
        early_(desk_of("cvar:0.5", options)),
        late_(desk_of("even-kg", options)) {}

  void tell(std::uint64_t labels_left) { budget_.set_labels_left(labels_left); }

  /// How often choices were those of the other policies, and how often the two differed.
  struct Same {
    int early = 0, late = 0, different = 0;
  };

  /// Asks for this many labels, of pairs or of workers who come in turn.
  Same ask(int labels, bool pairs = true) {
    Same same;
    for (int n = 0; n < labels; ++n, ++asked_) {
      const WorkerId worker{asked_ % kWorkers};
      const auto choice = [&](Desk& desk) {
        Rng rng(3, Rng::Purpose::tie, asked_);
        return pairs ? desk.choose(rng).value() : Pair{desk.choose(worker, rng).value(), worker};
      };
      const Pair chosen = choice(budget_), early = choice(early_), late = choice(late_);
      same.early += chosen == early;
      same.late += chosen == late;
      same.different += early != late;
      const ClassId label = label_of(chosen);
      for (Desk* const desk : {&budget_, &early_, &late_}) desk->record(chosen, label);
    }
    return same;
  }

 private:
  /// Labels of worker j are right with a chance of .4 + .06 j.
  ClassId label_of(const Pair& pair) {
    const std::uint32_t truth = position(pair.item) % classes_;
    const bool right = uniform(answers_) < 0.4 + 0.06 * position(pair.worker);
    return ClassId{right ? truth : static_cast<std::uint32_t>(below(answers_, classes_))};
  }

  const std::uint32_t classes_;
  Desk budget_, early_, late_;
  Rng answers_{7};
  std::uint32_t asked_ = 0;
};

class BudgetKg : public testing::TestWithParam<bool> {
 protected:
  static CrowdOptions refitted() { return GetParam() ? three_classes() : CrowdOptions(); }
};

TEST_P(BudgetKg, IsHopefulWhileMoreThanOneLabelPerItemIsLeft) {
  Contest contest(refitted());
  contest.tell(kItems + 1);
  const auto same = contest.ask(90);
  EXPECT_EQ(same.early, 90);
  EXPECT_GT(same.different, 10);
}

TEST_P(BudgetKg, IsEvenKgWithTheLastLabels) {
  Contest contest(refitted());
  contest.tell(kItems);
  const auto same = contest.ask(90);
  EXPECT_EQ(same.late, 90);
  EXPECT_GT(same.different, 10);
}

TEST_P(BudgetKg, IsEvenKgUntilTheBudgetIsTold) {
  Contest contest(refitted());
  EXPECT_EQ(contest.ask(60).late, 60);
}

TEST_P(BudgetKg, ChangesBackWhenTheBudgetGrows) {
  Contest contest(refitted());
  for (int turn = 0; turn < 3; ++turn) {
    contest.tell(3 * kItems);
    EXPECT_EQ(contest.ask(25).early, 25) << turn;
    contest.tell(kItems / 2);
    EXPECT_EQ(contest.ask(25).late, 25) << turn;
  }
}

TEST_P(BudgetKg, IsEvenKgForWorkersWhoCome) {
  Contest contest(refitted());
  contest.tell(10 * kItems);
  EXPECT_EQ(contest.ask(30, true).early, 30);
  EXPECT_EQ(contest.ask(27, false).late, 27);
  EXPECT_EQ(contest.ask(30, true).early, 30);
}

TEST_P(BudgetKg, IsEvenKgWhereItemsHaveSoftLabels) {
  CrowdOptions options = refitted();
  options.refit = Refit::off;
  Contest contest(options);
  contest.tell(10 * kItems);
  EXPECT_EQ(contest.ask(60).late, 60);
}

INSTANTIATE_TEST_SUITE_P(Classes, BudgetKg, testing::Bool(),
                         [](const auto& several) { return several.param ? "Three" : "Two"; });

}  // namespace
}  // namespace allot::policy::budget_chooser_test
