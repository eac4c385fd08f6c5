// What can happen in a campaign. Its ledger is a list of these, and nothing else is true.
//
// An event is kept as its kind, a byte, and a payload: the version of the encoding, then the values
// in order (base/bytes.hpp), 5 to 20 bytes for what happens often. Kinds and their order of values
// never change; a new version may add values, and is named only by events that have them.
#pragma once

#include <chrono>
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

namespace allot::campaign {

/// UTC. Given by the caller, never read from a clock here.
using Time = std::chrono::sys_time<std::chrono::microseconds>;

/// Why an item was handed out.
enum class Why : std::uint8_t {
  chosen,   // the best for this worker among those that nobody has
  gold,     // its answer is known: the worker is tried
  waiting,  // others have it already, but nothing else was worth asking
};

/// How a label came.
enum class How : std::uint8_t {
  leased,    // in time
  late,      // after its lease was gone
  imported,  // from elsewhere, for nothing
};

struct NewItem {
  std::string id;
  std::optional<Money> price = {};
  std::optional<ClassId> truth = {};  // a known answer: a gold item
  std::vector<double> features = {};  // as many as the options name
  /// Its class as the requester knows it, for measuring alone: no decision looks at it.
  std::optional<ClassId> reference = {};

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
  Why why;
  /// Its place in what one request got, from 0.
  std::uint32_t place;
  bool operator==(const Leased&) const = default;
};
struct Answered {
  ItemId item;
  WorkerId worker;
  ClassId label;
  Money price;
  How how;
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
/// The worker gives the item back and may get it again.
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
/// Nobody is asked about the item any more. A stop rule's reason is kCertain.
inline constexpr std::string_view kCertain = "certain";
struct Settled {
  ItemId item;
  std::string reason;
  bool operator==(const Settled&) const = default;
};
/// The reason is the stop rule's name (policy/stop_rules.hpp); none if somebody wished it.
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
/// For good; all leases end with it.
struct Closed {
  std::string reason;
  bool operator==(const Closed&) const = default;
};

/// The place in this list, from 1, is the kind.
using Event =
    std::variant<Created, ItemsAdded, WorkerJoined, WorkerPriced, Leased, Answered, Revised,
                 Skipped, Released, Expired, Settled, Paused, Resumed, BudgetChanged, Closed>;

std::uint8_t kind(const Event& event);
/// As in exported logs: "leased".
std::string_view name(const Event& event);
std::string_view name(Why why);
std::string_view name(How how);

std::string encode(const Event& event);
/// Refuses bytes that no event is written as, or by a newer version only.
Result<Event> decode(std::uint8_t kind, std::string_view payload);

}  // namespace allot::campaign
