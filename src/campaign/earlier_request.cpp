#include "campaign/earlier_request.hpp"

#include <algorithm>

#include "allot/base/text.hpp"
#include "base/errors.hpp"

namespace allot::campaign {

Result<std::optional<EarlierRequest>> EarlierRequest::find(Work& work, std::string_view key) {
  auto first = TRY(work.find(key));
  if (!first) return std::nullopt;
  return EarlierRequest(work, key, *std::move(first));
}

tl::unexpected<Error> EarlierRequest::of_another() const {
  return fail(ErrorCode::key_reused, "the key {} was used for another request; expected a new one",
              in_quotes(key_));
}

Result<void> EarlierRequest::items(std::span<const ItemDraft> items) const {
  const auto added = event_in<ItemsAdded>(first_);
  const bool same =
      added && std::ranges::equal(added->items, items, {}, &NewItem::id, &ItemDraft::id);
  return same ? Result<void>() : of_another();
}

Result<Handout> EarlierRequest::handout(std::string_view worker, std::uint32_t count) const {
  Handout handout;
  // The leases of one request follow one another, numbered from 0.
  for (std::uint64_t sequence = first_.sequence;; ++sequence) {
    const auto record = TRY(work_.at(sequence));
    if (!record) break;
    const auto event = TRY(decode(record->kind, record->payload));
    const auto* const lease = std::get_if<Leased>(&event);
    if (!lease || lease->place != handout.assignments.size()) break;
    if (state().name(lease->worker) != worker) {
      return fail(ErrorCode::key_reused,
                  "the key {} was used by worker {}; expected a new one for {}", in_quotes(key_),
                  in_quotes(state().name(lease->worker)), in_quotes(worker));
    }
    handout.assignments.push_back(assignment_of(state(), *lease));
  }
  const std::size_t leased = handout.assignments.size();
  if (leased == 0 || count < leased) return of_another();
  if (count > leased) {
    handout.shortfall = fmt::format("the key {} was used before and got {} then", in_quotes(key_),
                                    count_text(leased, "item"));
  }
  return handout;
}

/// What became of the answer, if the record is the event it left. Where the request did not revise,
/// a revision belongs to a later request.
std::optional<Outcome> EarlierRequest::outcome_in(const store::Record& record, const Answer& answer,
                                                  bool revise) const {
  const auto is_of = [&](const auto& labelled) {
    return labelled && state().id(labelled->item) == answer.item &&
           state().name(labelled->worker) == answer.worker &&
           class_name(state().options(), labelled->label) == answer.label &&
           labelled->confidence == answer.confidence;
  };
  if (is_of(event_in<Answered>(record))) return Outcome::recorded;
  if (revise && is_of(event_in<Revised>(record))) return Outcome::revised;
  return {};
}

/// An answer that left no event changed nothing. One that contradicts the present label, and was
/// not to revise it, was refused.
Result<Outcome> EarlierRequest::without_event(const Answer& answer, bool revise) const {
  const auto item = work_.item(answer.item);
  const auto worker = work_.worker(answer.worker);
  if (item && worker) {
    const auto label = state().pairs().label(*item, *worker);
    if (label && (revise || class_name(state().options(), *label) == answer.label)) {
      return Outcome::already;
    }
  }
  return fail(ErrorCode::conflict,
              "the answer of worker {} to item {} was not taken when the key {} was first used; "
              "expected a new key",
              in_quotes(answer.worker), in_quotes(answer.item), in_quotes(key_));
}

/// The events of the request follow one another in the order of its answers.
std::vector<Result<Outcome>> EarlierRequest::outcomes(std::span<const Answer> answers,
                                                      bool revise) const {
  std::vector<Result<Outcome>> outcomes;
  Result<std::optional<store::Record>> next = std::optional(first_);
  bool is_of_these = false;
  for (const Answer& answer : answers) {
    const auto then = next && *next ? outcome_in(**next, answer, revise) : std::nullopt;
    outcomes.push_back(then ? *then : without_event(answer, revise));
    if (!then) continue;
    is_of_these = true;
    next = work_.at((*next)->sequence + 1);
  }
  if (!is_of_these) std::ranges::fill(outcomes, Result<Outcome>(of_another()));
  return outcomes;
}

std::vector<Result<Outcome>> EarlierRequest::outcomes_without_events(
    Work& work, std::string_view key, std::span<const Answer> answers, bool revise) {
  const EarlierRequest request(work, key, {});
  std::vector<Result<Outcome>> outcomes;
  for (const Answer& answer : answers) outcomes.push_back(request.without_event(answer, revise));
  return outcomes;
}

/// The event has the verdicts that were taken, in the order of the request.
std::vector<Result<void>> EarlierRequest::reviews(
    std::string_view reviewer, std::span<const VerdictDraft> verdicts,
    const std::function<bool(const VerdictDraft&)>& is_possible) const {
  const auto reviewed = event_in<Reviewed>(first_);
  if (!reviewed || reviewed->reviewer != reviewer) return {verdicts.size(), of_another()};
  auto next = reviewed->verdicts.begin();
  std::vector<Result<void>> outcomes;
  for (const VerdictDraft& draft : verdicts) {
    const bool was_taken = next != reviewed->verdicts.end() &&
                           state().id(next->item) == draft.item && next->reason == draft.reason &&
                           class_name(state().options(), next->answer) == draft.answer;
    if (was_taken) {
      outcomes.emplace_back();
      ++next;
    } else if (is_possible(draft)) {
      return {verdicts.size(), of_another()};
    } else {
      outcomes.emplace_back(
          fail(ErrorCode::conflict,
               "the verdict on item {} was not taken when the key {} was first used; expected a "
               "new key",
               in_quotes(draft.item), in_quotes(key_)));
    }
  }
  if (next != reviewed->verdicts.end()) return {verdicts.size(), of_another()};
  return outcomes;
}

Result<void> EarlierRequest::undone(std::string_view item, std::string_view reviewer) const {
  const auto undone = event_in<ReviewUndone>(first_);
  const bool same = undone && undone->reviewer == reviewer && state().id(undone->item) == item;
  return same ? Result<void>() : of_another();
}

Result<Audit> EarlierRequest::audit(const AuditDraft& draft) const {
  auto start = event_in<AuditStarted>(first_);
  const bool same = start && start->plan.checks == draft.checks.value_or(0) &&
                    start->plan.target == draft.target.value_or(0) &&
                    start->plan.confidence == draft.confidence;
  if (!same) return of_another();
  std::uint32_t later = 0;  // audits
  for (std::uint64_t sequence = first_.sequence + 1; sequence <= state().sequence(); ++sequence) {
    const auto record = TRY(work_.at(sequence));
    later += record && event_in<AuditStarted>(*record).has_value();
  }
  return Audit{state().audit()->number - later, Time(std::chrono::microseconds(first_.time)),
               *std::move(start)};
}

Assignment assignment_of(const State& state, const Leased& lease) {
  return {state.id(lease.item), {}, lease.price, lease.expires, lease.reason};
}

}  // namespace allot::campaign
