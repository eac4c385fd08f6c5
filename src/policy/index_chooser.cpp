#include "policy/index_chooser.hpp"

#include <cmath>
#include <limits>

#include "allot/policy/index_tree.hpp"

namespace allot::policy {
namespace {

using model::Beliefs;

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

  std::vector<double> of_all(double (IndexValues::*of)(ItemId)) {
    std::vector<double> result(beliefs_.item_count());
    for (std::uint32_t i = 0; i < result.size(); ++i) result[i] = (this->*of)(ItemId{i});
    return result;
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
  std::vector<std::vector<double>>
      known_;  // by prior, then by number of labels, then of positive ones
};

class IndexChooser final : public Chooser {
 public:
  IndexChooser(const Beliefs& beliefs, Ranking ranking)
      : ties_(ranking.ties),
        values_(beliefs, std::move(ranking.index)),
        tree_(values_.of_all(&IndexValues::at)) {}

  ItemId choose(Rng& rng) override { return ItemId{tree_.choose(ties_, rng)}; }
  void refresh(ItemId item) override { tree_.set(position(item), values_.at(item)); }
  void exclude(ItemId item) override { tree_.set(position(item), kNowhere); }

 private:
  const TieBreak ties_;
  IndexValues values_;
  IndexTree tree_;
};

/// For an index with a bound: an item waits under its bound, and is computed when that could be the
/// best. Every item stands in one of two trees and is minus infinity in the other, so the choices
/// are those of IndexChooser.
class LazyIndexChooser final : public Chooser {
 public:
  LazyIndexChooser(const Beliefs& beliefs, Ranking ranking)
      : ties_(ranking.ties),
        values_(beliefs, std::move(ranking.index)),
        computed_(std::vector<double>(beliefs.item_count(), kNowhere)),
        waiting_(values_.of_all(&IndexValues::bound)) {}

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
  return std::make_unique<IndexChooser>(beliefs, std::move(ranking));
}

}  // namespace allot::policy
