#include "allot/campaign/event.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "campaign/state_bytes.hpp"

namespace allot::campaign {
namespace {

/// The newest version of a kind. Added items, kind 2, can have truths since version 2.
constexpr std::uint8_t newest(std::uint8_t kind) { return kind == 2 ? 2 : 1; }

std::uint8_t version_of(const Event& event) {
  const auto* added = std::get_if<ItemsAdded>(&event);
  const bool measured = added && std::ranges::any_of(added->items, [](const NewItem& item) {
                          return item.truth.has_value();
                        });
  return measured ? 2 : 1;
}

constexpr std::array<std::string_view, std::variant_size_v<Event>> kNames{
    "created",  "items-added", "worker-joined", "worker-priced",  "leased",
    "answered", "revised",     "skipped",       "released",       "expired",
    "settled",  "paused",      "resumed",       "budget-changed", "closed"};

using campaign::put;
void put(ByteWriter& to, ItemId item) { to.number(position(item)); }
void put(ByteWriter& to, WorkerId worker) { to.number(position(worker)); }
void put(ByteWriter& to, ClassId one) { to.number(position(one)); }
void put(ByteWriter& to, LeaseReason reason) { to.byte(static_cast<std::uint8_t>(reason)); }
void put(ByteWriter& to, AnswerOrigin origin) { to.byte(static_cast<std::uint8_t>(origin)); }
void put(ByteWriter& to, std::uint32_t number) { to.number(number); }
void put(ByteWriter& to, const std::string& text) { to.text(text); }
void put(ByteWriter& to, const Options& options) { save(options, to); }
void put(ByteWriter& to, const std::vector<NewItem>& items) {
  to.number(items.size());
  for (const NewItem& item : items) {
    to.text(item.id);
    to.byte(static_cast<std::uint8_t>((item.price ? 1 : 0) | (item.gold ? 2 : 0) |
                                      (item.truth ? 4 : 0)));
    if (item.price) put(to, *item.price);
    if (item.gold) put(to, *item.gold);
    if (item.truth) put(to, *item.truth);
    to.array(item.features);
  }
}

void get(ByteReader& from, ItemId& item) { item = ItemId{from.at_most(UINT32_MAX)}; }
void get(ByteReader& from, WorkerId& worker) { worker = WorkerId{from.at_most(UINT32_MAX)}; }
void get(ByteReader& from, ClassId& one) { one = ClassId{from.at_most(UINT32_MAX)}; }
void get(ByteReader& from, Money& amount) { amount = get_money(from); }
void get(ByteReader& from, Time& time) { time = get_time(from); }
void get(ByteReader& from, LeaseReason& reason) { reason = from.at_most<LeaseReason>(2); }
void get(ByteReader& from, AnswerOrigin& origin) { origin = from.at_most<AnswerOrigin>(2); }
void get(ByteReader& from, std::uint32_t& number) { number = from.at_most(UINT32_MAX); }
void get(ByteReader& from, std::string& text) { text = from.text(); }
void get(ByteReader& from, Options& options) { options = load_options(from); }
void get(ByteReader& from, std::vector<NewItem>& items) {
  items.resize(from.count(3));
  for (NewItem& item : items) {
    item.id = from.text();
    const std::uint8_t flags = from.byte();
    if ((flags & 1) != 0) get(from, item.price.emplace());
    if ((flags & 2) != 0) get(from, item.gold.emplace());
    if ((flags & 4) != 0) get(from, item.truth.emplace());
    from.array(item.features);
  }
}

/// Calls visit(value) for each value of an event, in order.
template <typename Of, typename Visit>
void each(Of& event, Visit visit) {
  using Plain = std::remove_const_t<Of>;
  if constexpr (std::is_same_v<Plain, Created>) {
    visit(event.options);
  } else if constexpr (std::is_same_v<Plain, ItemsAdded>) {
    visit(event.items);
  } else if constexpr (std::is_same_v<Plain, WorkerJoined>) {
    visit(event.name);
  } else if constexpr (std::is_same_v<Plain, WorkerPriced>) {
    visit(event.worker), visit(event.price);
  } else if constexpr (std::is_same_v<Plain, Leased>) {
    visit(event.item), visit(event.worker), visit(event.price), visit(event.expires);
    visit(event.reason), visit(event.place);
  } else if constexpr (std::is_same_v<Plain, Answered>) {
    visit(event.item), visit(event.worker), visit(event.label), visit(event.price);
    visit(event.origin);
  } else if constexpr (std::is_same_v<Plain, Revised>) {
    visit(event.item), visit(event.worker), visit(event.label);
  } else if constexpr (std::is_same_v<Plain, Settled>) {
    visit(event.item), visit(event.reason);
  } else if constexpr (std::is_same_v<Plain, BudgetChanged>) {
    visit(event.budget);
  } else if constexpr (std::is_same_v<Plain, Closed> || std::is_same_v<Plain, Paused>) {
    visit(event.reason);
  } else if constexpr (!std::is_same_v<Plain, Resumed>) {
    visit(event.item), visit(event.worker);
  }
}

template <std::size_t place = 0>
Event of_kind(std::size_t wanted) {
  if constexpr (place + 1 < std::variant_size_v<Event>) {
    if (wanted != place) return of_kind<place + 1>(wanted);
  }
  return Event(std::in_place_index<place>);
}

}  // namespace

std::uint8_t kind(const Event& event) { return static_cast<std::uint8_t>(event.index() + 1); }

std::string_view name(const Event& event) { return kNames[event.index()]; }

std::string_view name(LeaseReason reason) {
  switch (reason) {
    case LeaseReason::chosen:
      return "chosen";
    case LeaseReason::gold:
      return "gold";
    case LeaseReason::waiting:
      break;
  }
  return "waiting";
}

std::string_view name(AnswerOrigin origin) {
  switch (origin) {
    case AnswerOrigin::leased:
      return "leased";
    case AnswerOrigin::late:
      return "late";
    case AnswerOrigin::imported:
      break;
  }
  return "imported";
}

std::string encode(const Event& event) {
  ByteWriter to;
  to.byte(version_of(event));
  std::visit([&](const auto& one) { each(one, [&](const auto& value) { put(to, value); }); },
             event);
  return std::move(to).take();
}

Result<Event> decode(std::uint8_t kind, std::string_view payload) {
  if (kind == 0 || kind > std::variant_size_v<Event>) {
    return fail(
        ErrorCode::store_failure,
        fmt::format("an event of kind {}; expected 1 to {} (is the file from a newer allot?)", kind,
                    std::variant_size_v<Event>));
  }
  ByteReader from(payload);
  const std::uint8_t version = from.byte();
  if (version > newest(kind)) {
    return fail(ErrorCode::store_failure,
                fmt::format("an event of version {}, written by a newer allot; expected at most {}",
                            version, newest(kind)));
  }
  Event event = of_kind(kind - 1U);
  std::visit([&](auto& one) { each(one, [&](auto& value) { get(from, value); }); }, event);
  if (version == 0 || !from.done()) {
    return fail(ErrorCode::store_failure,
                fmt::format("an event '{}' whose bytes make no sense", name(event)));
  }
  return event;
}

}  // namespace allot::campaign
