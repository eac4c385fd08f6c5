#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "allot/policy/index_tree.hpp"
#include "policy/choosers.hpp"

namespace allot::policy {
namespace {

using model::Beliefs;
using model::DirichletBelief;
using model::MulticlassBeliefs;

constexpr double kNowhere = -std::numeric_limits<double>::infinity();

/// Quantised index values of the items of a campaign. Where few priors are shared, few states
/// occur, and those are kept: at most 1 MiB a prior.
class IndexValues {
 public:
  IndexValues(const Beliefs& beliefs, index::Index index)
      : beliefs_(beliefs),
        index_(std::move(index)),
        known_(beliefs.priors().size() <= kFewPriors ? beliefs.priors().size() : 0) {}

  double at(ItemId item) {
    double* const kept = place_of(item);
    if (!kept) return quantised(index_(beliefs_[item]));
    if (std::isnan(*kept)) *kept = quantised(index_(beliefs_[item]));
    return *kept;
  }

  /// A number not below the value: the value itself if it is known.
  double bound(ItemId item) {
    const double* const kept = place_of(item);
    return kept && !std::isnan(*kept) ? *kept : quantised(index_.bound(beliefs_[item]));
  }

 private:
  /// Where the value of an item's state is kept, nowhere if it is not.
  double* place_of(ItemId item) {
    const model::Counts counts = beliefs_.counts(item);
    const std::size_t labels = counts.total();
    if (known_.empty() || labels >= kDepth) return nullptr;
    std::vector<double>& known = known_[beliefs_.prior_of(item)];
    const std::size_t place = labels * (labels + 1) / 2 + counts.positive;
    if (place >= known.size()) known.resize((labels + 1) * (labels + 2) / 2, kUnknown);
    return &known[place];
  }

  static constexpr std::size_t kFewPriors = 16;
  static constexpr std::size_t kDepth = 512;
  static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

  const Beliefs& beliefs_;
  const index::Index index_;
  std::vector<std::vector<double>> known_;  // by prior, then by labels, then by positive ones
};

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

 private:
  static constexpr std::size_t kMostStates = 1U << 17;

  const MulticlassBeliefs& beliefs_;
  const index::MulticlassIndex index_;
  std::map<std::vector<double>, double> known_;  // by the parameters in order of size
};

/// The numbers of all items.
template <typename Of>
std::vector<double> of_all(std::uint32_t item_count, Of of) {
  std::vector<double> result(item_count);
  for (std::uint32_t i = 0; i < item_count; ++i) result[i] = of(ItemId{i});
  return result;
}

/// `Values` is IndexValues or MulticlassIndexValues.
template <typename Values>
class IndexChooser final : public Chooser {
 public:
  template <typename Items, typename Index>
  IndexChooser(const Items& beliefs, RankingBy<Index> ranking)
      : ties_(ranking.ties),
        values_(beliefs, std::move(ranking.index)),
        tree_(of_all(beliefs.item_count(), [this](ItemId item) { return values_.at(item); })) {}

  ItemId choose(Rng& rng) override { return ItemId{tree_.choose(ties_, rng)}; }
  void refresh(ItemId item) override { tree_.set(position(item), values_.at(item)); }
  void exclude(ItemId item) override { tree_.set(position(item), kNowhere); }

 private:
  const TieBreak ties_;
  Values values_;
  IndexTree tree_;
};

/// For an index with a bound: an item waits under its bound, and is computed when that could be the
/// best. It stands in one of two trees, so the choices are those of IndexChooser.
class LazyIndexChooser final : public Chooser {
 public:
  LazyIndexChooser(const Beliefs& beliefs, Ranking ranking)
      : ties_(ranking.ties),
        values_(beliefs, std::move(ranking.index)),
        computed_(std::vector<double>(beliefs.item_count(), kNowhere)),
        waiting_(
            of_all(beliefs.item_count(), [this](ItemId item) { return values_.bound(item); })) {}

  ItemId choose(Rng& rng) override {
    while (waiting_.best() > kNowhere && waiting_.best() >= tie_threshold(computed_.best())) {
      const std::uint32_t item = waiting_.tied_item(0);
      waiting_.set(item, kNowhere);
      computed_.set(item, values_.at(ItemId{item}));
    }
    return ItemId{computed_.choose(ties_, rng)};
  }

  void refresh(ItemId item) override {
    computed_.set(position(item), kNowhere);
    waiting_.set(position(item), values_.bound(item));
  }

  void exclude(ItemId item) override {
    computed_.set(position(item), kNowhere);
    waiting_.set(position(item), kNowhere);
  }

 private:
  const TieBreak ties_;
  IndexValues values_;
  IndexTree computed_, waiting_;
};

}  // namespace

std::unique_ptr<Chooser> index_chooser(const Beliefs& beliefs, Ranking ranking) {
  if (ranking.index.bound) return std::make_unique<LazyIndexChooser>(beliefs, std::move(ranking));
  return std::make_unique<IndexChooser<IndexValues>>(beliefs, std::move(ranking));
}

std::unique_ptr<Chooser> index_chooser(const MulticlassBeliefs& beliefs,
                                       MulticlassRanking ranking) {
  return std::make_unique<IndexChooser<MulticlassIndexValues>>(beliefs, std::move(ranking));
}

}  // namespace allot::policy
