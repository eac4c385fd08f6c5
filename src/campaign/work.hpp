// What a command may do while it is decided.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "allot/base/text.hpp"
#include "allot/store/store.hpp"
#include "base/try.hpp"
#include "campaign/core.hpp"

namespace allot::campaign {

/// What is put on disk in one turn.
struct Batch {
  std::uint64_t first = 0;  // number of the first draft
  std::vector<store::Draft> drafts = {};
  std::unordered_map<std::string, std::size_t> by_key = {};  // places in drafts
  std::vector<store::Content> contents = {};
};

class Work {
 public:
  Work(Core& core, store::Store& store, const std::string& name, Time now, Batch& batch)
      : drafts(batch.drafts),
        contents(batch.contents),
        by_key_(batch.by_key),
        first_(batch.first),
        core_(core),
        store_(store),
        name_(name),
        now_(now) {}

  Core& core() { return core_; }
  const State& state() const { return core_.state(); }
  Time time() const { return std::max(now_, state().time()); }

  /// The event happens. The first of a request carries its key.
  Result<void> emit(const Event& event, std::string_view key = {}) {
    const Time at = state().sequence() == 0 ? now_ : time();
    return core_.apply(event, at).map([&] {
      if (!key.empty()) by_key_.emplace(key, drafts.size());
      drafts.push_back(
          {at.time_since_epoch().count(), kind(event), std::string(key), encode(event)});
    });
  }

  /// Settles what the stop rules call settled, and pauses the campaign if they ask for no more.
  /// With `resume`, a campaign that they have paused goes on if they ask for more now.
  Result<void> follow_rules(bool resume) {
    if (!state().options().stop.any() || state().phase() == Phase::closed) return {};
    for (const ItemId item : core_.sure()) {
      TRY(emit(Settled{item, std::string(kCertain)}));
    }
    const auto reason = core_.stop_reason();
    if (state().phase() == Phase::running) {
      return reason ? emit(Paused{std::string(policy::name(*reason))}) : Result<void>();
    }
    const bool by_rule = !state().reason().empty();
    return resume && by_rule && !reason ? emit(Resumed{}) : Result<void>();
  }

  Result<void> end_leases() {
    for (const Lease& one : state().over(time())) {
      TRY(emit(Expired{one.item, one.worker}));
    }
    return {};
  }

  /// The record with that key, on disk or about to be.
  Result<std::optional<store::Record>> find(std::string_view key) {
    if (key.empty()) return std::nullopt;
    const auto fresh = by_key_.find(std::string(key));
    if (fresh != by_key_.end()) {
      return store::Record{drafts[fresh->second], first_ + fresh->second};
    }
    return store_.find(name_, key);
  }
  /// The record with that number, or nothing.
  Result<std::optional<store::Record>> at(std::uint64_t sequence) {
    if (sequence >= first_) {
      if (sequence - first_ >= drafts.size()) return std::nullopt;
      return store::Record{drafts[sequence - first_], sequence};
    }
    return store_.read(name_, sequence - 1, 1).map([](std::vector<store::Record> found) {
      return found.empty() ? std::nullopt : std::optional(std::move(found.front()));
    });
  }

  Result<ItemId> item(std::string_view id) const {
    if (const auto known = state().find_item(id)) return *known;
    return fail(ErrorCode::not_found,
                fmt::format("item {} is unknown; expected the id of one of {} items", in_quotes(id),
                            state().item_count()));
  }
  Result<WorkerId> worker(std::string_view name) const {
    if (const auto known = state().find_worker(name)) return *known;
    return fail(
        ErrorCode::not_found,
        fmt::format("worker {} is unknown; expected one who was handed an item", in_quotes(name)));
  }
  Result<ClassId> label(std::string_view name) const {
    const auto& classes = state().options().classes;
    const auto known = std::ranges::find(classes, name);
    if (known != classes.end()) {
      return ClassId{static_cast<std::uint32_t>(known - classes.begin())};
    }
    return fail(ErrorCode::not_found,
                fmt::format("class {} is unknown; expected one of {}", in_quotes(name),
                            some_in_quotes(state().options().classes, 8)));
  }
  Result<WorkerId> joined(std::string_view name) {
    if (const auto known = state().find_worker(name)) return *known;
    if (name.empty()) return fail(ErrorCode::invalid_argument, "a worker needs a name");
    return emit(WorkerJoined{std::string(name)}).map([&] {
      return WorkerId{state().worker_count() - 1};
    });
  }
  Result<void> open() const {
    if (state().phase() != Phase::closed) return {};
    return fail(ErrorCode::forbidden,
                fmt::format("campaign {} is closed ({})", in_quotes(name_), state().reason()));
  }

  const std::string& campaign() const { return name_; }

  std::vector<store::Draft>& drafts;
  std::vector<store::Content>& contents;

 private:
  std::unordered_map<std::string, std::size_t>& by_key_;
  const std::uint64_t first_;
  Core& core_;
  store::Store& store_;
  const std::string& name_;
  Time now_;
};

}  // namespace allot::campaign
