// Refits that take effect late, are made ahead or are left out: beliefs are those of plain ones.
#include <gtest/gtest.h>

#include "allot/base/rng.hpp"
#include "support/crowds.hpp"

namespace allot::model::late_refits_test {
namespace {

constexpr std::uint32_t kItems = 40, kWorkers = 6, kEvery = 8;

struct Step {
  std::uint32_t item, worker, label;
  bool known;
};

std::vector<Step> some_steps(std::uint64_t seed, std::uint32_t classes) {
  Rng rng(seed);
  std::vector<Step> steps;
  for (std::uint32_t i = 0; i < kItems; ++i) {
    for (std::uint32_t j = 0; j < kWorkers; ++j) {
      const std::uint32_t truth = i % classes;
      const bool right = uniform(rng) < 0.95 - 0.1 * j;
      const auto wrong =
          static_cast<std::uint32_t>((truth + 1 + below(rng, classes - 1)) % classes);
      steps.push_back({i, j, right ? truth : wrong, below(rng, 8) == 0});
    }
  }
  for (std::size_t n = steps.size(); n > 1; --n) std::swap(steps[n - 1], steps[below(rng, n)]);
  return steps;
}

std::unique_ptr<BinaryCrowd> make(Refit refit, bool learn, std::uint32_t every,
                                  std::uint32_t background_refit_gap, std::uint32_t workers) {
  CrowdOptions options;
  options.refit = refit;
  options.refit_every = every;
  options.learn_workers = learn;
  options.background_refit_gap = background_refit_gap;
  return test::binary_crowd(options, kItems, workers);
}
std::unique_ptr<MulticlassCrowd> make_classes(Refit refit, bool learn, std::uint32_t every,
                                              std::uint32_t background_refit_gap,
                                              std::uint32_t workers) {
  CrowdOptions options{.refit = refit};
  options.item_prior = DirichletPrior::symmetric(3);
  options.refit_every = every;
  options.learn_workers = learn;
  options.background_refit_gap = background_refit_gap;
  return test::multiclass_crowd(options, kItems, workers);
}

bool take(Crowd& crowd, const Step& step) {
  if (!step.known) {
    return crowd.record(ItemId{step.item}, WorkerId{step.worker}, ClassId{step.label});
  }
  crowd.record_known(WorkerId{step.worker}, ClassId{step.item % crowd.class_count()},
                     ClassId{step.label});
  return false;
}
void revise(Crowd& crowd, const Step& step) {
  crowd.revise(ItemId{step.item}, WorkerId{step.worker},
               ClassId{(step.label + 1) % crowd.class_count()});
}

std::string saved(const Crowd& crowd) {
  ByteWriter to;
  crowd.save(to);
  return std::move(to).take();
}
void load(Crowd& crowd, const std::string& bytes) {
  ByteReader from(bytes);
  crowd.load(from);
  ASSERT_TRUE(from.done());
}

void expect_same_beliefs(const BinaryCrowd& one, const BinaryCrowd& other) {
  for (std::uint32_t i = 0; i < kItems; ++i) ASSERT_EQ(one[ItemId{i}], other[ItemId{i}]) << i;
  for (std::uint32_t j = 0; j < one.worker_count(); ++j)
    ASSERT_EQ(one[WorkerId{j}], other[WorkerId{j}]) << j;
}
void expect_same_beliefs(const MulticlassCrowd& one, const MulticlassCrowd& other) {
  for (std::uint32_t i = 0; i < kItems; ++i)
    ASSERT_TRUE(std::ranges::equal(one[ItemId{i}], other[ItemId{i}])) << i;
  for (std::uint32_t j = 0; j < one.worker_count(); ++j)
    ASSERT_TRUE(std::ranges::equal(one[WorkerId{j}], other[WorkerId{j}])) << j;
}

/// A refit of the labels that came before it is due and nothing else, then the moves.
template <typename Make>
void check_what_takes_effect(Make make_one) {
  const auto steps = some_steps(1, 2);
  const auto late = make_one(kEvery, 1U);
  std::uint32_t labels = 0;
  int seen = 0;
  for (std::size_t n = 0; n < steps.size(); ++n) {
    const bool all = take(*late, steps[n]);
    if (!steps[n].known) ++labels;
    // Every 8 labels one is due and takes effect after 4 more: 12, 20, ...
    EXPECT_EQ(all, !steps[n].known && labels >= 12 && labels % 8 == 4) << labels;
    if (labels < 12) continue;
    const std::uint32_t due = (labels - 4) / 8 * 8;
    const auto plain = make_one(due, 0U);
    for (std::size_t m = 0; m <= n; ++m) take(*plain, steps[m]);
    if (labels < 2 * due) {
      expect_same_beliefs(*late, *plain);
      ++seen;
    }
  }
  EXPECT_GT(seen, 100);
}

template <typename Make>
void check_ahead_and_loaded(Make make_one) {
  for (const std::uint64_t seed : {2, 3}) {
    const auto steps = some_steps(seed, 2);
    const auto plain = make_one(kEvery, 1U), ahead = make_one(kEvery, 1U);
    ahead->refit_control()->refit_in_background(true);
    for (std::size_t n = 0; n < steps.size(); ++n) {
      EXPECT_EQ(take(*plain, steps[n]), take(*ahead, steps[n]));
      if (n % 50 == 30 && !steps[n].known) {
        revise(*plain, steps[n]);
        revise(*ahead, steps[n]);
      }
      ASSERT_EQ(saved(*plain), saved(*ahead)) << n;
      if (n % 7 == 3) {
        const auto loaded = make_one(kEvery, 1U);
        load(*loaded, saved(*plain));
        ASSERT_EQ(saved(*loaded), saved(*plain));
        for (std::size_t m = n + 1; m < std::min(n + 25, steps.size()); ++m)
          take(*loaded, steps[m]);
        const auto other = make_one(kEvery, 1U);
        load(*other, saved(*ahead));
        for (std::size_t m = n + 1; m < std::min(n + 25, steps.size()); ++m) take(*other, steps[m]);
        ASSERT_EQ(saved(*loaded), saved(*other));
      }
    }
    // Answers are of all labels, however late refits are.
    const auto prompt = make_one(kEvery, 0U);
    for (const Step& step : steps) take(*prompt, step);
    for (std::size_t n = 0; n < steps.size(); ++n) {
      if (n % 50 == 30 && !steps[n].known) revise(*prompt, steps[n]);
    }
    EXPECT_EQ(prompt->final_probabilities(), ahead->final_probabilities());
  }
}

/// make_one(every, background_refit_gap, workers); workers join when they first come.
template <typename Make>
void check_left_out(Make make_one) {
  Rng rng(4);
  for (const std::uint32_t background_refit_gap : {0U, 1U}) {
    for (int round = 0; round < 6; ++round) {
      const auto steps = some_steps(5 + static_cast<std::uint64_t>(round), 2);
      const auto plain = make_one(kEvery, background_refit_gap, 0U),
                 quick = make_one(kEvery, background_refit_gap, 0U);
      std::uint32_t workers = 0;
      for (std::size_t n = 0; n < steps.size();) {
        const std::size_t end = std::min(steps.size(), n + 1 + below(rng, 60));
        std::uint64_t labels = 0;
        for (std::size_t m = n; m < end; ++m) labels += !steps[m].known;
        quick->refit_control()->skip_refits_for(labels);
        for (; n < end; ++n) {
          workers = std::max(workers, steps[n].worker + 1);
          for (auto* one : {plain.get(), quick.get()}) {
            one->grow(kItems, workers);
            take(*one, steps[n]);
            if (n % 23 == 11 && !steps[n].known) revise(*one, steps[n]);
          }
        }
        ASSERT_EQ(saved(*plain), saved(*quick)) << n;
      }
      EXPECT_EQ(plain->final_probabilities(), quick->final_probabilities());
    }
  }
}

class LateRefits : public testing::TestWithParam<std::tuple<Refit, bool>> {
 protected:
  static auto maker() {
    const auto [refit, learn] = GetParam();
    return [refit = refit, learn = learn](std::uint32_t every, std::uint32_t background_refit_gap,
                                          std::uint32_t workers = kWorkers) {
      return make(refit, learn, every, background_refit_gap, workers);
    };
  }
};

TEST_P(LateRefits, TakeEffectHalfWayToTheNextAndAreOfWhatCameBefore) {
  check_what_takes_effect(maker());
}
TEST_P(LateRefits, AreTheSameMadeAheadAndFromASnapshot) { check_ahead_and_loaded(maker()); }
TEST_P(LateRefits, MayBeLeftOutWhereNobodyLooks) { check_left_out(maker()); }

INSTANTIATE_TEST_SUITE_P(All, LateRefits,
                         testing::Combine(testing::Values(Refit::em, Refit::integrated),
                                          testing::Bool()));

class LateMulticlassRefits : public testing::TestWithParam<std::tuple<Refit, bool>> {
 protected:
  static auto maker() {
    const auto [refit, learn] = GetParam();
    return [refit = refit, learn = learn](std::uint32_t every, std::uint32_t background_refit_gap,
                                          std::uint32_t workers = kWorkers) {
      return make_classes(refit, learn, every, background_refit_gap, workers);
    };
  }
};

TEST_P(LateMulticlassRefits, TakeEffectHalfWayToTheNextAndAreOfWhatCameBefore) {
  check_what_takes_effect(maker());
}
TEST_P(LateMulticlassRefits, AreTheSameMadeAheadAndFromASnapshot) {
  check_ahead_and_loaded(maker());
}
TEST_P(LateMulticlassRefits, MayBeLeftOutWhereNobodyLooks) { check_left_out(maker()); }

INSTANTIATE_TEST_SUITE_P(All, LateMulticlassRefits,
                         testing::Combine(testing::Values(Refit::em, Refit::pooled),
                                          testing::Bool()));

}  // namespace
}  // namespace allot::model::late_refits_test
