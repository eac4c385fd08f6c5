// How leases and labels change the state of a campaign.
#include "allot/base/text.hpp"
#include "allot/campaign/state.hpp"
#include "base/errors.hpp"
#include "base/try.hpp"

namespace allot::campaign {

Result<void> State::take(const Leased& event, Time time) {
  TRY(check_pair(event.item, event.worker));
  TRY(check_participant(event.item, event.worker));
  const PairStatus status = pairs_.status(event.item, event.worker);
  if (phase_ != Phase::running)
    return fail(ErrorCode::conflict, "an item leased in a campaign that is paused");
  if (archived_) return fail(ErrorCode::conflict, "an item leased in a campaign that is archived");
  if (status != PairStatus::none && status != PairStatus::lapsed) {
    return fail(ErrorCode::conflict, "item {} leased twice to {}", in_quotes(id(event.item)),
                in_quotes(name(event.worker)));
  }
  if (event.price != price(event.item, event.worker) || event.price > account_.left()) {
    return fail(ErrorCode::conflict, "a price of {} reserved; expected {} and at most {}",
                money_text(event.price), money_text(price(event.item, event.worker)),
                money_text(account_.left()));
  }
  if (items_.pending(event.item) == UINT16_MAX)
    return fail(ErrorCode::conflict, "an item leased to too many");
  if (event.expires <= time)
    return fail(ErrorCode::conflict, "a lease that is over before it begins");
  const bool is_gold = items_.gold(event.item).has_value();
  if (is_gold != (event.reason == LeaseReason::gold) ||
      (!is_gold && !items_.has_room(event.item))) {
    return fail(ErrorCode::conflict, "item {} leased, which needs no more labels",
                in_quotes(id(event.item)));
  }
  if (event.reason == LeaseReason::sample && !options_.agreement_sample &&
      !options_.people_sample) {
    return fail(ErrorCode::conflict, "item {} leased for a sample that the campaign does not have",
                in_quotes(id(event.item)));
  }
  if (!may_label(event.worker)) {
    return fail(ErrorCode::conflict, "more than {} labels for {}", options_.labels_per_worker,
                in_quotes(name(event.worker)));
  }
  leases_.add({event.item, event.worker, event.price, time, event.expires});
  account_.reserved += event.price;
  ++facts(event.worker).leases;
  facts(event.worker).seen = time;
  items_.add_lease(event.item);
  pairs_.set_status(event.item, event.worker, PairStatus::leased);
  return {};
}

/// Whether a label can come this way.
Result<void> State::check_origin(const Answered& event, Time time) const {
  const PairStatus status = pairs_.status(event.item, event.worker);
  const std::optional<Lease> lease = leases_.find(event.item, event.worker);
  if (status >= PairStatus::labelled)
    return fail(ErrorCode::conflict, "a second label by the same worker");
  if ((*this)[event.worker].standing == Standing::excluded) {
    return fail(ErrorCode::conflict, "a label of {}, who is excluded",
                in_quotes(name(event.worker)));
  }
  switch (event.origin) {
    case AnswerOrigin::leased:
      if (!lease || lease->price != event.price || lease->expires <= time) {
        return fail(ErrorCode::conflict, "an answer without its lease, or after its end");
      }
      break;
    case AnswerOrigin::late:
    case AnswerOrigin::collected:
      if ((status != PairStatus::lapsed &&
           (event.origin == AnswerOrigin::late || status != PairStatus::none)) ||
          event.price > account_.left() || event.price != price(event.item, event.worker)) {
        return fail(ErrorCode::conflict,
                    "a late answer that was never due, or that the budget cannot pay");
      }
      if ((!items_.gold(event.item) && !items_.has_room(event.item)) || !may_label(event.worker)) {
        return fail(ErrorCode::conflict,
                    "a late answer beyond the labels that item or worker may have");
      }
      break;
    case AnswerOrigin::imported:
      if (lease || event.price != Money()) {
        return fail(ErrorCode::conflict,
                    "an imported label of an item that the worker has leased, or with a price");
      }
      break;
  }
  return {};
}

Result<void> State::take(const Answered& event, Time time) {
  TRY(check_pair(event.item, event.worker));
  TRY(check_class(event.label));
  TRY(campaign::check_confidence(event.confidence));
  TRY(check_participant(event.item, event.worker));
  TRY(check_origin(event, time));
  WorkerFacts& worker = facts(event.worker);
  worker.last.reset();
  if (event.origin != AnswerOrigin::imported) worker.seen = time;
  if (event.origin == AnswerOrigin::leased) {
    // Who has seen the right answer cannot change the label to it.
    if (!sessions_.tells_answers(event.worker))
      worker.last.emplace(event.item, leases_.find(event.item, event.worker)->expires);
    drop_lease(event.item, event.worker);
  }
  sessions_.count_label(event, items_.gold(event.item).has_value(), time);
  ++worker.labels;
  worker.spent += event.price;
  account_.spent += event.price;
  if (event.remark.milliseconds > 0) {
    worker.view_times.push_back(event.remark.milliseconds);
    worker.timed_pay += event.price;
  }
  ++counts_.all;
  if (event.origin == AnswerOrigin::imported) ++counts_.imported;
  if (const auto gold = items_.gold(event.item)) {
    ++counts_.gold;
    ++worker.gold;
    worker.gold_right += *gold == event.label;
  }
  if (const auto verdict = items_.reviewed(event.item)) {
    ++worker.reviewed;
    worker.reviewed_right += *verdict == event.label;
  }
  items_.add_label(event.item);
  pairs_.set_label(event.item, event.worker, event.label, event.confidence);
  ++counts_.by_day[std::chrono::floor<std::chrono::days>(time).time_since_epoch().count()];
  return {};
}

Result<void> State::take(const Revised& event, Time time) {
  TRY(check_pair(event.item, event.worker));
  TRY(check_class(event.label));
  TRY(campaign::check_confidence(event.confidence));
  const auto before = pairs_.label(event.item, event.worker);
  if (!before || *before == event.label) {
    return fail(ErrorCode::conflict, "a label revised that is not there, or to what it is");
  }
  if ((*this)[event.worker].standing != Standing::active) {
    return fail(ErrorCode::conflict, "a label revised by {}, who is not active",
                in_quotes(name(event.worker)));
  }
  if (const auto gold = items_.gold(event.item)) {
    std::uint32_t& right = facts(event.worker).gold_right;
    right -= *gold == *before;
    right += *gold == event.label;
  }
  if (const auto verdict = items_.reviewed(event.item)) {
    std::uint32_t& right = facts(event.worker).reviewed_right;
    right -= *verdict == *before;
    right += *verdict == event.label;
  }
  pairs_.set_label(event.item, event.worker, event.label, event.confidence);
  facts(event.worker).seen = time;
  return {};
}

Result<void> State::take(const Skipped& event, Time time) {
  const auto lease = leases_.find(event.item, event.worker);
  const bool abstains = event.remark.reason == kUnsure;
  if (lease && event.paid != Money() && (!abstains || event.paid != lease->price)) {
    return fail(ErrorCode::conflict, "{} paid for a skip; expected the price of an abstention",
                money_text(event.paid));
  }
  TRY(end_lease(event.item, event.worker, PairStatus::skipped));
  WorkerFacts& worker = facts(event.worker);
  ++worker.skips;
  worker.abstained += abstains;
  worker.spent += event.paid;
  account_.spent += event.paid;
  sessions_.count_skip(event);
  worker.seen = time;
  return {};
}

Result<void> State::take(const Released& event, Time time) {
  TRY(check_pair(event.item, event.worker));
  if (pairs_.status(event.item, event.worker) == PairStatus::skipped) {
    WorkerFacts& worker = facts(event.worker);
    if (worker.skips == worker.abstained)
      return fail(ErrorCode::conflict, "an abstention was taken back");
    --worker.skips;
    pairs_.set_status(event.item, event.worker, PairStatus::lapsed);
    return {};
  }
  TRY(end_lease(event.item, event.worker, PairStatus::lapsed));
  facts(event.worker).seen = time;
  return {};
}

Result<void> State::take(const Expired& event, Time time) {
  const auto lease = leases_.find(event.item, event.worker);
  if (lease && lease->expires > time)
    return fail(ErrorCode::conflict, "a lease expired before its end");
  return end_lease(event.item, event.worker, PairStatus::lapsed);
}

Result<void> State::end_lease(ItemId item, WorkerId worker, PairStatus status) {
  if (!leases_.find(item, worker))
    return fail(ErrorCode::conflict, "a lease ended that is not there");
  drop_lease(item, worker);
  pairs_.set_status(item, worker, status);
  return {};
}

void State::drop_lease(ItemId item, WorkerId worker) {
  account_.reserved -= leases_.remove(item, worker).price;
  --facts(worker).leases;
  items_.drop_lease(item);
}

void State::lapse(const std::vector<Lease>& leases) {
  for (const Lease& lease : leases) {
    drop_lease(lease.item, lease.worker);
    pairs_.set_status(lease.item, lease.worker, PairStatus::lapsed);
  }
}

}  // namespace allot::campaign
