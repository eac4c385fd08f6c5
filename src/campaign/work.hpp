// A command while it is decided: what it reads, and the events it emits. And where commands and
// views find their campaign.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "allot/campaign/types.hpp"
#include "base/try.hpp"
#include "campaign/core.hpp"
#include "campaign/field_check.hpp"

namespace allot::campaign {

class Work;

/// The engine (campaign.cpp), or a batch that it is deciding.
///
/// The engine takes a lock, catches up with the ledger and commits. A batch does nothing of that:
/// it is decided while the engine holds the lock, and commits when all of it is decided.
class Source {
 public:
  virtual ~Source() = default;

  /// decide(work), which emits events. From the engine the events are on disk when this succeeds.
  /// `chooses` says whether the decision needs beliefs. `decide` may be called more than once if
  /// what it did was undone.
  virtual Result<void> command(Time now, bool chooses,
                               const std::function<void(Work&)>& decide) = 0;
  /// look(core), up to date.
  virtual Result<void> look(const std::function<void(Core&)>& look) = 0;
  /// Up to `most` records on disk after that sequence number.
  virtual Result<std::vector<store::Record>> read(std::uint64_t after, std::size_t most) = 0;
  /// The record with that key, on disk or waiting.
  virtual Result<std::optional<store::Record>> find(std::string_view key) = 0;
  virtual Result<std::string> content(ItemId item) = 0;
};

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
  Work(Core& core, Source& source, const std::string& name, Time now, PendingCommit& pending)
      : core_(core), source_(source), name_(name), now_(now), pending_(pending) {}

  Core& core() { return core_; }
  const State& state() const { return core_.state(); }
  const std::string& campaign() const { return name_; }
  /// The time of the next event: the caller's, or that of the last event if the clock went back a
  /// little. If it went back far, time goes on from the caller's.
  Time time() const {
    return state().clock_went_back(now_) ? now_ : std::max(now_, state().time());
  }

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
  void discard() { pending_ = {.first = pending_.first}; }

  /// Sets the time of the ledger back if the clock was wrong before. Comes before any decision:
  /// decisions draw random numbers by the number of their event.
  void follow_clock();
  /// Reads the gold items again if it is time. Settles the items that the stop rules call sure, and
  /// pauses the campaign if the rules ask for no more. With `resume`, a campaign that they have
  /// paused resumes if they now ask for more.
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
  Source& source_;
  const std::string& name_;
  const Time now_;
  PendingCommit& pending_;
};

/// The result of decide(work), or the refusal of the commit; of several results `count` refusals.
template <typename Decide>
auto run_command(Source& source, Time now, Decide decide, std::size_t count = 1,
                 bool chooses = false) -> std::invoke_result_t<Decide, Work&> {
  using Reply = std::invoke_result_t<Decide, Work&>;
  std::optional<Reply> reply;
  const auto kept = source.command(now, chooses, [&](Work& work) { reply.emplace(decide(work)); });
  if (kept) return *std::move(reply);
  if constexpr (requires { typename Reply::error_type; }) {
    return tl::unexpected(kept.error());
  } else {
    return Reply(count, tl::unexpected(kept.error()));
  }
}

/// The result of look(core, state).
template <typename Look>
auto run_look(Source& source, Look look) -> std::invoke_result_t<Look, Core&, const State&> {
  std::optional<std::invoke_result_t<Look, Core&, const State&>> seen;
  TRY(source.look([&](Core& core) { seen.emplace(look(core, core.state())); }));
  return *std::move(seen);
}

/// Checks that the ledger adds up to what is kept in `live`, and that every decision in it can be
/// made again. Reports a record that cannot happen as a difference; refuses only if the store
/// cannot be read. Cost: that of all events and decisions so far, and the memory of a second
/// campaign.
Result<Verification> verify(Source& ledger, const ContentReader& contents, Core& live);

}  // namespace allot::campaign
