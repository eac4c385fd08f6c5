// A command while it is decided: what it reads, and the events it emits.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "allot/campaign/names.hpp"
#include "allot/store/store.hpp"
#include "campaign/core.hpp"

namespace allot::campaign {

/// Records and contents that wait for one commit.
struct PendingCommit {
  std::uint64_t first = 0;  // sequence number of the first record
  std::vector<store::Draft> records = {};
  std::unordered_map<std::string, std::size_t> by_key = {};  // places in `records`
  std::vector<store::Content> contents = {};

  /// The record with that key, if it waits here.
  std::optional<store::Record> find(std::string_view key) const;
};

class Work {
 public:
  Work(Core& core, store::Store& store, const std::string& name, Time now, PendingCommit& pending)
      : core_(core), store_(store), name_(name), now_(now), pending_(pending) {}

  Core& core() { return core_; }
  const State& state() const { return core_.state(); }
  const std::string& campaign() const { return name_; }
  /// The caller's time, or that of the last event if the clock went back.
  Time time() const { return std::max(now_, state().time()); }

  /// Makes the event happen. The first event of a request carries its key.
  Result<void> emit(const Event& event, std::string_view key = {});
  /// Events that wait for the commit, those of earlier commands of the batch included.
  std::size_t emitted() const { return pending_.records.size(); }
  /// Fields of the item with that number.
  void add_content(std::uint32_t item, std::string fields) {
    pending_.contents.push_back({item, std::move(fields)});
  }
  /// Drops everything that waits. The campaign in memory is then ahead of its ledger: only for a
  /// campaign that nobody will use.
  void discard();

  /// Settles the items that the stop rules call sure, and pauses the campaign if the rules ask for
  /// no more. With `resume`, a campaign that they have paused resumes if they now ask for more.
  Result<void> follow_rules(bool resume);
  /// Ends leases that are over.
  Result<void> end_leases();

  /// The record with that key, on disk or waiting; nothing without a key.
  Result<std::optional<store::Record>> find(std::string_view key);
  /// The record with that sequence number, or nothing.
  Result<std::optional<store::Record>> at(std::uint64_t sequence);

  Result<ItemId> item(std::string_view id) const { return item_named(state(), id); }
  Result<WorkerId> worker(std::string_view name) const { return worker_named(state(), name); }
  Result<ClassId> label(std::string_view name) const {
    return class_named(state().options(), name);
  }
  /// The worker, who joins if unknown.
  Result<WorkerId> joined(std::string_view name);
  /// Refuses a closed campaign.
  Result<void> check_open() const;

 private:
  Core& core_;
  store::Store& store_;
  const std::string& name_;
  const Time now_;
  PendingCommit& pending_;
};

}  // namespace allot::campaign
