// A campaign that survives: items and workers, a budget and a policy, every event in a ledger.
//
//   auto campaign = Campaign::create(store, name, options, now(), {items, prices});
//   campaign->next(worker, count, now())    leases items, each with a price and an expiry
//   campaign->record(answer, now())         or skip, or release (campaign/commands.hpp)
//   campaign->view().answers()              or status, explain ... (campaign/view.hpp)
//
// A command reads what the ledger adds up to, decides, appends events, and returns when they are on
// disk. Only the ledger counts: if it cannot be written, the command did not happen.
//
// Threads can share a campaign. While one thread writes, the commands of the others queue up; the
// next writer decides all of them in order and commits them at once. Several processes can drive
// one campaign: each command first takes in what others have appended.
//
// Cost: one commit of the store per command, shared by the commands that wait with it. Choosing an
// item takes one search of policy/pair_policy.hpp, after a refit one pass over all items. Opening
// reads the last snapshot and the records after it: a million items with ten million labels open in
// 1.5 s of work and are ready to choose after 1.3 s more, in 470 MB (bench/ledger_bench.cpp).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "allot/campaign/commands.hpp"
#include "allot/campaign/options.hpp"
#include "allot/store/store.hpp"

namespace allot::campaign {

class Engine;

/// Commands that are decided one after the other and put on disk in one commit.
class Batch : public Commands {
 private:
  friend class Engine;
  explicit Batch(Source& source) : Commands(source) {}
};

/// A function that gives commands to its batch. It must not call the campaign itself: that call
/// would wait for the batch to end, and so for ever.
using BatchRequest = std::function<void(Batch&)>;

/// A campaign kept in a store. Commands are on disk when they return; threads can share the object.
class Campaign : public Commands {
 public:
  /// Starts a campaign in the store, which must outlive it. Refuses a name that is in use.
  /// Everything in `setup` is part of the same commit: if any of it is refused, no campaign is
  /// created.
  static Result<std::unique_ptr<Campaign>> create(store::Store& store, std::string name,
                                                  const Options& options, Time now,
                                                  const Setup& setup = {});
  /// Opens the campaign of that name. The store must outlive it. Refuses an unknown name.
  static Result<std::unique_ptr<Campaign>> open(store::Store& store, std::string name);
  ~Campaign();

  /// The name under which the store keeps the campaign.
  const std::string& name() const;

  /// Puts all commands of the request on disk in one commit. Their results, and all that the
  /// request read between them, hold only if this succeeds.
  Result<void> commit(const BatchRequest& request);
  /// Puts several requests on disk in one commit, with one result per request. A request that
  /// throws is undone and fails alone: the others are then called again, one commit each. Keys of
  /// their commands can be named in `keys`: some stores then look for all of them at once.
  std::vector<Result<void>> commit(std::span<const BatchRequest> requests,
                                   std::span<const std::string> keys = {});

  /// Turns background refits on or off, for a process that stays: a background thread makes refits
  /// of 8,800 labels or 40,000 items and more while others ask and answer. They take effect after a
  /// fixed number of further labels, so decisions are the same with and without it.
  void fit_ahead(bool ahead);
  /// Refits that took effect since this object was opened.
  std::uint64_t refits() const;

  /// Folds the ledger from its first event, makes every decision in it again, and compares both
  /// with the state and the decisions kept here.
  Result<Verification> verify();
  /// Saves a snapshot, so that the campaign opens quickly. Campaigns also save one by themselves.
  Result<void> save_snapshot();

 private:
  explicit Campaign(std::unique_ptr<Engine> engine);
  std::unique_ptr<Engine> engine_;
};

}  // namespace allot::campaign
