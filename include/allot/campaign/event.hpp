// The events of a campaign. Its ledger is a list of them, and everything else follows from it.
//
// The ledger keeps an event as its kind, one byte, and a payload: the version of the encoding, then
// the values in order (base/bytes.hpp), 5 to 20 bytes for frequent events. Kinds and the order of
// values never change. A new version can add values; only events that have them name it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "allot/base/ids.hpp"
#include "allot/base/money.hpp"
#include "allot/base/result.hpp"
#include "allot/campaign/options.hpp"
#include "allot/campaign/time.hpp"

namespace allot::campaign {

/// Why an item was leased.
enum class LeaseReason : std::uint8_t {
  chosen,   // the best for this worker among items without a lease
  gold,     // its answer is known: the worker is tested
  waiting,  // leased to others already, but nothing else was worth asking
};

/// Where a label comes from.
enum class AnswerOrigin : std::uint8_t {
  leased,    // in time
  late,      // after its lease had ended
  imported,  // from elsewhere, free
};

struct NewItem {
  std::string id;
  std::optional<Money> price = {};
  std::optional<ClassId> gold = {};   // the known answer of a gold item
  std::vector<double> features = {};  // as many as the options name
  /// The class that the requester knows. It measures answers; no decision looks at it.
  std::optional<ClassId> truth = {};

  bool operator==(const NewItem&) const = default;
};

struct Created {
  Options options;
  bool operator==(const Created&) const = default;
};
struct ItemsAdded {
  std::vector<NewItem> items;
  bool operator==(const ItemsAdded&) const = default;
};
struct WorkerJoined {
  std::string name;
  bool operator==(const WorkerJoined&) const = default;
};
struct WorkerPriced {
  WorkerId worker;
  Money price;
  bool operator==(const WorkerPriced&) const = default;
};
struct Leased {
  ItemId item;
  WorkerId worker;
  Money price;
  Time expires;
  LeaseReason reason;
  /// Its place among the leases of one request, from 0.
  std::uint32_t place;
  bool operator==(const Leased&) const = default;
};
struct Answered {
  ItemId item;
  WorkerId worker;
  ClassId label;
  Money price;
  AnswerOrigin origin;
  bool operator==(const Answered&) const = default;
};
struct Revised {
  ItemId item;
  WorkerId worker;
  ClassId label;
  bool operator==(const Revised&) const = default;
};
/// The worker will not label the item.
struct Skipped {
  ItemId item;
  WorkerId worker;
  bool operator==(const Skipped&) const = default;
};
/// The worker gives the item back and can get it again.
struct Released {
  ItemId item;
  WorkerId worker;
  bool operator==(const Released&) const = default;
};
struct Expired {
  ItemId item;
  WorkerId worker;
  bool operator==(const Expired&) const = default;
};
/// Workers are no longer asked about the item. The reason of a stop rule is kCertain.
inline constexpr std::string_view kCertain = "certain";
struct Settled {
  ItemId item;
  std::string reason;
  bool operator==(const Settled&) const = default;
};
/// The reason is the stop rule's name (policy/stop_rules.hpp); empty if a caller paused it.
struct Paused {
  std::string reason = {};
  bool operator==(const Paused&) const = default;
};
struct Resumed {
  bool operator==(const Resumed&) const = default;
};
struct BudgetChanged {
  Money budget;
  bool operator==(const BudgetChanged&) const = default;
};
/// For good. All leases end with it.
struct Closed {
  std::string reason;
  bool operator==(const Closed&) const = default;
};

/// The kind of an event is its place in this list, from 1.
using Event =
    std::variant<Created, ItemsAdded, WorkerJoined, WorkerPriced, Leased, Answered, Revised,
                 Skipped, Released, Expired, Settled, Paused, Resumed, BudgetChanged, Closed>;

std::uint8_t kind(const Event& event);
/// The name of the event in exports, such as "leased".
std::string_view name(const Event& event);
std::string_view name(LeaseReason reason);
std::string_view name(AnswerOrigin origin);

std::string encode(const Event& event);
/// Refuses bytes that are no event, or an event of a newer version.
Result<Event> decode(std::uint8_t kind, std::string_view payload);

}  // namespace allot::campaign
