// The items that a reviewer should look at next.
#include <algorithm>

#include "allot/campaign/view.hpp"
#include "allot/model/best_class.hpp"
#include "campaign/work.hpp"

namespace allot::campaign {
namespace {

/// Places of an item in the queue; larger comes first.
struct Rank {
  double first, doubt;
  ItemId item;

  bool operator<(const Rank& other) const {
    if (first != other.first) return first > other.first;
    if (doubt != other.doubt) return doubt > other.doubt;
    return item < other.item;
  }
};

ReviewItem review_item(Core& core, ItemId item) {
  const State& state = core.state();
  std::vector<double> probabilities = core.stated(item);
  ReviewItem result{
      state.id(item), model::best_class(probabilities), std::move(probabilities), {}, 0, 0};
  std::uint32_t against = 0;
  for (const Share& share : state.pairs().shares(item)) {
    if (share.status == PairStatus::skipped) ++result.skips;
    if (share.status != PairStatus::labelled) continue;
    result.labels.emplace_back(state.name(share.worker), share.label);
    against += share.label != result.answer;
  }
  if (!result.labels.empty()) {
    result.disagreement = static_cast<double>(against) / static_cast<double>(result.labels.size());
  }
  return result;
}

Rank rank_of(Core& core, ItemId item, ReviewOrder order) {
  const double doubt = core.crowd().error(item);
  if (order == ReviewOrder::uncertain) return {doubt, doubt, item};
  const ReviewItem seen = review_item(core, item);
  return {order == ReviewOrder::disputed ? seen.disagreement : seen.skips, doubt, item};
}

}  // namespace

Result<std::vector<ReviewItem>> CampaignView::review_queue(std::uint32_t count,
                                                           ReviewOrder order) const {
  using Queue = std::vector<ReviewItem>;
  return run_look(*source_, [&](Core& core, const State& state) -> Result<Queue> {
    std::vector<Rank> ranks;
    for (std::uint32_t i = 0; i < state.item_count(); ++i) {
      const ItemId item{i};
      if (state.items().known(item) || state.items().labels(item) == 0) continue;
      ranks.push_back(rank_of(core, item, order));
    }
    const auto most = std::min<std::size_t>(count, ranks.size());
    const auto end = ranks.begin() + static_cast<std::ptrdiff_t>(most);
    std::partial_sort(ranks.begin(), end, ranks.end());
    Queue queue;
    for (auto rank = ranks.begin(); rank != end; ++rank) {
      queue.push_back(review_item(core, rank->item));
    }
    return queue;
  });
}

}  // namespace allot::campaign
