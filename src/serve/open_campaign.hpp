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
#include "serve/item_history.hpp"
#include "serve/label_rate.hpp"

namespace allot::serve {

/// Used by one thread at a time.
class OpenCampaign {
 public:
  OpenCampaign(std::string id, std::unique_ptr<store::Store> store,
               std::unique_ptr<campaign::Campaign> campaign, AccuracyStore& accuracy);
  ~OpenCampaign();

  const std::string& id() const { return id_; }
  campaign::Campaign* operator->() const { return campaign_.get(); }
  campaign::Campaign& operator*() const { return *campaign_; }
  campaign::CampaignView view() const { return campaign_->view(); }

  /// look(state) as a value.
  template <typename Look>
  auto read(Look look) const {
    return view().read(look);
  }

  /// Answers, workers and board as of the last event; computed again only after another event.
  using Answers = std::shared_ptr<const std::vector<campaign::AnswerRow>>;
  using Workers = std::shared_ptr<const std::vector<campaign::WorkerRow>>;
  using Boards = std::shared_ptr<const campaign::Board>;
  Result<Answers> answers();
  Result<Workers> workers();
  Result<Boards> board();

  AccuracyHistory& accuracy_history() { return accuracy_history_; }
  ItemHistory& item_history() { return item_history_; }
  LabelRate& label_rate() { return label_rate_; }
  /// How often the worker has revised the label of this item in a row, this time included.
  std::uint32_t count_revision(const std::string& worker, const std::string& item);

 private:
  Result<std::uint64_t> sequence() const;

  const std::string id_;
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<campaign::Campaign> campaign_;
  std::uint64_t answers_at_ = 0, workers_at_ = 0;
  Answers answers_;
  Workers workers_;
  Boards board_;
  AccuracyHistory accuracy_history_;
  ItemHistory item_history_;
  LabelRate label_rate_;
  std::map<std::string, std::pair<std::string, std::uint32_t>> revised_;  // by worker
};

/// A command's access to an open campaign, for as long as its batch is decided.
class OpenBatch {
 public:
  OpenBatch(OpenCampaign& open, campaign::Batch& batch) : open_(open), batch_(batch) {}

  const std::string& id() const { return open_.id(); }
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
