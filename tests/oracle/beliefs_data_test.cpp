// The default beliefs against a majority vote of the same labels, on real label sets: labels drawn
// at random, and labels of workers who arrive with equal chance. Only labelled items count.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "allot/base/rng.hpp"
#include "allot/model/best_class.hpp"
#include "allot/model/crowd.hpp"
#include "support/data_sets.hpp"

namespace allot::model::beliefs_data_test {
namespace {

constexpr const char* kSets[] = {"rte",   "temp", "wsd",  "bluebirds", "product", "dog",
                                 "music", "web",  "face", "barzan",    "trec2011"};
constexpr double kShares[] = {0.1, 0.2, 0.4, 1};
constexpr int kRuns = 3;

enum class Draw { at_random, arriving };

std::vector<GivenLabel> shuffled(const std::vector<GivenLabel>& labels, Rng& rng) {
  std::vector<GivenLabel> result = labels;
  for (std::size_t n = result.size(); n > 1; --n) std::swap(result[n - 1], result[below(rng, n)]);
  return result;
}

/// The labels in the order in which workers give them who arrive with equal chance.
std::vector<GivenLabel> by_arrival(const std::vector<GivenLabel>& labels, std::uint32_t workers,
                                   Rng& rng) {
  std::vector<std::vector<GivenLabel>> of_worker(workers);
  for (const GivenLabel& label : labels) of_worker[position(label.worker)].push_back(label);
  std::erase_if(of_worker, [](const auto& own) { return own.empty(); });
  std::vector<GivenLabel> result;
  while (!of_worker.empty()) {
    auto& own = of_worker[below(rng, of_worker.size())];
    result.push_back(own.back());
    own.pop_back();
    if (own.empty()) {
      std::swap(own, of_worker.back());
      of_worker.pop_back();
    }
  }
  return result;
}

std::vector<GivenLabel> drawn(const LabelSet& set, Draw draw, double share, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<GivenLabel> labels = shuffled(set.labels, rng);
  if (draw == Draw::arriving) labels = by_arrival(labels, set.worker_count, rng);
  labels.resize(static_cast<std::size_t>(share * static_cast<double>(labels.size()) + 0.5));
  return labels;
}

/// The options of replays and campaigns for that many classes.
CrowdOptions usual(std::uint32_t classes) {
  CrowdOptions options{.refit_every = 1'000'000'000, .learn_workers = classes > 2};
  if (classes > 2) options.item_prior = DirichletPrior::symmetric(classes);
  return options;
}

std::vector<double> answered(const LabelSet& set, const std::vector<GivenLabel>& labels,
                             const CrowdOptions& options) {
  const auto crowd = make_crowd(options, set.item_count, set.worker_count);
  for (const auto& [item, worker, label] : labels) crowd->record(item, worker, label);
  return crowd->final_probabilities();
}

/// Share of right answers among labelled items; ties count by their share.
double right_share(const std::vector<double>& p, const std::vector<double>& votes,
                   std::uint32_t classes, const std::vector<std::optional<ClassId>>& truth) {
  double right = 0, all = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const std::span<const double> given(&votes[i * classes], classes),
        row(&p[i * classes], classes);
    if (!truth[i] || std::accumulate(given.begin(), given.end(), 0.0) == 0) continue;
    const double top = std::ranges::max(row) * (1 - 1e-12);
    if (row[position(*truth[i])] >= top)
      right += 1.0 / static_cast<double>(
                         std::ranges::count_if(row, [&](double one) { return one >= top; }));
    ++all;
  }
  return right / all;
}

/// Mean over runs of the accuracy of these beliefs, less that of a majority vote.
double lead(const test::DataSet& data, Draw draw, double share, const CrowdOptions& options) {
  const LabelSet& set = data.labels.set;
  double sum = 0;
  for (std::uint64_t seed = 1; seed <= kRuns; ++seed) {
    const auto labels = drawn(set, draw, share, seed);
    std::vector<double> votes(std::size_t{set.item_count} * set.class_count);
    for (const auto& [item, worker, label] : labels)
      votes[std::size_t{position(item)} * set.class_count + position(label)] += 1;
    const auto p = answered(set, labels, options);
    sum += right_share(p, votes, set.class_count, data.truth.of_item) -
           right_share(votes, votes, set.class_count, data.truth.of_item);
  }
  return sum / kRuns;
}

class BeliefsOnRealLabels : public testing::TestWithParam<Draw> {};

TEST_P(BeliefsOnRealLabels, AreBetterThanVotesOnTheWholeAndHardlyEverWorse) {
  double sum = 0;
  int cells = 0;
  for (const char* const name : kSets) {
    const auto data = test::data_set(name);
    if (!data) GTEST_SKIP() << "no data set " << name << " in " << test::data_folder();
    const bool few_truths = std::string_view(name) == "trec2011";  // 290, no random part
    std::string row = fmt::format("{:10}", name);
    for (const double share : kShares) {
      const double gained = lead(*data, GetParam(), share, usual(data->labels.set.class_count));
      EXPECT_GE(gained, few_truths ? -0.06 : -0.03) << name << " at " << share;
      row += fmt::format(" {:+.3f}", gained);
      sum += gained;
      ++cells;
    }
    fmt::print("{}\n", row);
  }
  fmt::print("mean       {:+.4f}\n", sum / cells);
  EXPECT_GE(sum / cells, GetParam() == Draw::at_random ? 0.023 : 0.015);
}

INSTANTIATE_TEST_SUITE_P(All, BeliefsOnRealLabels, testing::Values(Draw::at_random, Draw::arriving),
                         [](const auto& draw) {
                           return draw.param == Draw::at_random ? "LabelsAtRandom"
                                                                : "WorkersArriving";
                         });

TEST(BeliefsOnRealLabels, OfOneCoinByEmLoseToVotesOnTheWeb) {
  const auto data = test::data_set("web");
  if (!data) GTEST_SKIP() << "no data set web in " << test::data_folder();
  CrowdOptions em = usual(5);
  em.refit = Refit::em;
  em.coins = Coins::one;
  em.learn_workers = false;
  EXPECT_LT(lead(*data, Draw::at_random, 0.2, em), -0.1);
}

}  // namespace
}  // namespace allot::model::beliefs_data_test
