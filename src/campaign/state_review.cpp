// How verdicts change the state of a campaign.
#include <set>

#include "allot/base/text.hpp"
#include "allot/campaign/state.hpp"
#include "base/errors.hpp"
#include "base/try.hpp"

namespace allot::campaign {

Result<void> State::check_verdict(const Verdict& verdict) const {
  if (position(verdict.item) >= item_count()) {
    return fail(ErrorCode::conflict, "a verdict on item {}; expected one below {}",
                position(verdict.item), item_count());
  }
  TRY(check_class(verdict.answer));
  TRY(check_class(verdict.believed));
  if (!(verdict.stated >= 0 && verdict.stated <= 1)) {
    return fail(ErrorCode::conflict, "a verdict on an answer stated at {}; expected 0 to 1",
                verdict.stated);
  }
  if (!items_.known(verdict.item)) return {};
  return fail(ErrorCode::conflict, "a verdict on item {}, whose answer is known",
              in_quotes(id(verdict.item)));
}

Result<void> State::take(const Reviewed& event, Time time) {
  if (event.reviewer.empty())
    return fail(ErrorCode::conflict, "verdicts without a reviewer; expected a name");
  std::set<ItemId> decided;
  for (const Verdict& verdict : event.verdicts) {
    TRY(check_verdict(verdict));
    if (!decided.insert(verdict.item).second) {
      return fail(ErrorCode::conflict, "two verdicts on item {}; expected one",
                  in_quotes(id(verdict.item)));
    }
  }
  for (const Verdict& verdict : event.verdicts) {
    verdicts_.add(verdict.item, {verdict.answer, event.reviewer, verdict.reason, verdict.believed,
                                 verdict.stated, time});
    items_.set_verdict(verdict.item, verdict.answer);
    count_reviewed(verdict.item, verdict.answer, true);
  }
  return {};
}

Result<void> State::take(const ReviewUndone& event, Time) {
  if (position(event.item) >= item_count() || !items_.reviewed(event.item)) {
    return fail(ErrorCode::conflict, "a verdict taken back that is not there");
  }
  count_reviewed(event.item, *items_.reviewed(event.item), false);
  verdicts_.remove(event.item);
  items_.set_verdict(event.item, {});
  return {};
}

void State::count_reviewed(ItemId item, ClassId answer, bool add) {
  for (const Share& share : pairs_.shares(item)) {
    if (share.status != PairStatus::labelled) continue;
    WorkerFacts& worker = facts(share.worker);
    const std::uint32_t right = share.label == answer ? 1 : 0;
    worker.reviewed = add ? worker.reviewed + 1 : worker.reviewed - 1;
    worker.reviewed_right = add ? worker.reviewed_right + right : worker.reviewed_right - right;
  }
}

}  // namespace allot::campaign
