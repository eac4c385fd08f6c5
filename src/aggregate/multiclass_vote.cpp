#include "allot/aggregate/multiclass_vote.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "allot/model/best_class.hpp"

namespace allot::aggregate {
namespace {

/// Class probabilities of states, each computed once with its parameters sorted.
class KnownProbabilities {
 public:
  void append(const model::DirichletBelief& belief, std::vector<double>& probabilities) {
    std::vector<std::size_t> order(belief.alpha.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, std::greater(), [&](std::size_t c) { return belief.alpha[c]; });
    model::DirichletBelief sorted;
    for (const std::size_t c : order) sorted.alpha.push_back(belief.alpha[c]);
    auto [known, is_new] = known_.try_emplace(sorted.alpha);
    if (is_new) known->second = model::class_probabilities(sorted);
    const std::size_t first = probabilities.size();
    probabilities.resize(first + order.size());
    for (std::size_t n = 0; n < order.size(); ++n)
      probabilities[first + order[n]] = known->second[n];
  }

 private:
  std::map<std::vector<double>, std::vector<double>> known_;
};

}  // namespace

ClassAnswers multiclass_vote(const model::MulticlassBeliefs& beliefs) {
  ClassAnswers result{beliefs.class_count(), {}, {}};
  KnownProbabilities known;
  for (std::uint32_t i = 0; i < beliefs.item_count(); ++i) {
    const model::DirichletBelief belief = beliefs[ItemId{i}];
    known.append(belief, result.probabilities);
    result.answers.push_back(model::best_class(result.of(ItemId{i})));
  }
  return result;
}

}  // namespace allot::aggregate
