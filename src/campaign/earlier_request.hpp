// A request that comes a second time under its key.
//
// This is what makes repeating a request harmless. The first event of a request carries its key,
// and the other events follow it in the ledger. A second request with that key changes nothing: its
// answer is worked out from those events. A key that another kind of request used is refused. A
// request that left no event has no key in the ledger; repeating it is simply making it.
//
// The server has two more memories of keys, for what no ledger holds. It keeps recent responses
// (serve/service.cpp) to repeat them word by word, refusals included, without asking the campaign.
// And its list of campaigns knows the keys under which they were made (serve/vault.hpp).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "allot/campaign/types.hpp"
#include "campaign/work.hpp"

namespace allot::campaign {

class EarlierRequest {
 public:
  /// The request that used the key; nothing if none did, or without a key.
  static Result<std::optional<EarlierRequest>> find(Work& work, std::string_view key);

  /// Refuses unless it added these items.
  Result<void> items(std::span<const ItemDraft> items) const;
  /// What it leased, without fields. Refuses unless that was to this worker.
  Result<Handout> handout(std::string_view worker) const;
  /// One outcome per answer, as they were then.
  std::vector<Result<Outcome>> outcomes(std::span<const Answer> answers, bool revise) const;
  /// Refuses unless it ended leases of the worker, among these items, by events of this kind.
  template <typename End>
  Result<void> ended(std::span<const std::string> items, std::string_view worker) const;

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

/// The worker to whom the record leases an item; nothing if it does not.
std::optional<WorkerId> leased_to(const store::Record& record);

/// An assignment without its fields.
Assignment assignment_of(const State& state, const Leased& lease);

template <typename End>
Result<void> EarlierRequest::ended(std::span<const std::string> items,
                                   std::string_view worker) const {
  const auto event = decode(first_.kind, first_.payload);
  const auto* const end = event ? std::get_if<End>(&*event) : nullptr;
  const bool same = end && state().name(end->worker) == worker &&
                    std::ranges::find(items, state().id(end->item)) != items.end();
  return same ? Result<void>() : of_another();
}

}  // namespace allot::campaign
