// How recruiting links and sessions change the state of a campaign.
#include <algorithm>

#include "allot/base/text.hpp"
#include "allot/campaign/state.hpp"
#include "base/errors.hpp"
#include "base/try.hpp"

namespace allot::campaign {

std::uint32_t State::known_right(const Session& session) const {
  return static_cast<std::uint32_t>(std::ranges::count_if(session.known, [&](ItemId item) {
    return pairs_.label(item, session.worker) == items_.gold(item);
  }));
}

bool State::left_work(const Session& session) const {
  if (phase_ != Phase::running || archived_ || !may_label(session.worker)) return false;
  return std::ranges::any_of(session.skipped, [&](ItemId item) {
    return !items_.gold(item) && items_.has_room(item) &&
           price(item, session.worker) <= account_.left();
  });
}

Result<void> State::check_open_session(WorkerId worker) const {
  if (position(worker) < worker_count() && sessions_.open(worker) != nullptr) return {};
  return fail(ErrorCode::conflict, "worker {} is in no session", position(worker));
}

Result<void> State::take(const RecruitingChanged& event, Time time) {
  TRY(check(event.terms));
  if (event.link.empty()) {
    return fail(ErrorCode::conflict, "a recruiting link without an id; expected one");
  }
  const std::size_t gold = items_.gold_items().size();
  if (event.terms.qualification.items > gold) {
    return fail(ErrorCode::conflict,
                "a qualification of {} items; expected at most {}, the number of items with a "
                "known answer",
                event.terms.qualification.items, gold);
  }
  const RecruitingLink* const before = sessions_.find_link(event.link);
  if (before != nullptr && (before->terms.platform != event.terms.platform ||
                            before->terms.secret != event.terms.secret)) {
    return fail(ErrorCode::conflict, "the platform or the secret of link {} changes; it stays",
                in_quotes(event.link));
  }
  sessions_.set_link(event, time);
  return {};
}

Result<void> State::take(const SessionJoined& event, Time time) {
  if (position(event.worker) >= worker_count()) {
    return fail(ErrorCode::conflict, "a session of worker {}; expected one below {}",
                position(event.worker), worker_count());
  }
  const RecruitingLink* const link = sessions_.find_link(event.link);
  if (link == nullptr) {
    return fail(ErrorCode::conflict, "a session through link {}, which is unknown",
                in_quotes(event.link));
  }
  const Session* const open = sessions_.open(event.worker);
  if (open != nullptr && &sessions_.links()[open->link] != link) {
    return fail(ErrorCode::conflict, "a session through another link than the open one");
  }
  const std::size_t before = sessions_.of(event.worker).size();
  if (open == nullptr && (before >= link->terms.sessions_per_id ||
                          sessions_.standing(event.worker) == Admission::failed)) {
    return fail(ErrorCode::conflict, "another session of a worker who may have {}", before);
  }
  const std::uint32_t most = link->terms.most_participants;
  if (before == 0 && (!link->terms.open || (most > 0 && link->participants >= most))) {
    return fail(ErrorCode::conflict, "a new participant of a link that takes no more");
  }
  sessions_.join(event, facts(event.worker).labels == 0, time);
  return {};
}

Result<void> State::take(const Qualified& event, Time) {
  TRY(check_open_session(event.worker));
  const Session& session = *sessions_.open(event.worker);
  const Qualification& terms = sessions_.terms(session).qualification;
  if (sessions_.standing(event.worker) != Admission::trying || session.tried < terms.items) {
    return fail(ErrorCode::conflict, "a qualification decided before its end");
  }
  if ((known_right(session) >= terms.needed()) != event.passed) {
    return fail(ErrorCode::conflict, "a qualification {} with {} right answers of {}; expected {}",
                event.passed ? "passed" : "failed", known_right(session), terms.items,
                terms.needed());
  }
  sessions_.decide(event);
  return {};
}

Result<void> State::take(const SessionEnded& event, Time time) {
  TRY(check_open_session(event.worker));
  const Session& session = *sessions_.open(event.worker);
  if (facts(event.worker).leases > 0) {
    return fail(ErrorCode::conflict, "a session ended while its worker has items");
  }
  const bool failed = sessions_.standing(event.worker) == Admission::failed;
  const bool is_done = session.labels >= sessions_.terms(session).labels;
  // no-work and incomplete differ in what was left to ask, which `verify` repeats.
  if (failed != (event.outcome == SessionOutcome::screened_out) ||
      (!failed && is_done != (event.outcome == SessionOutcome::done))) {
    return fail(ErrorCode::conflict, "a session ended as '{}' with {} labels",
                campaign::name(event.outcome), session.labels);
  }
  sessions_.end(event, time);
  return {};
}

Result<void> State::check_participant(ItemId item, WorkerId worker) const {
  if (sessions_.counts(worker) || items_.gold(item)) return {};
  return fail(ErrorCode::conflict,
              "worker {} has not passed the qualification; expected an item with a known answer",
              in_quotes(name(worker)));
}

}  // namespace allot::campaign
