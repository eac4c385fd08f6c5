#include "campaign/core.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include "allot/base/text.hpp"
#include "base/try.hpp"

namespace allot::campaign {
namespace {

using policy::Pair;

/// Version of snapshots. A snapshot of another version is ignored, since the ledger says the same.
constexpr std::uint64_t kVersion = 4;

/// The design of all items so far and these; none without features.
Result<std::shared_ptr<const model::Design>> design_with(const State& state,
                                                         const std::vector<NewItem>& more) {
  model::Features all{state.item_count() + static_cast<std::uint32_t>(more.size()),
                      state.options().features,
                      {state.items().features().begin(), state.items().features().end()}};
  if (all.names.empty() || all.item_count == 0) return nullptr;
  for (const NewItem& item : more) {
    all.values.insert(all.values.end(), item.features.begin(), item.features.end());
  }
  if (all.values.size() != all.names.size() * all.item_count) return nullptr;  // refused later
  return model::prepare(all).map([](model::Design design) {
    return std::shared_ptr<const model::Design>(
        std::make_shared<const model::Design>(std::move(design)));
  });
}

std::uint32_t check_of(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace

Result<void> Core::apply(const store::Record& record) {
  const auto named = [&](const Error& error) {
    return Error{ErrorCode::store_failure,
                 fmt::format("record {} of the ledger: {}", record.sequence, error.message)};
  };
  if (record.sequence != state_.sequence() + 1) {
    return fail(ErrorCode::store_failure, fmt::format("record {} of the ledger; expected {}",
                                                      record.sequence, state_.sequence() + 1));
  }
  return decode(record.kind, record.payload)
      .and_then([&](const Event& event) {
        return apply(event, Time(std::chrono::microseconds(record.time)));
      })
      .map_error(named);
}

Result<void> Core::apply(const Event& event, Time time) {
  Before before;
  if (const auto* items = std::get_if<ItemsAdded>(&event)) {
    next_design_ = TRY(design_with(state_, items->items));
  } else if (const auto* answer = std::get_if<Answered>(&event)) {
    if (position(answer->item) < state_.item_count()) {
      before.status = state_.pairs().status(answer->item, answer->worker);
    }
  } else if (const auto* revised = std::get_if<Revised>(&event)) {
    if (position(revised->item) < state_.item_count()) {
      before.label = state_.pairs().label(revised->item, revised->worker).value_or(ClassId{});
    }
  } else if (std::holds_alternative<Closed>(event)) {
    before.leases = state_.leases().all();
  }
  return state_.apply(event, time).map([&] {
    // Every kind of event has a `follow`, so a new kind does not compile without one.
    std::visit([&](const auto& kind) { follow(kind, before); }, event);
  });
}

void Core::follow(const Created&, const Before&) { start(); }

void Core::follow(const ItemsAdded& event, const Before&) {
  const auto count = static_cast<std::uint32_t>(event.items.size());
  advisor_->add_items(count, std::move(next_design_));
  for (std::uint32_t i = state_.item_count() - count; i < state_.item_count(); ++i) {
    update_open(ItemId{i});
  }
}

void Core::follow(const WorkerJoined&, const Before&) {
  advisor_->add_worker(state_.options().price);
}

void Core::follow(const WorkerPriced& event, const Before&) {
  advisor_->set_price(event.worker, event.price);
}

void Core::follow(const Leased& event, const Before&) {
  advisor_->hold({event.item, event.worker});
  update_open(event.item);
}

void Core::follow(const Answered& event, const Before& before) {
  const Pair pair{event.item, event.worker};
  if (before.status == PairStatus::none || before.status == PairStatus::lapsed) {
    advisor_->hold(pair);
  }
  if (const auto gold = state_.items().gold(pair.item)) {
    advisor_->record_known(pair, *gold, event.label);
  } else {
    advisor_->record(pair, event.label);
  }
  update_open(pair.item);
}

void Core::follow(const Revised& event, const Before& before) {
  const Pair pair{event.item, event.worker};
  if (const auto gold = state_.items().gold(pair.item)) {
    advisor_->revise_known(pair, *gold, before.label, event.label);
  } else {
    advisor_->revise(pair, event.label);
  }
}

void Core::follow(const Skipped& event, const Before&) { update_open(event.item); }

void Core::follow(const Released& event, const Before&) { reopen(event.item, event.worker); }

void Core::follow(const Expired& event, const Before&) { reopen(event.item, event.worker); }

void Core::follow(const Settled& event, const Before&) {
  update_open(event.item);
  if (watch_) settled_.push_back(event.item);
}

void Core::follow(const Closed&, const Before& before) {
  for (const Lease& lease : before.leases) reopen(lease.item, lease.worker);
}

void Core::reopen(ItemId item, WorkerId worker) {
  advisor_->reopen({item, worker});
  update_open(item);
}

void Core::update_open(ItemId item) {
  advisor_->set_open(item, state_.items().has_room(item) && state_.items().pending(item) == 0);
}

void Core::fit_ahead(bool ahead) {
  ahead_ = ahead;
  if (advisor_) advisor_->refit_in_background(ahead);
}

void Core::start() {
  advisor_.emplace(state_.options());
  advisor_->refit_in_background(ahead_);
  if (state_.options().stop.any()) watch_.emplace(state_.options().stop);
}

store::Snapshot Core::snapshot() {
  ByteWriter state, beliefs, head;
  state_.save(state);
  crowd().save(beliefs);
  head.number(kVersion);
  head.number(check_of(state.bytes()));
  head.number(check_of(beliefs.bytes()));
  store::Snapshot result{state_.sequence(), {}};
  result.parts.push_back(std::move(head).take());
  result.parts.push_back(std::move(state).take());
  result.parts.push_back(std::move(beliefs).take());
  return result;
}

bool Core::load(store::Snapshot&& snapshot) {
  if (snapshot.parts.size() != 3) return false;
  ByteReader head(snapshot.parts[0]), state(snapshot.parts[1]);
  if (head.number() != kVersion || head.number() != check_of(snapshot.parts[1]) ||
      head.number() != check_of(snapshot.parts[2]) || !head.done()) {
    return false;
  }
  if (!state_.load(state) || !state.done() || state_.sequence() != snapshot.sequence) return false;
  snapshot.parts[1] = {};
  const auto design = design_with(state_, {});
  if (!design) return false;
  start();
  if (state_.item_count() > 0) advisor_->add_items(state_.item_count(), *design);
  for (std::uint32_t j = 0; j < state_.worker_count(); ++j) {
    advisor_->add_worker(state_[WorkerId{j}].price.value_or(state_.options().price));
  }
  policy::Desk& desk = advisor_->desk();
  ByteReader beliefs(snapshot.parts[2]);
  desk.load(beliefs);
  const bool whole = beliefs.done();
  snapshot.parts[2] = {};
  for (std::uint32_t i = 0; i < state_.item_count(); ++i) {
    for (const Share& share : state_.pairs().shares(ItemId{i})) {
      const Pair pair{ItemId{i}, share.worker};
      if (share.status == PairStatus::labelled) {
        desk.close_labelled(pair);
      } else if (share.status != PairStatus::lapsed) {
        desk.hold(pair);
      }
    }
    update_open(ItemId{i});
  }
  advisor_->desk();
  return whole;
}

}  // namespace allot::campaign
