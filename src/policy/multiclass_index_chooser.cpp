#include <algorithm>
#include <limits>
#include <map>

#include "allot/policy/index_tree.hpp"
#include "policy/index_chooser.hpp"

namespace allot::policy {
namespace {

using model::DirichletBelief;
using model::MulticlassBeliefs;

/// Quantised index values of the items of a campaign; those of states that occurred are kept.
class MulticlassIndexValues {
 public:
  MulticlassIndexValues(const MulticlassBeliefs& beliefs, index::MulticlassIndex index)
      : beliefs_(beliefs), index_(std::move(index)) {}

  double at(ItemId item) {
    DirichletBelief belief = beliefs_[item];
    std::ranges::sort(belief.alpha, std::greater());
    const auto found = known_.find(belief.alpha);
    if (found != known_.end()) return found->second;
    const double value = quantised(index_(belief));
    if (known_.size() < kMostStates) known_.emplace(std::move(belief.alpha), value);
    return value;
  }

  std::vector<double> of_all() {
    std::vector<double> result(beliefs_.item_count());
    for (std::uint32_t i = 0; i < result.size(); ++i) result[i] = at(ItemId{i});
    return result;
  }

 private:
  static constexpr std::size_t kMostStates = 1U << 17;

  const MulticlassBeliefs& beliefs_;
  const index::MulticlassIndex index_;
  std::map<std::vector<double>, double> known_;  // by the parameters in order of size
};

class MulticlassIndexChooser final : public Chooser {
 public:
  MulticlassIndexChooser(const MulticlassBeliefs& beliefs, MulticlassRanking ranking)
      : ties_(ranking.ties), values_(beliefs, std::move(ranking.index)), tree_(values_.of_all()) {}

  ItemId choose(Rng& rng) override { return ItemId{tree_.choose(ties_, rng)}; }
  void refresh(ItemId item) override { tree_.set(position(item), values_.at(item)); }
  void exclude(ItemId item) override {
    tree_.set(position(item), -std::numeric_limits<double>::infinity());
  }

 private:
  const TieBreak ties_;
  MulticlassIndexValues values_;
  IndexTree tree_;
};

}  // namespace

std::unique_ptr<Chooser> index_chooser(const MulticlassBeliefs& beliefs,
                                       MulticlassRanking ranking) {
  return std::make_unique<MulticlassIndexChooser>(beliefs, std::move(ranking));
}

}  // namespace allot::policy
