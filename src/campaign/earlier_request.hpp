// A request that comes a second time under its key.
//
// The first event of a request carries its key, and the other events follow it in the ledger. A
// second request with that key changes nothing: its answer is worked out from those events. A key
// that another kind of request used is refused. A request that left no event has no key in the
// ledger; repeating it is simply making it.
//
// The server remembers more keys: of recent responses (serve/admission.hpp) and of new campaigns
// (serve/vault.hpp).
#pragma once

#include <functional>

#include "campaign/work.hpp"

namespace allot::campaign {

/// The event of the record, if it is of that kind.
template <typename Kind>
std::optional<Kind> event_in(const store::Record& record) {
  auto event = decode(record.kind, record.payload);
  auto* const found = event ? std::get_if<Kind>(&*event) : nullptr;
  return found ? std::optional(std::move(*found)) : std::nullopt;
}

class EarlierRequest {
 public:
  /// The request that used the key; nothing if none did, or without a key.
  static Result<std::optional<EarlierRequest>> find(Work& work, std::string_view key);

  /// Refuses unless it added these items.
  Result<void> items(std::span<const ItemDraft> items) const;
  /// What it leased, without fields. Refuses unless that was to this worker, and for fewer items.
  /// It may have got fewer than it asked for, so a request for more is told what the first one got.
  Result<Handout> handout(std::string_view worker, std::uint32_t count) const;
  /// One outcome per answer, as they were then.
  std::vector<Result<Outcome>> outcomes(std::span<const Answer> answers, bool revise) const;
  /// The same for a request that is known to have been handled, though no event has its key: no
  /// answer was taken.
  static std::vector<Result<Outcome>> outcomes_without_events(Work& work, std::string_view key,
                                                              std::span<const Answer> answers,
                                                              bool revise);
  /// One outcome per verdict, as they were then. Refuses all if one is new: it was not taken then,
  /// and `is_possible` says that it could be taken now.
  std::vector<Result<void>> reviews(
      std::string_view reviewer, std::span<const VerdictDraft> verdicts,
      const std::function<bool(const VerdictDraft&)>& is_possible) const;
  /// Refuses unless it took back the verdict on this item, in the name of this reviewer.
  Result<void> undone(std::string_view item, std::string_view reviewer) const;
  /// The audit that it started. Refuses unless that has the same plan.
  Result<Audit> audit(const AuditDraft& draft) const;
  /// Refuses unless it ended leases of the worker, among these items, by events of this kind.
  template <typename End>
  Result<void> ended(std::span<const std::string> items, std::string_view worker) const {
    const auto end = event_in<End>(first_);
    const bool same = end && state().name(end->worker) == worker &&
                      std::ranges::find(items, state().id(end->item)) != items.end();
    return same ? Result<void>() : of_another();
  }

 private:
  EarlierRequest(Work& work, std::string_view key, store::Record first)
      : work_(work), key_(key), first_(std::move(first)) {}

  const State& state() const { return work_.state(); }
  tl::unexpected<Error> of_another() const;
  std::optional<Outcome> outcome_in(const store::Record& record, const Answer& answer,
                                    bool revise) const;
  Result<Outcome> without_event(const Answer& answer, bool revise) const;

  Work& work_;
  std::string_view key_;
  store::Record first_;  // the one with the key
};

/// An assignment without its fields.
Assignment assignment_of(const State& state, const Leased& lease);

}  // namespace allot::campaign
