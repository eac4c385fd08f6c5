// What webhooks tell: events of a ledger in words that receivers know, and bodies of messages.
//
//   label.created      a label came, or was revised (how: "revised")
//   item.settled       nobody is asked about an item any more: by a rule, by wish, or since it has
//                      all labels that it may have ("full")
//   budget.exhausted   less is left of the budget than the lowest price of a label
//   campaign.closed    for good
//   lease.expired      a worker kept an item too long
//
// All of it follows from the ledger alone, so the same events make the same messages whenever they
// are read. Two of them depend on what was before: a teller that tells those must have seen every
// event from the first on, and keeps 4 bytes an item if labels of items are limited. O(1) an event.
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

enum class Tidings : std::uint8_t {
  label_created,
  item_settled,
  budget_exhausted,
  campaign_closed,
  lease_expired,
};
inline constexpr std::array<std::string_view, 5> kTidings{
    "label.created", "item.settled", "budget.exhausted", "campaign.closed", "lease.expired"};
/// What a test message is called.
inline constexpr std::string_view kTestTidings = "webhook.test";

/// A set of them, a bit each.
using TidingsSet = std::uint8_t;
constexpr TidingsSet bit(Tidings one) {
  return static_cast<TidingsSet>(1U << static_cast<unsigned>(one));
}

/// Something to be sent.
struct Message {
  std::uint64_t sequence = 0;
  std::string type = {};
  /// {"type": ..., "timestamp": ..., "data": {...}}
  std::string body = {};
  /// With the sequence number it makes an id that is the same whenever the message is made.
  int place = 0;
};

std::string message_body(std::string_view type, campaign::Time time, std::string_view data);

class Teller {
 public:
  Teller(std::string campaign, TidingsSet wanted)
      : campaign_(std::move(campaign)), wanted_(wanted) {}

  /// Whether it must see the ledger from its beginning.
  bool needs_history(const campaign::State& state) const;

  /// Takes the next event; what is to be told of it is added to `messages`. `state` is that of the
  /// campaign, then or later.
  void take(const campaign::Happened& one, const campaign::State& state,
            std::vector<Message>& messages);

 private:
  bool wants(Tidings one) const { return (wanted_ & bit(one)) != 0; }
  /// Whether the item is settled by its last label.
  bool filled(ItemId item, const campaign::State& state);
  /// Whether the event used up the budget.
  bool used_up(const campaign::Event& event);
  Money lowest_price() const;

  const std::string campaign_;
  const TidingsSet wanted_;
  /// Labels by item; kDone once it was told of.
  std::vector<std::uint32_t> labels_;
  Money budget_, spent_, price_;
  std::optional<Money> item_price_;
  std::map<WorkerId, Money> worker_prices_;
  bool exhausted_ = false;
};

}  // namespace allot::serve
