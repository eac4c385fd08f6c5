// The items that a reviewer should look at next, and the audit.
#include <algorithm>
#include <array>
#include <set>

#include "allot/campaign/view.hpp"
#include "allot/model/best_class.hpp"
#include "campaign/audit_sheet.hpp"
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

ReviewItem review_item(Core& core, ItemId item, ReviewReason reason) {
  const State& state = core.state();
  std::vector<double> probabilities = core.stated(item);
  ReviewItem result{.item = state.id(item),
                    .answer = model::best_class(probabilities),
                    .probabilities = std::move(probabilities),
                    .labels = {},
                    .disagreement = 0,
                    .skips = 0,
                    .reason = reason};
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

ReviewReason reason_of(ReviewOrder order) {
  switch (order) {
    case ReviewOrder::uncertain:
      return ReviewReason::uncertain;
    case ReviewOrder::disputed:
      return ReviewReason::disputed;
    case ReviewOrder::skipped:
      return ReviewReason::skipped;
  }
  return ReviewReason::uncertain;
}

Rank rank_of(Core& core, ItemId item, ReviewOrder order) {
  const double doubt = core.crowd().error(item);
  if (order == ReviewOrder::uncertain) return {doubt, doubt, item};
  const ReviewItem seen = review_item(core, item, reason_of(order));
  return {order == ReviewOrder::disputed ? seen.disagreement : seen.skips, doubt, item};
}

}  // namespace

std::string_view name(ReviewReason reason) {
  static constexpr std::array<std::string_view, 4> kNames{"audit", "uncertain", "disputed",
                                                          "skipped"};
  return kNames[static_cast<std::size_t>(reason)];
}

Result<std::vector<ReviewItem>> CampaignView::review_queue(std::uint32_t count,
                                                           ReviewOrder order) const {
  using Queue = std::vector<ReviewItem>;
  return run_look(*source_, [&](Core& core, const State& state) -> Result<Queue> {
    Queue queue;
    std::set<ItemId> drawn;  // not shown for another reason, which would not be blind
    if (state.audit()) {
      for (const ItemId item : AuditSheet(state).blind()) {
        if (queue.size() < std::min(count, kDrawsAhead)) {
          queue.push_back(review_item(core, item, ReviewReason::audit));
        }
        drawn.insert(item);
      }
    }
    std::vector<Rank> ranks;
    for (std::uint32_t i = 0; i < state.item_count(); ++i) {
      const ItemId item{i};
      if (state.items().known(item) || state.items().labels(item) == 0 || drawn.contains(item)) {
        continue;
      }
      ranks.push_back(rank_of(core, item, order));
    }
    const auto most = std::min<std::size_t>(count - queue.size(), ranks.size());
    const auto end = ranks.begin() + static_cast<std::ptrdiff_t>(most);
    std::partial_sort(ranks.begin(), end, ranks.end());
    for (auto rank = ranks.begin(); rank != end; ++rank) {
      queue.push_back(review_item(core, rank->item, reason_of(order)));
    }
    return queue;
  });
}

Result<std::optional<AuditReport>> CampaignView::audit() const {
  using Report = std::optional<AuditReport>;
  return run_look(*source_, [&](Core&, const State& state) -> Result<Report> {
    if (!state.audit()) return Report();
    return Report(AuditSheet(state).report());
  });
}

Result<std::vector<std::string>> CampaignView::audit_draws(std::size_t count) const {
  return run_look(*source_, [&](Core&, const State& state) -> Result<std::vector<std::string>> {
    std::vector<std::string> ids;
    if (!state.audit()) return ids;
    for (const ItemId item : AuditSheet(state).waiting(count)) ids.push_back(state.id(item));
    return ids;
  });
}

}  // namespace allot::campaign
