// How verdicts and audits change the state of a campaign.
#include <algorithm>
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
  const auto is_probability = [](double value) { return value >= 0 && value <= 1; };
  if (!(verdict.stated.empty() || verdict.stated.size() == options_.classes.size()) ||
      !std::ranges::all_of(verdict.stated, is_probability)) {
    return fail(ErrorCode::conflict, "a verdict on an answer that was stated with {} probabilities",
                verdict.stated.size());
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
    items_.verdicts().add(verdict.item, {verdict.answer, event.reviewer, verdict.reason,
                                         verdict.stated, verdict.labels, time, verdict.drawn});
    count_reviewed(verdict.item, verdict.answer, true);
  }
  return {};
}

Result<void> State::take(const ReviewUndone& event, Time) {
  if (position(event.item) >= item_count() || !items_.reviewed(event.item)) {
    return fail(ErrorCode::conflict, "a verdict taken back that is not there");
  }
  count_reviewed(event.item, *items_.reviewed(event.item), false);
  items_.verdicts().remove(event.item, event.reviewer);
  return {};
}

Result<void> State::take(const AuditStarted& event, Time time) {
  const AuditPlan& plan = event.plan;
  const auto is_share = [](double value) { return value >= 0 && value < 1; };
  if (!is_share(plan.target) || !is_share(plan.confidence) || plan.confidence <= 0.5) {
    return fail(ErrorCode::conflict, "an audit to prove {} with confidence {}; expected shares",
                plan.target, plan.confidence);
  }
  if (event.answers.size() != item_count() || event.stated.size() != item_count()) {
    return fail(ErrorCode::conflict, "an audit of {} items; expected {}", event.answers.size(),
                item_count());
  }
  std::uint64_t judged = 0;
  for (std::uint32_t i = 0; i < item_count(); ++i) {
    const bool part = event.answers[i] > 0;
    judged += part;
    if (event.answers[i] > options_.classes.size() || (part && items_.known(ItemId{i}))) {
      return fail(ErrorCode::conflict, "an audit of item {}, whose answer is known, or no class",
                  in_quotes(id(ItemId{i})));
    }
  }
  if (judged == 0 || plan.checks > judged || (plan.checks == 0 && plan.target == 0)) {
    return fail(ErrorCode::conflict, "an audit of {} answers by {} checks", judged, plan.checks);
  }
  audit_ = Audit{audit_ ? audit_->number + 1 : 1, time, event};
  return {};
}

Result<void> State::take(const GoldStated& event, Time) {
  const auto is_probability = [](double value) { return value >= 0 && value <= 1; };
  for (const GoldBelief& belief : event.beliefs) {
    if (position(belief.item) >= item_count() || !items_.gold(belief.item) ||
        belief.stated.size() != options_.classes.size() ||
        !std::ranges::all_of(belief.stated, is_probability)) {
      return fail(ErrorCode::conflict, "a belief about item {}; expected a gold item and {} shares",
                  position(belief.item), options_.classes.size());
    }
  }
  gold_reading_ = {event.beliefs, counts_.all};
  return {};
}

void State::count_reviewed(ItemId item, ClassId answer, bool add) {
  for (const Share& share : pairs_.shares(item)) {
    if (share.status < PairStatus::labelled) continue;
    WorkerFacts& worker = facts(share.worker);
    const std::uint32_t right = share.label == answer ? 1 : 0;
    worker.reviewed = add ? worker.reviewed + 1 : worker.reviewed - 1;
    worker.reviewed_right = add ? worker.reviewed_right + right : worker.reviewed_right - right;
  }
}

}  // namespace allot::campaign
