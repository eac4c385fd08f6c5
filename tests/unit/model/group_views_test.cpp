#include "allot/model/group_views.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "allot/base/rng.hpp"
#include "allot/model/multiclass_crowd.hpp"

namespace allot::model::group_views_test {
namespace {

constexpr std::size_t kClasses = 3;
using Table = std::vector<double>;

Table random_table(Rng& rng, std::size_t classes = kClasses) {
  Table table(classes * classes);
  for (std::size_t k = 0; k < classes; ++k) {
    double sum = 0;
    for (std::size_t y = 0; y < classes; ++y) {
      sum += table[k * classes + y] = uniform(rng) + (k == y ? 1 : 0);
    }
    for (std::size_t y = 0; y < classes; ++y) table[k * classes + y] /= sum;
  }
  return table;
}

/// Pr(labels | class) as a sum over all views.
double exact(const Table& view, const std::vector<Table>& own, const std::vector<double>& repeats,
             const std::vector<std::uint32_t>& labels, std::size_t truth) {
  double sum = 0;
  for (std::uint32_t s = 0; s < kClasses; ++s) {
    double product = view[truth * kClasses + s];
    for (std::size_t j = 0; j < labels.size(); ++j) {
      product *= (labels[j] == s ? repeats[j] : 0) +
                 (1 - repeats[j]) * own[j][truth * kClasses + labels[j]];
    }
    sum += product;
  }
  return sum;
}

TEST(GroupViews, LabelByLabelGiveTheSumOverAllViews) {
  Rng rng(1);
  for (int repeat = 0; repeat < 50; ++repeat) {
    const Table view = random_table(rng);
    std::vector<Table> own;
    std::vector<double> repeats;
    std::vector<std::uint32_t> labels;
    for (std::size_t j = 0; j < 4; ++j) {
      own.push_back(random_table(rng));
      repeats.push_back(uniform(rng));
      labels.push_back(static_cast<std::uint32_t>(below(rng, kClasses)));
    }
    GroupViews views(kClasses, {1, 1, 0, 1, 1});
    ASSERT_EQ(views.group_count(), 1U);
    views.set_group(1, view);
    std::vector<double> likelihood(kClasses, 1);
    const std::vector<std::uint32_t> workers{0, 1, 3, 4};
    for (std::size_t j = 0; j < 4; ++j) {
      const WorkerId worker{workers[j]};
      views.set_repeats(worker, repeats[j]);
      std::ranges::copy(own[j], views.own(worker).begin());
      Table table(kClasses * kClasses);
      views.write_table(worker, ItemId{7}, table);
      for (std::size_t k = 0; k < kClasses; ++k) likelihood[k] *= table[k * kClasses + labels[j]];
      views.absorb(ItemId{7}, worker, ClassId{labels[j]});
    }
    for (std::size_t k = 0; k < kClasses; ++k) {
      const double by_sum = exact(view, own, repeats, labels, k);
      EXPECT_NEAR(likelihood[k] / by_sum, 1, 1e-12);
      double row = 0;
      for (std::size_t s = 0; s < kClasses; ++s) {
        row += views.view(1, ItemId{7})[k * kClasses + s];
      }
      EXPECT_NEAR(row, 1, 1e-12);
    }
    EXPECT_TRUE(views.has_view(1, ItemId{7}));
    EXPECT_FALSE(views.has_view(1, ItemId{6}));
    views.forget(ItemId{7});
    EXPECT_FALSE(views.has_view(1, ItemId{7}));
  }
}

CrowdOptions grouped(std::uint32_t every) {
  CrowdOptions options{.item_prior = DirichletPrior::symmetric(kClasses), .refit_every = every};
  options.groups = {1, 1, 1, 0, 2, 2};
  return options;
}

/// Before the first refit nobody has changed, so the posterior is a sum over the views of two
/// groups.
TEST(GroupedCrowd, ReadsLabelsThroughTheViewsOfGroups) {
  const auto crowd = make_crowd(grouped(1000), 2, 6);
  const auto& tables = *crowd->multiclass();
  const Table prior(tables[WorkerId{3}].begin(), tables[WorkerId{3}].end());
  const std::vector<std::uint32_t> labels{0, 0, 1, 2, 1, 1};
  for (std::uint32_t j = 0; j < 6; ++j) crowd->record(ItemId{0}, WorkerId{j}, ClassId{labels[j]});
  std::vector<double> expected(kClasses);
  double sum = 0;
  for (std::size_t k = 0; k < kClasses; ++k) {
    const double first = exact(prior, {prior, prior, prior}, {.5, .5, .5}, {0, 0, 1}, k);
    const double second = exact(prior, {prior, prior}, {.5, .5}, {1, 1}, k);
    sum += expected[k] = first * second * prior[k * kClasses + 2];
  }
  const auto actual = crowd->probabilities(ItemId{0});
  for (std::size_t k = 0; k < kClasses; ++k) EXPECT_NEAR(actual[k], expected[k] / sum, 1e-12);
}

TEST(GroupedCrowd, OutcomesAreWhatRecordingGives) {
  const auto crowd = make_crowd(grouped(1000), 3, 6), after = make_crowd(grouped(1000), 3, 6);
  for (const std::uint32_t j : {0U, 4U}) {
    crowd->record(ItemId{1}, WorkerId{j}, ClassId{2});
    after->record(ItemId{1}, WorkerId{j}, ClassId{2});
  }
  std::vector<double> outcome(kClasses);
  double chances = 0;
  for (std::uint32_t y = 0; y < kClasses; ++y) {
    chances += crowd->outcome(ItemId{1}, WorkerId{1}, ClassId{y}, outcome);
  }
  EXPECT_NEAR(chances, 1, 1e-12);
  crowd->outcome(ItemId{1}, WorkerId{1}, ClassId{2}, outcome);
  after->record(ItemId{1}, WorkerId{1}, ClassId{2});
  for (std::size_t k = 0; k < kClasses; ++k) {
    EXPECT_NEAR(outcome[k], after->probabilities(ItemId{1})[k], 1e-12);
  }
}

TEST(GroupedCrowd, ASecondMemberAddsLessThanAWorkerOutside) {
  const auto crowd = make_crowd(grouped(1000), 2, 6);
  crowd->record(ItemId{0}, WorkerId{0}, ClassId{1});
  std::vector<double> member(kClasses), outsider(kClasses);
  crowd->outcome(ItemId{0}, WorkerId{1}, ClassId{1}, member);
  crowd->outcome(ItemId{0}, WorkerId{3}, ClassId{1}, outsider);
  EXPECT_LT(member[1] + 0.02, outsider[1]);
}

std::vector<double> all_probabilities(const Crowd& crowd) {
  std::vector<double> all;
  for (std::uint32_t i = 0; i < crowd.item_count(); ++i) {
    for (const double p : crowd.probabilities(ItemId{i})) all.push_back(p);
  }
  return all;
}

TEST(GroupedCrowd, IsTheSameAfterSaveAndLoad) {
  Rng rng(3);
  auto crowd = make_crowd(grouped(7), 9, 6);
  const auto give = [&](Crowd& to, std::uint32_t item, std::uint32_t worker, std::uint32_t label) {
    to.record(ItemId{item}, WorkerId{worker}, ClassId{label});
  };
  for (std::uint32_t n = 0; n < 24; ++n) {
    give(*crowd, n % 9, n % 6, static_cast<std::uint32_t>(below(rng, kClasses)));
  }
  ByteWriter bytes;
  crowd->save(bytes);
  const auto loaded = make_crowd(grouped(7), 0, 0);
  ByteReader reader(bytes.bytes());
  loaded->load(reader);
  ASSERT_FALSE(reader.failed());
  EXPECT_EQ(all_probabilities(*crowd), all_probabilities(*loaded));
  for (std::uint32_t n = 0; n < 20; ++n) {
    const auto label = static_cast<std::uint32_t>(below(rng, kClasses));
    give(*crowd, (n + 4) % 9, n % 5, label);
    give(*loaded, (n + 4) % 9, n % 5, label);
    EXPECT_EQ(all_probabilities(*crowd), all_probabilities(*loaded));
  }
  EXPECT_EQ(crowd->final_probabilities(), loaded->final_probabilities());
}

TEST(GroupedCrowd, OfNobodyIsTheCrowdWithoutGroups) {
  Rng rng(4);
  CrowdOptions none = grouped(10), zeros = none;
  none.groups = {};
  zeros.groups = {0, 0, 0};
  const auto one = make_crowd(none, 8, 4), other = make_crowd(zeros, 8, 4);
  for (std::uint32_t n = 0; n < 32; ++n) {
    const auto label = static_cast<std::uint32_t>(below(rng, kClasses));
    for (Crowd* crowd : {one.get(), other.get()}) {
      crowd->record(ItemId{n % 8}, WorkerId{n / 8}, ClassId{label});
    }
    EXPECT_EQ(all_probabilities(*one), all_probabilities(*other));
  }
}

TEST(GroupedCrowd, RefusesGroupsThatItsModelLacks) {
  CrowdOptions binary;
  binary.groups = {1, 1};
  EXPECT_THROW(make_crowd(binary, 2, 2), std::invalid_argument);
  CrowdOptions once = grouped(10);
  once.refit = Refit::em;
  EXPECT_THROW(make_crowd(once, 2, 6), std::invalid_argument);
}

/// Items that become known, or open again, take the views of groups along.
TEST(GroupedCrowd, ReviewedItemsAreAsIfTheyHadAlwaysBeenKnown) {
  Rng rng(5);
  const auto crowd = make_crowd(grouped(5), 6, 6);
  std::vector<KnownChange> changes;
  for (std::uint32_t j = 0; j < 6; ++j) {
    for (std::uint32_t i = 0; i < 6; ++i) {
      const ClassId label{static_cast<std::uint32_t>(below(rng, kClasses))};
      crowd->record(ItemId{i}, WorkerId{j}, label);
      if (i == 2) changes.push_back({ItemId{i}, WorkerId{j}, label, ClassId{1}, true});
    }
  }
  const std::vector<double> before = crowd->final_probabilities();
  EXPECT_TRUE(crowd->review(changes));
  EXPECT_FALSE(crowd->multiclass()->groups().has_view(1, ItemId{2}));
  for (KnownChange& change : changes) change.known = false;
  EXPECT_TRUE(crowd->review(changes));
  const std::vector<double> again = crowd->final_probabilities();
  for (std::size_t n = 0; n < before.size(); ++n) EXPECT_NEAR(before[n], again[n], 1e-9);
}

}  // namespace
}  // namespace allot::model::group_views_test
