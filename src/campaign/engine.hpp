// A campaign as all its callers share it: the one place that catches up with the ledger, decides
// and commits.
//
// Group commit: a commit costs one write to the disk however many events it has, so requests that
// wait are decided together. The thread that finds no other at work takes all waiting requests,
// decides them in order within one turn of the store, commits, and wakes their threads. Requests
// that arrive meanwhile wait for the next round. The server hands over a whole mailbox at once
// (serve/hub.hpp); those requests go through the same queue.
//
// The campaign in memory (`core_`) runs ahead of the disk while requests are decided. If the commit
// fails, or a request throws, the core is dropped and the next use folds it again from the ledger,
// so memory never shows an event that is not on disk.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "allot/campaign/campaign.hpp"
#include "campaign/source.hpp"

namespace allot::campaign {

class Engine final : public Source {
 public:
  Engine(store::Store& store, std::string name) : store_(store), name_(std::move(name)) {}

  /// Refuses a campaign that does not exist.
  Result<void> open();

  const std::string& name() const override { return name_; }
  store::Store& store() override { return store_; }
  Result<void> command(Time now, bool chooses, const std::function<void(Work&)>& decide) override;
  Result<void> look(const std::function<void(Core&)>& look) override;
  Result<std::optional<store::Record>> find(std::string_view key) override;
  Result<std::string> content(ItemId item) override;

  std::vector<Result<void>> commit(std::span<const BatchRequest> requests);

  void fit_ahead(bool ahead);
  std::uint64_t refits() const { return refits_; }
  Result<void> save_snapshot();

 private:
  class Deciding;
  /// A request on its way through the queue.
  struct Request {
    std::function<void(Deciding&)> decide;
    bool chooses;  // whether it needs beliefs
    Result<void> result = {};
    bool done = false;
  };

  /// Returns when all of these are done; they are never split between two commits.
  void run(std::span<Request> mine);
  void process(std::span<Request* const> requests);
  bool attempt(std::span<Request* const> requests);
  Result<void> decide(std::span<Request* const> requests);
  Result<void> write(store::Turn& turn, const PendingCommit& pending);

  void save_if_due();
  Result<void> save(Core& core);
  Result<void> catch_up();
  Result<void> reload();
  Result<void> follow_ledger();
  std::unique_ptr<Core> fresh_core() const;

  store::Store& store_;
  const std::string name_;

  std::mutex queue_mutex_;
  std::condition_variable finished_;
  std::vector<Request*> queue_;
  bool working_ = false;

  std::mutex core_mutex_;
  std::unique_ptr<Core> core_;  // none if it must be read again
  bool ahead_ = false;
  std::uint64_t snapshot_ = 0;  // the last event of the newest known snapshot
  std::atomic<std::uint64_t> refits_ = 0;
};

}  // namespace allot::campaign
