// Messages of webhooks, written from the events of a ledger.
//
//   label.created      a label was recorded or revised (how: "revised")
//   item.settled       no more workers are asked about an item: a rule or a person settled it, or
//                      it has all labels it may have ("full")
//   budget.exhausted   the budget left is below the lowest price of a label
//   campaign.closed    the campaign is closed for good
//   lease.expired      a worker kept an item too long
//
// Messages follow from the ledger alone, so the same events give the same messages whenever they
// are read. Two topics depend on earlier events: a writer for them must see every event from the
// first, and keeps 4 bytes per item if labels per item are limited. O(1) per event; a budget check
// is O(workers with a price).
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
};
inline constexpr std::array<std::string_view, 5> kTopics{
    "label.created", "item.settled", "budget.exhausted", "campaign.closed", "lease.expired"};
/// The type of a test message.
inline constexpr std::string_view kTestTopic = "webhook.test";

/// A set of topics, one bit each.
using TopicSet = std::uint8_t;
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
  bool needs_history(const campaign::State& state) const;

  /// Takes the next event and adds its messages. `state` is the campaign's, at that event or later.
  void take(const campaign::LedgerEntry& entry, const campaign::State& state,
            std::vector<Message>& messages);

 private:
  class Visit;

  bool wants(Topic topic) const { return (topics_ & bit(topic)) != 0; }
  /// Counts a label; true if it is the last one the item may have.
  bool is_filled_by(ItemId item, const campaign::State& state);
  Money lowest_price() const;

  const std::string campaign_;
  const TopicSet topics_;
  /// Labels per item; kDone once a message told that it is settled.
  std::vector<std::uint32_t> labels_;
  Money budget_, spent_, price_;
  std::optional<Money> item_price_;
  std::map<WorkerId, Money> worker_prices_;
  bool exhausted_ = false;
};

}  // namespace allot::serve
