// How changes by the requester move the state of a campaign: the standing of workers, options, the
// page, the archive, groups and versions.
#include <cmath>

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
  TRY(check_group_options(event.options));
  if (event.options.stop != options_.stop) items_.unsettle(kCertain);
  options_ = event.options;
  items_.set_limit(options_.labels_per_item);
  return {};
}

Result<void> State::take(const PageChanged&, Time) { return {}; }

Result<void> State::take(const WorkerGrouped& event, Time) {
  if (position(event.worker) >= worker_count()) {
    return fail(ErrorCode::conflict, "the group of worker {}; expected one below {}",
                position(event.worker), worker_count());
  }
  std::string& group = facts(event.worker).group;
  if (group == event.group) {
    return fail(ErrorCode::conflict, "worker {} belongs to group {} already",
                in_quotes(name(event.worker)), in_quotes(group));
  }
  if (!event.group.empty()) TRY(check_groups(options_));
  const std::vector<std::uint32_t> before = shared_groups();
  group = event.group;
  if (shared_groups() == before) return {};
  // These rest on the beliefs of before.
  items_.unsettle(kCertain);
  gold_reading_ = {};
  return {};
}

io::WorkerGroups State::groups() const {
  io::WorkerGroups result;
  std::map<std::string_view, std::uint32_t> numbers;
  for (const WorkerFacts& worker : workers_) {
    if (worker.group.empty()) {
      result.of_worker.push_back(0);
      continue;
    }
    const auto next = static_cast<std::uint32_t>(numbers.size() + 1);
    const auto [group, is_new] = numbers.try_emplace(worker.group, next);
    if (is_new) result.names.push_back(worker.group);
    result.of_worker.push_back(group->second);
  }
  return result;
}

std::vector<std::uint32_t> State::shared_groups() const {
  std::vector<std::uint32_t> groups = this->groups().of_worker;
  std::map<std::uint32_t, std::uint32_t> members, numbers;
  for (const std::uint32_t group : groups) ++members[group];
  for (std::uint32_t& group : groups) {
    if (group == 0 || members[group] < 2) {
      group = 0;
      continue;
    }
    const auto next = static_cast<std::uint32_t>(numbers.size() + 1);
    group = numbers.try_emplace(group, next).first->second;
  }
  // Workers who join later are alone and change nothing.
  while (!groups.empty() && groups.back() == 0) groups.pop_back();
  return groups;
}

bool State::comes_after(WorkerId follower, WorkerId worker) const {
  for (auto before = (*this)[follower].follows; before; before = (*this)[*before].follows)
    if (*before == worker) return true;
  return false;
}

Result<void> State::take(const WorkerVersioned& event, Time) {
  const auto refuse = [&](std::string_view why) {
    return fail(ErrorCode::conflict, "the version of worker {}: {}", position(event.worker), why);
  };
  if (position(event.worker) >= worker_count()) return refuse("no such worker");
  if (event.follows && position(*event.follows) >= worker_count())
    return refuse("it follows an unknown worker");
  WorkerFacts& worker = facts(event.worker);
  if (worker.follows == event.follows && worker.inherited == event.inherited) {
    if (worker.version == event.version) return refuse("nothing changes");
    worker.version = event.version;
    return {};
  }
  if (worker.labels > 0) return refuse("it has labels");
  if (event.follows == event.worker || (event.follows && comes_after(*event.follows, event.worker)))
    return refuse("it follows itself");
  const std::size_t cells = options_.classes.size() * options_.classes.size();
  const bool sound =
      event.inherited.empty() || (event.follows && event.inherited.size() == cells &&
                                  std::ranges::all_of(event.inherited, [](double count) {
                                    return count >= 0 && std::isfinite(count);
                                  }));
  if (!sound) return refuse("it inherits counts that make no sense");
  worker.version = event.version;
  worker.follows = event.follows;
  worker.inherited = event.inherited;
  return {};
}

std::vector<std::vector<double>> State::inherited() const {
  std::vector<std::vector<double>> result;
  for (std::size_t j = 0; j < workers_.size(); ++j) {
    const WorkerFacts& worker = workers_[j];
    if (worker.inherited.empty() || (*this)[*worker.follows].standing == Standing::excluded)
      continue;
    result.resize(j + 1);
    result[j] = worker.inherited;
  }
  return result;
}

bool State::reads_confidences() const {
  return pairs_.any_confidence() && check_groups(options_).has_value();
}

Result<void> State::check_group_options(const Options& options) const {
  const bool any = std::ranges::any_of(
      workers_, [](const WorkerFacts& worker) { return !worker.group.empty(); });
  return any ? check_groups(options) : Result<void>();
}

Result<void> State::take(const ClockSetBack&, Time time) {
  if (time >= time_)
    return fail(ErrorCode::conflict, "the clock set back to a time that is not back");
  const Time latest = time + options_.lease;
  leases_.cut(time, latest);
  for (WorkerFacts& worker : workers_) {
    if (worker.last) worker.last->second = std::min(worker.last->second, latest);
  }
  sessions_.cut(time);
  return {};
}

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
