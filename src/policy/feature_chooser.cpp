#include <algorithm>

#include "allot/base/check.hpp"
#include "policy/choosers.hpp"

namespace allot::policy {
namespace {

using index::FeatureIndex;
using model::Contextual;
using model::ContextualClasses;
using Rows = FeatureIndex::Rows;

/// How much a label of the row promises to teach.
double promise(const Contextual& belief, std::uint32_t row) {
  const double q = math::predictive_logistic(belief.means()[row], belief.variances()[row]);
  return belief.variances()[row] * q * (1 - q);
}
double promise(const ContextualClasses& belief, std::uint32_t row) {
  double sum = 0;
  for (std::uint32_t c = 0; c < belief.class_count(); ++c) {
    sum += promise(belief.model(ClassId{c}), row);
  }
  return sum;
}

std::size_t models(const Contextual&) { return 1; }
std::size_t models(const ContextualClasses& belief) { return belief.class_count(); }

std::vector<double> values(const FeatureIndex& index, const Contextual& belief, Rows rows,
                           const FeatureSearch& search) {
  return index.binary(belief, rows, search.worker);
}
std::vector<double> values(const FeatureIndex& index, const ContextualClasses& belief, Rows rows,
                           const FeatureSearch&) {
  return index.multiclass(belief, rows);
}

/// Puts `count` rows in front, half by promise, half at random.
template <typename Belief>
void draw_candidates(const Belief& belief, std::size_t count, Rng rng,
                     std::vector<std::uint32_t>& rows) {
  std::vector<double> score(belief.rows().row_count());
  for (const std::uint32_t row : rows) score[row] = promise(belief, row);
  const auto half = rows.begin() + static_cast<std::ptrdiff_t>((count + 1) / 2);
  std::nth_element(rows.begin(), half, rows.end(), [&](std::uint32_t a, std::uint32_t b) {
    return score[a] != score[b] ? score[a] > score[b] : a < b;
  });
  std::sort(half, rows.end());
  for (std::size_t i = (count + 1) / 2; i < count; ++i) {
    std::swap(rows[i], rows[i + below(rng, rows.size() - i)]);
  }
  rows.resize(count);
  std::ranges::sort(rows);
}

template <typename Belief>
class RowChooser final : public Chooser {
 public:
  RowChooser(const Belief& belief, FeatureIndex index, TieBreak ties, const FeatureSearch& search)
      : belief_(belief),
        index_(std::move(index)),
        ties_(ties),
        search_(search),
        open_(belief.item_count(), true) {
    require(search.cost_limit > 0, "Policy::start", "cost_limit", search.cost_limit,
            "expected more than 0");
  }

  ItemId choose(Rng& rng) override {
    if (tied_.empty()) find_tied();
    std::size_t place = 0;
    if (ties_ == TieBreak::random && tied_.size() > 1) place = below(rng, tied_.size());
    return tied_[place];
  }
  void refresh(ItemId) override { tied_.clear(); }
  void exclude(ItemId item) override {
    open_[position(item)] = false;
    tied_.clear();
  }

 private:
  void find_tied() {
    std::vector<std::uint32_t> rows = candidates();
    require(!rows.empty(), "Chooser::choose", "open items", 0, "expected at least 1");
    std::vector<double> found = values(index_, belief_, rows, search_);
    std::ranges::transform(found, found.begin(), quantised);
    for (const std::uint32_t best : best_candidates(found)) {
      for (const ItemId item : belief_.rows().items_of(rows[best])) {
        if (open_[position(item)]) tied_.push_back(item);
      }
    }
    std::ranges::sort(tied_);
  }

  std::vector<std::uint32_t> candidates() const {
    const model::ItemRows& all = belief_.rows();
    std::vector<std::uint32_t> rows;
    for (std::uint32_t row = 0; row < all.row_count(); ++row) {
      const auto is_open = [&](ItemId item) { return open_[position(item)]; };
      if (std::ranges::any_of(all.items_of(row), is_open)) rows.push_back(row);
    }
    if (!index_.is_expensive) return rows;
    constexpr double kTails = 120;  // both normal tails of a row, in multiply-adds
    const double cost = static_cast<double>(models(belief_)) *
                        static_cast<double>(all.row_count()) * (all.column_count() + kTails);
    const double most = std::max(1.0, search_.cost_limit / cost);
    if (most < static_cast<double>(rows.size())) {
      draw_candidates(belief_, static_cast<std::size_t>(most),
                      Rng(search_.seed, Rng::Purpose::candidates, belief_.label_count()), rows);
    }
    return rows;
  }

  const Belief& belief_;
  const FeatureIndex index_;
  const TieBreak ties_;
  const FeatureSearch search_;
  std::vector<bool> open_;
  std::vector<ItemId> tied_;  // in order; empty if not known
};

}  // namespace

template <typename Belief>
std::unique_ptr<Chooser> feature_chooser(const Belief& belief, const FeatureIndex& index,
                                         TieBreak ties, const FeatureSearch& search) {
  return std::make_unique<RowChooser<Belief>>(belief, index, ties, search);
}
template std::unique_ptr<Chooser> feature_chooser(const Contextual&, const FeatureIndex&, TieBreak,
                                                  const FeatureSearch&);
template std::unique_ptr<Chooser> feature_chooser(const ContextualClasses&, const FeatureIndex&,
                                                  TieBreak, const FeatureSearch&);

}  // namespace allot::policy
