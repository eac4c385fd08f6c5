// Items that become known after their labels came, and open again: once all is refitted, beliefs
// are those of a crowd in which they were so from the start.
#include <gtest/gtest.h>

#include <stdexcept>

#include "allot/base/rng.hpp"
#include "allot/model/crowd.hpp"

namespace allot::model::crowd_review_test {
namespace {

constexpr std::uint32_t kItems = 60, kWorkers = 6;

struct Step {
  std::uint32_t item, worker, label;
};

std::vector<Step> some_steps(std::uint32_t classes) {
  Rng rng(5);
  std::vector<Step> steps;
  for (std::uint32_t i = 0; i < kItems; ++i) {
    for (std::uint32_t j = 0; j < kWorkers; ++j) {
      const bool right = uniform(rng) < 0.95 - 0.1 * j;
      const auto other = static_cast<std::uint32_t>(below(rng, classes - 1));
      steps.push_back({i, j, right ? i % classes : (i + 1 + other) % classes});
    }
  }
  for (std::size_t n = steps.size(); n > 1; --n) std::swap(steps[n - 1], steps[below(rng, n)]);
  return steps;
}

struct Kind {
  Refit refit;
  std::uint32_t classes;
  std::uint32_t late;  // background_refit_gap
  bool learn;
};

const std::vector<Kind> kKinds{{Refit::integrated, 2, 0, false}, {Refit::integrated, 2, 1, false},
                               {Refit::em, 2, 1, true},          {Refit::em, 3, 1, false},
                               {Refit::pooled, 3, 0, false},     {Refit::pooled, 3, 1, true},
                               {Refit::off, 2, 0, false},        {Refit::off, 3, 0, false}};

std::unique_ptr<Crowd> make(const Kind& kind) {
  CrowdOptions options{.refit = kind.refit};
  if (kind.classes > 2) options.item_prior = DirichletPrior::symmetric(kind.classes);
  options.refit_every = 8;
  options.background_refit_gap = kind.late;
  options.learn_workers = kind.learn;
  return make_crowd(options, kItems, kWorkers);
}

ClassId truth_of(std::uint32_t item, const Kind& kind) { return ClassId{item % kind.classes}; }

/// Labels of the item among the first `count` steps.
std::vector<KnownChange> labels_of(std::uint32_t item, std::span<const Step> steps,
                                   const Kind& kind, bool known) {
  std::vector<KnownChange> changes;
  for (const Step& step : steps) {
    if (step.item != item) continue;
    changes.push_back(
        {ItemId{item}, WorkerId{step.worker}, ClassId{step.label}, truth_of(item, kind), known});
  }
  return changes;
}

void take(Crowd& crowd, const Step& step, const Kind& kind, bool known) {
  if (known) {
    crowd.record_known(WorkerId{step.worker}, truth_of(step.item, kind), ClassId{step.label});
  } else {
    crowd.record(ItemId{step.item}, WorkerId{step.worker}, ClassId{step.label});
  }
}

bool is_reviewed(std::uint32_t item) { return item % 4 == 1; }

/// Records the steps and reviews items on the way: every fourth for good, every fifth for a while.
std::unique_ptr<Crowd> reviewed(const Kind& kind, const std::vector<Step>& steps,
                                bool background = false) {
  auto crowd = make(kind);
  if (crowd->refit_control()) crowd->refit_control()->refit_in_background(background);
  std::vector<bool> known(kItems);
  const auto review = [&](std::uint32_t item, std::size_t count, bool now_known) {
    const auto changes = labels_of(item, std::span(steps).first(count), kind, now_known);
    if (!changes.empty()) crowd->review(changes);
    known[item] = now_known;
  };
  for (std::size_t n = 0; n < steps.size(); ++n) {
    take(*crowd, steps[n], kind, known[steps[n].item]);
    const auto item = static_cast<std::uint32_t>(n / 5 % kItems);
    if (n % 5 != 4) continue;
    if (is_reviewed(item) != known[item]) review(item, n + 1, is_reviewed(item));
    if (item % 5 == 2 && !is_reviewed(item)) {
      review(item, n + 1, true);
      review(item, n + 1, false);
    }
  }
  return crowd;
}

std::string saved(const Crowd& crowd) {
  ByteWriter to;
  crowd.save(to);
  return std::move(to).take();
}

TEST(CrowdReview, EqualsACrowdThatAlwaysKnewTheItems) {
  for (const Kind& kind : kKinds) {
    // One pass depends on the order of labels, and an item that opens again changes it.
    if (kind.refit == Refit::off) continue;
    const auto steps = some_steps(kind.classes);
    const auto crowd = reviewed(kind, steps);
    const auto plain = make(kind);
    for (const Step& step : steps) take(*plain, step, kind, is_reviewed(step.item));
    const auto found = crowd->final_probabilities(), wanted = plain->final_probabilities();
    for (std::size_t n = 0; n < wanted.size(); ++n) {
      EXPECT_NEAR(found[n], wanted[n], 1e-9) << static_cast<int>(kind.refit) << " " << n;
    }
  }
}

TEST(CrowdReview, OfOnePassEqualsACrowdThatAlwaysKnewTheItems) {
  for (const std::uint32_t classes : {2U, 3U}) {
    const Kind kind{Refit::off, classes, 0, false};
    const auto steps = some_steps(classes);
    const auto crowd = make(kind), plain = make(kind);
    for (const Step& step : steps) take(*crowd, step, kind, false);
    EXPECT_TRUE(crowd->review(labels_of(7, steps, kind, true)));
    for (const Step& step : steps) take(*plain, step, kind, step.item == 7);
    EXPECT_EQ(crowd->final_probabilities(), plain->final_probabilities());
  }
}

TEST(CrowdReview, MovesOnlyItsItemAndWorkersWhereRefitsTakeEffectLate) {
  const Kind kind{Refit::integrated, 2, 1, false};
  const auto steps = some_steps(2);
  const auto crowd = make(kind);
  for (std::size_t n = 0; n < 42; ++n) take(*crowd, steps[n], kind, false);
  const std::uint32_t item = steps[0].item;
  const auto changes = labels_of(item, std::span(steps).first(42), kind, true);
  std::vector<double> before(kItems);
  for (std::uint32_t i = 0; i < kItems; ++i) before[i] = crowd->error(ItemId{i});
  EXPECT_FALSE(crowd->review(changes));
  for (std::uint32_t i = 0; i < kItems; ++i) {
    if (i == item) continue;
    EXPECT_EQ(crowd->error(ItemId{i}), before[i]) << i;
  }
  EXPECT_EQ(crowd->error(ItemId{item}), make(kind)->error(ItemId{item})) << "the prior";
  auto back = changes;
  for (KnownChange& one : back) one.known = false;
  EXPECT_TRUE(crowd->review(back)) << "all is refitted";
}

TEST(CrowdReview, InTheBackgroundOrLoadedIsTheSame) {
  for (const Kind& kind : kKinds) {
    const auto steps = some_steps(kind.classes);
    const auto plain = reviewed(kind, steps), ahead = reviewed(kind, steps, true);
    EXPECT_EQ(saved(*plain), saved(*ahead));
    const auto loaded = make(kind);
    const std::string bytes = saved(*plain);
    ByteReader from(bytes);
    loaded->load(from);
    ASSERT_TRUE(from.done());
    EXPECT_EQ(saved(*loaded), saved(*plain));
    EXPECT_EQ(loaded->final_probabilities(), plain->final_probabilities());
  }
}

TEST(CrowdReview, RefusesALabelThatIsNotThere) {
  for (const Kind& kind : kKinds) {
    for (const bool known : {false, true}) {
      const auto crowd = make(kind);
      const KnownChange change{ItemId{0}, WorkerId{0}, ClassId{1}, ClassId{1}, known};
      EXPECT_THROW(crowd->review(std::span(&change, 1)), std::invalid_argument);
    }
  }
}

}  // namespace
}  // namespace allot::model::crowd_review_test
