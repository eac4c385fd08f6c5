// Messages of webhooks, written from the events of a ledger.
//
//   label.created      a label was recorded or revised (how: "revised")
//   item.settled       no more workers are asked about an item: a rule or a person settled it, or
//                      it has all labels it may have ("full")
//   budget.exhausted   the budget left is below the lowest price of a label
//   campaign.closed    the campaign is closed for good
//   lease.expired      a worker kept an item too long
//   campaign.changed   options, the page or the budget changed (what: "options", "page", "budget")
//   worker.changed     a worker was blocked, excluded or restored
//   campaign.archived  the campaign went into the archive, or out of it
//
// Messages follow from the ledger alone, so the same events give the same messages whenever they
// are read. Two topics depend on earlier events: a writer for them must see every event from the
// first. For settled items it keeps 8 bytes per item. O(1) per event; a budget check is O(workers
// with a price), and a change of options or of a worker's standing is O(items). An item that such a
// change opens is told again when it is settled again.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "allot/campaign/campaign.hpp"

namespace allot::serve {

/// Topics of messages; their names are in kTopics.
enum class Topic : std::uint8_t {
  label_created,
  item_settled,
  budget_exhausted,
  campaign_closed,
  lease_expired,
  campaign_changed,
  worker_changed,
  campaign_archived,
};
inline constexpr std::array<std::string_view, 8> kTopics{
    "label.created", "item.settled",     "budget.exhausted", "campaign.closed",
    "lease.expired", "campaign.changed", "worker.changed",   "campaign.archived"};
/// The type of a test message.
inline constexpr std::string_view kTestTopic = "webhook.test";

/// A set of topics, one bit each.
using TopicSet = std::uint8_t;
static_assert(kTopics.size() <= 8);
constexpr TopicSet bit(Topic topic) {
  return static_cast<TopicSet>(1U << static_cast<unsigned>(topic));
}

/// A message to send.
struct Message {
  std::uint64_t sequence = 0;
  std::string type = {};
  /// {"type": ..., "timestamp": ..., "data": {...}}
  std::string body = {};
  /// With the sequence number this makes an id that is the same whenever the message is written.
  int place = 0;
};

std::string message_body(std::string_view type, campaign::Time time, const std::string& data);

class MessageWriter {
 public:
  MessageWriter(std::string campaign, TopicSet topics)
      : campaign_(std::move(campaign)), topics_(topics) {}

  /// True if the writer must see the ledger from its first event.
  bool needs_history() const {
    return wants(Topic::budget_exhausted) || wants(Topic::item_settled);
  }

  /// Takes the next event and adds its messages. `state` is the campaign's, at that event or later.
  void take(const campaign::LedgerEntry& entry, const campaign::State& state,
            std::vector<Message>& messages);

 private:
  class Visit;

  bool wants(Topic topic) const { return (topics_ & bit(topic)) != 0; }
  /// An item on its way to be settled.
  struct Progress {
    enum class Settled : std::uint8_t { no, by_rule, by_hand };
    std::uint32_t labels = 0;
    Settled settled = Settled::no;
  };
  bool is_finished(const Progress& item) const {
    return item.settled != Progress::Settled::no || (limit_ > 0 && item.labels >= limit_);
  }
  /// Counts a label; true if it is the last one the item may have.
  bool is_filled_by(ItemId item, const campaign::State& state);
  /// The labels of the worker begin or cease to count.
  void recount(WorkerId worker, bool excluded, const campaign::State& state);
  /// Opens the items that a stop rule had settled.
  void unsettle();
  Money lowest_price() const;

  const std::string campaign_;
  const TopicSet topics_;
  std::vector<Progress> items_;  // only for settled items
  std::uint32_t limit_ = 0;      // labels per item; 0 for any number
  policy::StopRules stop_;
  std::map<WorkerId, bool> excluded_;
  std::map<WorkerId, std::string> groups_;
  Money budget_, spent_, price_;
  std::optional<Money> item_price_;
  std::map<WorkerId, Money> worker_prices_;
  bool exhausted_ = false;
};

}  // namespace allot::serve
