// Warnings about EM that has settled on wrong answers, on real label sets: how often they come
// where a fit is sure of itself and far below a majority vote of the same labels, and where it is
// not.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "allot/aggregate/em.hpp"
#include "allot/aggregate/majority.hpp"
#include "allot/aggregate/pooled.hpp"
#include "allot/base/rng.hpp"
#include "support/data_sets.hpp"

namespace allot::aggregate::warnings_data_test {
namespace {

constexpr const char* kSets[] = {"rte",   "temp", "wsd",  "bluebirds", "product", "dog",
                                 "music", "web",  "face", "barzan",    "trec2011"};
constexpr double kShares[] = {0.1, 0.2, 0.4, 1};

struct NamedFit {
  const char* name;
  Result<Aggregation> (*run)(const model::LabelSet&, const EmOptions&);
};
constexpr NamedFit kFits[] = {{"one-coin", one_coin}, {"dawid-skene", dawid_skene}};

model::LabelSet drawn(const model::LabelSet& set, double share, std::uint64_t seed) {
  model::LabelSet result = set;
  std::vector<model::GivenLabel>& labels = result.labels;
  Rng rng(seed);
  for (std::size_t n = labels.size(); n > 1; --n) std::swap(labels[n - 1], labels[below(rng, n)]);
  labels.resize(static_cast<std::size_t>(share * static_cast<double>(labels.size()) + 0.5));
  return result;
}

/// Truths of labelled items only.
std::vector<std::optional<ClassId>> labelled_truth(const io::Truth& truth,
                                                   const model::LabelSet& labels) {
  std::vector<std::optional<ClassId>> result(truth.of_item.size());
  for (const model::GivenLabel& given : labels.labels)
    result[position(given.item)] = truth.of_item[position(given.item)];
  return result;
}

/// Fits that are sure of their answers, by what became of them and whether a warning came.
struct Tally {
  int poor = 0, poor_warned = 0;  // .1 below the vote or worse
  int fine = 0, fine_warned = 0;  // as good as the vote
};

void tally_fits(const std::string& set, const model::LabelSet& labels, const io::Truth& all,
                const std::string& cell, Tally& tally) {
  const auto truth = labelled_truth(all, labels);
  const double vote = *accuracy(majority(labels).value().answers.answers, truth);
  const ClassAnswers careful = pooled(labels).value().answers;
  for (const auto& [name, run] : kFits) {
    const Aggregation fit = run(labels, {}).value();
    if (!is_sure(fit.answers)) continue;
    const double gain = *accuracy(fit.answers.answers, truth) - vote;
    const bool warned =
        contradicts_itself(labels, fit) || contradicts(labels, fit.answers, careful);
    fmt::print("{:<10} {:<8} {:<12} sure {:.3f}, {:+.3f} against the vote, {:.0f} % otherwise{}\n",
               set, cell, name, *expected_accuracy(fit.answers), gain,
               100 * answered_otherwise(labels, fit.answers, careful), warned ? ", warned" : "");
    tally.poor += gain < -0.1;
    tally.poor_warned += gain < -0.1 && warned;
    tally.fine += gain >= -0.005;
    tally.fine_warned += gain >= -0.005 && warned;
  }
}

/// On trec2011 only 290 of 2165 items have a truth, and a fit that guesses can look fine.
TEST(WarningsOnRealLabels, NameSureFitsThatAreFarBelowTheVote) {
  Tally tally, unclear;
  for (const std::string set : kSets) {
    const auto data = test::data_set(set);
    if (!data) GTEST_SKIP() << "no label set in " << test::data_folder();
    for (const double share : kShares) {
      for (std::uint64_t seed = 1; seed <= (share < 1 ? 3 : 1); ++seed) {
        tally_fits(set, drawn(data->labels.set, share, seed), data->truth,
                   fmt::format("{:.0f} % ({})", 100 * share, seed),
                   set == "trec2011" ? unclear : tally);
      }
    }
  }
  fmt::print("poor: {} of {} warned; fine: {} of {} warned; trec2011: {} of {}, {} of {}\n",
             tally.poor_warned, tally.poor, tally.fine_warned, tally.fine, unclear.poor_warned,
             unclear.poor, unclear.fine_warned, unclear.fine);
  EXPECT_GE(tally.poor, 15);
  EXPECT_GE(tally.poor_warned, 0.9 * tally.poor);
  EXPECT_GE(tally.fine, 50);
  EXPECT_EQ(tally.fine_warned, 0);
  EXPECT_EQ(unclear.poor_warned, unclear.poor);
}

}  // namespace
}  // namespace allot::aggregate::warnings_data_test
