#include "campaign/work.hpp"

#include <stdexcept>

#include "allot/base/text.hpp"
#include "base/errors.hpp"

namespace allot::campaign {

std::optional<store::Record> PendingCommit::find(std::string_view key) const {
  const auto known = by_key.find(std::string(key));
  if (known == by_key.end()) return std::nullopt;
  return store::Record{records[known->second], first + known->second};
}

Result<void> Work::emit(const Event& event, std::string_view key) {
  const Time at = state().sequence() == 0 ? now_ : time();
  TRY(core_.apply(event, at));
  if (!key.empty()) pending_.by_key.emplace(key, pending_.records.size());
  pending_.records.push_back(
      {at.time_since_epoch().count(), kind(event), std::string(key), encode(event)});
  return {};
}

void Work::follow_clock() {
  if (!state().clock_went_back(now_)) return;
  if (const auto emitted = emit(ClockSetBack{}); !emitted)
    throw std::logic_error(emitted.error().message);
}

Result<void> Work::follow_rules(bool resume) {
  if (state().phase() == Phase::closed) return {};
  if (state().gold_reading().is_due(state().label_counts()))
    TRY(emit(GoldStated{core_.gold_beliefs()}));
  // A rule that has paused the campaign can be gone.
  const bool waits = state().phase() == Phase::paused && !state().reason().empty();
  if (!state().options().stop.any() && !waits) return {};
  for (const ItemId item : core_.sure()) TRY(emit(Settled{item, std::string(kCertain)}));
  const auto reason = core_.stop_reason();
  if (state().phase() == Phase::running) {
    return reason ? emit(Paused{std::string(policy::name(*reason))}) : Result<void>();
  }
  const bool by_rule = !state().reason().empty();
  return resume && by_rule && !reason ? emit(Resumed{}) : Result<void>();
}

Result<void> Work::end_leases() {
  for (const Lease& lease : state().leases().over(time())) {
    TRY(emit(Expired{lease.item, lease.worker}));
  }
  return {};
}

Result<std::optional<store::Record>> Work::find(std::string_view key) {
  if (key.empty()) return std::nullopt;
  return source_.find(key);
}

Result<std::optional<store::Record>> Work::at(std::uint64_t sequence) {
  if (sequence >= pending_.first) {
    const std::uint64_t place = sequence - pending_.first;
    if (place >= pending_.records.size()) return std::nullopt;
    return store::Record{pending_.records[place], sequence};
  }
  auto found = TRY(source_.read(sequence - 1, 1));
  return found.empty() ? std::nullopt : std::optional(std::move(found.front()));
}

Result<WorkerId> Work::joined(std::string_view name) {
  if (const auto known = state().find_worker(name)) return *known;
  if (name.empty()) return fail(ErrorCode::invalid_argument, "a worker needs a name");
  TRY(emit(WorkerJoined{std::string(name)}));
  return WorkerId{state().worker_count() - 1};
}

Result<void> Work::check_open() const {
  if (state().phase() != Phase::closed) return {};
  return fail(ErrorCode::forbidden, "campaign {} is closed ({})", in_quotes(name_),
              state().reason());
}

}  // namespace allot::campaign
