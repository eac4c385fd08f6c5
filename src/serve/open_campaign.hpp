// A campaign that the hub has open, and a batch of commands in it.
//
// Commands get an OpenBatch: what they do is part of a shared commit. Everything else gets the
// OpenCampaign.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "allot/campaign/campaign.hpp"
#include "serve/accuracy_history.hpp"

namespace allot::serve {

/// Index of a campaign's ledger: which events are about which item.
///
/// Built when a client first asks for an item's history, by one pass over the ledger. The pass
/// reads one piece per turn, so that other requests go on in between; after that only new events
/// are read. Memory: 4 bytes per event and per item. Used by one thread at a time.
class ItemHistory {
 public:
  /// Reads the next piece; true once the end of the ledger is reached.
  Result<bool> read_on(campaign::Campaign& campaign);

  /// Sequence numbers of the last `most` events of the item, in order.
  std::vector<std::uint64_t> events_of(ItemId item, std::size_t most) const;

 private:
  std::uint64_t read_ = 0;
  std::vector<std::uint32_t> last_;    // per item, its last event; 0 for none
  std::vector<std::uint32_t> before_;  // per event, the previous one of the same item
  std::multimap<std::uint32_t, std::uint64_t> reviews_;  // events of several items, by item
};

/// Labels per minute over the last hour. The first call finds the start of the hour in the ledger
/// by bisection; later calls read only new events. Used by one thread at a time.
class LabelRate {
 public:
  Result<void> read_on(campaign::Campaign& campaign, campaign::Time now);
  /// Minutes count from 1970.
  std::uint64_t labels(std::int64_t minute) const;
  static std::int64_t minute_of(campaign::Time time);

 private:
  std::uint64_t read_ = 0;
  bool begun_ = false;
  std::map<std::int64_t, std::uint64_t> labels_;
};

/// Used by one thread at a time.
class OpenCampaign {
 public:
  OpenCampaign(const std::string& id, std::shared_ptr<store::Store> store,
               std::unique_ptr<campaign::Campaign> campaign, AccuracyStore& accuracy);
  ~OpenCampaign();

  campaign::Campaign* operator->() const { return campaign_.get(); }
  campaign::Campaign& operator*() const { return *campaign_; }
  campaign::CampaignView view() const { return campaign_->view(); }

  /// look(state) as a value.
  template <typename Look>
  auto read(Look look) const {
    return view().read(look);
  }
  /// The last event.
  Result<std::uint64_t> sequence() const;
  /// To be called now and then: lets the store tidy up once there was no event for ten calls.
  void rest_if_idle();

  /// Answers, workers and board as of the last event; computed again only after another event.
  template <typename Value>
  using Shared = std::shared_ptr<const Value>;
  Result<Shared<std::vector<campaign::AnswerRow>>> answers();
  Result<Shared<std::vector<campaign::WorkerRow>>> workers();
  Result<Shared<campaign::Board>> board();

  AccuracyHistory& accuracy_history() { return accuracy_history_; }
  ItemHistory& item_history() { return item_history_; }
  LabelRate& label_rate() { return label_rate_; }
  /// How often the worker has revised the label of this item in a row, this time included.
  std::uint32_t count_revision(const std::string& worker, const std::string& item);

 private:
  template <typename Value>
  struct Cached {
    std::uint64_t sequence = 0;
    Shared<Value> value;
  };
  /// The value in the cache, or make() if there was an event since.
  template <typename Value, typename Make>
  Result<Shared<Value>> current(Cached<Value>& cached, Make make);

  std::shared_ptr<store::Store> store_;
  std::unique_ptr<campaign::Campaign> campaign_;
  Cached<std::vector<campaign::AnswerRow>> answers_;
  Cached<std::vector<campaign::WorkerRow>> workers_;
  Cached<campaign::Board> board_;
  AccuracyHistory accuracy_history_;
  ItemHistory item_history_;
  LabelRate label_rate_;
  std::uint64_t seen_ = 0;  // the last event at the last call of rest_if_idle
  int idle_calls_ = 0;      // since that event
  std::map<std::string, std::pair<std::string, std::uint32_t>> revised_;  // by worker
};

/// A command's access to an open campaign, for as long as its batch is decided.
class OpenBatch {
 public:
  OpenBatch(OpenCampaign& open, campaign::Batch& batch) : open_(open), batch_(batch) {}

  campaign::Batch* operator->() const { return &batch_; }
  /// With the commands of the batch so far.
  campaign::CampaignView view() const { return batch_.view(); }

  /// look(state) as a value.
  template <typename Look>
  auto read(Look look) const {
    return view().read(look);
  }

  std::uint32_t count_revision(const std::string& worker, const std::string& item) const {
    return open_.count_revision(worker, item);
  }

 private:
  OpenCampaign& open_;
  campaign::Batch& batch_;
};

}  // namespace allot::serve
