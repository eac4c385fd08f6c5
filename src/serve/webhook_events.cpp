#include "serve/webhook_events.hpp"

#include <algorithm>

#include "serve/json.hpp"

namespace allot::serve {
namespace {

using namespace campaign;

constexpr std::uint32_t kDone = UINT32_MAX;

}  // namespace

std::string message_body(std::string_view type, Time time, std::string_view data) {
  return JsonObject().text("type", type).time("timestamp", time).json("data", data).end();
}

bool Teller::needs_history(const State& state) const {
  return wants(Tidings::budget_exhausted) ||
         (wants(Tidings::item_settled) && state.options().labels_an_item > 0);
}

void Teller::take(const Happened& one, const State& state, std::vector<Message>& messages) {
  const auto data = [&] {
    return JsonObject().text("campaign", campaign_).whole("sequence", one.sequence);
  };
  const auto tell = [&](Tidings what, JsonObject& members) {
    const auto place = static_cast<std::size_t>(what);
    const std::string type(kTidings[place]);
    messages.push_back(
        {one.sequence, type, message_body(type, one.time, members.end()), static_cast<int>(place)});
  };
  const auto settled = [&](ItemId item, std::string_view reason) {
    tell(Tidings::item_settled, data().text("item", state.id(item)).text("reason", reason));
  };
  const auto labelled = [&](const auto& given) {
    return data()
        .text("item", state.id(given.item))
        .text("worker", state.name(given.worker))
        .text("label", state.options().classes[position(given.label)]);
  };
  const bool settles = wants(Tidings::item_settled);
  if (const auto* given = std::get_if<Answered>(&one.event)) {
    if (wants(Tidings::label_created)) {
      tell(Tidings::label_created,
           labelled(*given).money("price", given->price).text("how", name(given->how)));
    }
    if (settles && filled(given->item, state)) settled(given->item, "full");
  } else if (const auto* revised = std::get_if<Revised>(&one.event)) {
    if (wants(Tidings::label_created)) {
      tell(Tidings::label_created, labelled(*revised).json("price", "0").text("how", "revised"));
    }
  } else if (const auto* done = std::get_if<Settled>(&one.event)) {
    std::uint32_t* const known =
        position(done->item) < labels_.size() ? &labels_[position(done->item)] : nullptr;
    if (settles && !(known && *known == kDone)) settled(done->item, done->reason);
    if (known) *known = kDone;
  } else if (const auto* expired = std::get_if<Expired>(&one.event)) {
    if (wants(Tidings::lease_expired)) {
      tell(
          Tidings::lease_expired,
          data().text("item", state.id(expired->item)).text("worker", state.name(expired->worker)));
    }
  } else if (const auto* closed = std::get_if<Closed>(&one.event)) {
    if (wants(Tidings::campaign_closed)) {
      tell(Tidings::campaign_closed, data().text_or_null("reason", closed->reason));
    }
  } else if (const auto* added = std::get_if<ItemsAdded>(&one.event)) {
    if (settles && state.options().labels_an_item > 0) {
      labels_.resize(labels_.size() + added->items.size());
    }
  }
  if (wants(Tidings::budget_exhausted) && used_up(one.event)) {
    tell(Tidings::budget_exhausted, data().money("budget", budget_).money("spent", spent_));
  }
}

bool Teller::filled(ItemId item, const State& state) {
  const std::uint32_t limit = state.options().labels_an_item;
  if (limit == 0 || state.truth(item)) return false;
  std::uint32_t& labels = labels_[position(item)];
  if (labels == kDone || ++labels < limit) return false;
  labels = kDone;
  return true;
}

bool Teller::used_up(const Event& event) {
  if (const auto* created = std::get_if<Created>(&event)) {
    budget_ = created->options.budget;
    price_ = created->options.price;
  } else if (const auto* added = std::get_if<ItemsAdded>(&event)) {
    for (const NewItem& one : added->items) {
      if (one.price) item_price_ = std::min(item_price_.value_or(*one.price), *one.price);
    }
  } else if (const auto* priced = std::get_if<WorkerPriced>(&event)) {
    worker_prices_[priced->worker] = priced->price;
  } else if (const auto* changed = std::get_if<BudgetChanged>(&event)) {
    budget_ = changed->budget;
  } else if (const auto* given = std::get_if<Answered>(&event)) {
    spent_ += given->price;
  } else {
    return false;
  }
  const bool before = std::exchange(exhausted_, budget_ - spent_ < lowest_price());
  return exhausted_ && !before;
}

Money Teller::lowest_price() const {
  Money lowest = std::min(price_, item_price_.value_or(price_));
  for (const auto& [worker, price] : worker_prices_) lowest = std::min(lowest, price);
  return lowest;
}

}  // namespace allot::serve
