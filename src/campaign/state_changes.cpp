// How changes by the requester move the state of a campaign: the standing of workers, options, the
// page, the archive.
#include "allot/base/text.hpp"
#include "allot/campaign/state.hpp"
#include "base/errors.hpp"
#include "base/try.hpp"

namespace allot::campaign {

Result<void> State::take(const StandingChanged& event, Time) {
  if (position(event.worker) >= worker_count()) {
    return fail(ErrorCode::conflict, "the standing of worker {}; expected one below {}",
                position(event.worker), worker_count());
  }
  WorkerFacts& worker = facts(event.worker);
  if (worker.standing == event.standing) {
    return fail(ErrorCode::conflict, "worker {} is {} already", in_quotes(name(event.worker)),
                campaign::name(event.standing));
  }
  const bool was_excluded = worker.standing == Standing::excluded;
  const bool is_excluded = event.standing == Standing::excluded;
  worker.standing = event.standing;
  worker.standing_reason = event.reason;
  worker.last.reset();
  lapse(leases_.of(event.worker));
  if (was_excluded != is_excluded && worker.labels > 0) set_excluded(event.worker, is_excluded);
  return {};
}

void State::set_excluded(WorkerId worker, bool excluded) {
  pairs_.set_excluded(worker, excluded);
  for (std::uint32_t i = 0; i < item_count(); ++i) {
    if (!pairs_.label(ItemId{i}, worker)) continue;
    excluded ? items_.drop_label(ItemId{i}) : items_.add_label(ItemId{i});
  }
  const std::uint32_t labels = facts(worker).labels;
  counts_.excluded = excluded ? counts_.excluded + labels : counts_.excluded - labels;
  // These rest on labels that counted, and on the beliefs that they gave.
  items_.unsettle(kCertain);
  gold_reading_ = {};
}

Result<void> State::take(const OptionsChanged& event, Time) {
  TRY(check(event.options));
  if (!can_change(options_, event.options)) {
    return fail(ErrorCode::conflict, "a change of options that a running campaign keeps");
  }
  if (event.options.stop != options_.stop) items_.unsettle(kCertain);
  options_ = event.options;
  items_.set_limit(options_.labels_per_item);
  return {};
}

Result<void> State::take(const PageChanged&, Time) { return {}; }

Result<void> State::take(const ArchiveChanged& event, Time) {
  if (event.archived == archived_) {
    return fail(ErrorCode::conflict, "the campaign is {} already",
                archived_ ? "archived" : "out of the archive");
  }
  archived_ = event.archived;
  if (archived_) lapse(leases_.all());
  return {};
}

}  // namespace allot::campaign
