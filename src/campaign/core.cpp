#include "campaign/core.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "allot/base/text.hpp"
#include "allot/policy/bound.hpp"
#include "allot/policy/label_worth.hpp"
#include "allot/policy/ties.hpp"
#include "base/try.hpp"

namespace allot::campaign {
namespace {

using policy::Pair;

/// Of snapshots; one of another version is not read, since the ledger says the same.
constexpr std::uint64_t kVersion = 4;

/// Log-odds are rounded up to so small steps for the bound of many items: each different one costs,
/// and surer items only make the bound higher, by 0.0005 at most.
constexpr double kOddsStep = 1.0 / 512;
constexpr std::size_t kManyItems = 2000;

/// The design of these items and those before; none without features.
Result<std::shared_ptr<const model::Design>> design_with(const State& state,
                                                         const std::vector<NewItem>& more) {
  model::Features all{state.item_count() + static_cast<std::uint32_t>(more.size()),
                      state.options().features,
                      {state.features().begin(), state.features().end()}};
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
      before.bond = state_.bond(answer->item, answer->worker);
    }
  } else if (const auto* revised = std::get_if<Revised>(&event)) {
    if (position(revised->item) < state_.item_count()) {
      before.label = state_.label(revised->item, revised->worker).value_or(ClassId{});
    }
  } else if (std::holds_alternative<Closed>(event)) {
    before.leases = state_.leases();
  }
  return state_.apply(event, time).map([&] { follow(event, before); });
}

void Core::follow(const Event& event, const Before& before) {
  if (std::holds_alternative<Created>(event)) {
    start();
  } else if (const auto* added = std::get_if<ItemsAdded>(&event)) {
    const auto count = static_cast<std::uint32_t>(added->items.size());
    advisor_->add_items(count, std::move(next_design_));
    for (std::uint32_t i = state_.item_count() - count; i < state_.item_count(); ++i) {
      update_open(ItemId{i});
    }
  } else if (std::holds_alternative<WorkerJoined>(event)) {
    advisor_->add_worker(state_.options().price);
  } else if (const auto* priced = std::get_if<WorkerPriced>(&event)) {
    advisor_->set_price(priced->worker, priced->price);
  } else if (const auto* leased = std::get_if<Leased>(&event)) {
    advisor_->hold({leased->item, leased->worker});
    update_open(leased->item);
  } else if (const auto* answered = std::get_if<Answered>(&event)) {
    const Pair pair{answered->item, answered->worker};
    if (before.bond == Bond::none || before.bond == Bond::lapsed) advisor_->hold(pair);
    if (const auto truth = state_.truth(pair.item)) {
      advisor_->record_known(pair, *truth, answered->label);
    } else {
      advisor_->record(pair, answered->label);
    }
    update_open(pair.item);
  } else if (const auto* revised = std::get_if<Revised>(&event)) {
    const Pair pair{revised->item, revised->worker};
    if (const auto truth = state_.truth(pair.item)) {
      advisor_->revise_known(pair, *truth, before.label, revised->label);
    } else {
      advisor_->revise(pair, revised->label);
    }
  } else if (const auto* skipped = std::get_if<Skipped>(&event)) {
    update_open(skipped->item);
  } else if (const auto* released = std::get_if<Released>(&event)) {
    advisor_->reopen({released->item, released->worker});
    update_open(released->item);
  } else if (const auto* expired = std::get_if<Expired>(&event)) {
    advisor_->reopen({expired->item, expired->worker});
    update_open(expired->item);
  } else if (const auto* settled = std::get_if<Settled>(&event)) {
    update_open(settled->item);
    if (watch_) settled_.push_back(settled->item);
  }
  for (const Lease& one : before.leases) {
    advisor_->reopen({one.item, one.worker});
    update_open(one.item);
  }
}

void Core::update_open(ItemId item) {
  advisor_->set_open(item, state_.has_room(item) && state_.pending(item) == 0);
}

/// As far as the worker and the money go.
bool Core::may_get(ItemId item, WorkerId worker) const {
  const Bond bond = state_.bond(item, worker);
  return (bond == Bond::none || bond == Bond::lapsed) &&
         state_.price(item, worker) <= state_.left();
}

Result<Core::Pick> Core::pick(WorkerId worker) {
  const Options& options = state_.options();
  const WorkerFacts& facts = state_[worker];
  const std::string who = in_quotes(state_.name(worker));
  if (!state_.may_label(worker)) {
    return fail(ErrorCode::forbidden,
                fmt::format("worker {} has {} labels and {} items at hand, at most {} are allowed",
                            who, facts.labels, facts.leases, options.labels_a_worker));
  }
  if (options.stop.worth && !is_worth_asking(worker)) {
    return fail(ErrorCode::forbidden,
                fmt::format("no label of worker {} is worth its price of {}, where a right answer "
                            "is worth {}",
                            who, money_text(least_price(worker)), money_text(*options.stop.worth)));
  }
  if (auto gold = pick_gold(worker)) return *gold;
  Rng rng(options.seed, Rng::Purpose::tie, state_.sequence() + 1);
  const auto open = pick_open(worker, rng);
  const bool worth = open && desk().value({*open, worker}) > 0;
  if (worth) return Pick{*open, Why::chosen};
  // Nothing else is worth asking: what others have at hand may be, if it is worth anything.
  const double above = open ? 0 : -std::numeric_limits<double>::infinity();
  if (const auto waiting = pick_waiting(worker, above, rng)) return Pick{*waiting, Why::waiting};
  if (open) return Pick{*open, Why::chosen};
  const auto price = cheapest_left(worker);
  if (price && *price > state_.left()) {
    return fail(
        ErrorCode::budget_exhausted,
        fmt::format("a label of {} costs {}, of the budget of {} there are {} left "
                    "(spent {}, reserved {})",
                    who, money_text(*price), money_text(state_.budget()), money_text(state_.left()),
                    money_text(state_.spent()), money_text(state_.reserved())));
  }
  return fail(ErrorCode::not_found, fmt::format("there is nothing left to ask worker {}", who));
}

std::optional<Money> Core::cheapest_left(WorkerId worker) const {
  if (state_[worker].price || !state_.items_have_prices()) {
    return state_[worker].price.value_or(state_.options().price);
  }
  std::optional<Money> least;
  for (std::uint32_t i = 0; i < state_.item_count(); ++i) {
    const ItemId item{i};
    const Bond bond = state_.bond(item, worker);
    if (!state_.has_room(item) || (bond != Bond::none && bond != Bond::lapsed)) continue;
    least = std::min(least.value_or(state_.price(item, worker)), state_.price(item, worker));
  }
  return least;
}

std::optional<Core::Pick> Core::pick_gold(WorkerId worker) {
  const double rate = state_.options().gold_rate;
  if (rate == 0 || state_.gold().empty()) return {};
  Rng rng(state_.options().seed, Rng::Purpose::candidates, state_.sequence() + 1);
  if (uniform(rng) >= rate) return {};
  std::vector<ItemId> untried;
  for (const ItemId item : state_.gold()) {
    if (may_get(item, worker)) untried.push_back(item);
  }
  if (untried.empty()) return {};
  return Pick{untried[below(rng, untried.size())], Why::gold};
}

/// The best that nobody has at hand, among those that can be paid.
std::optional<ItemId> Core::pick_open(WorkerId worker, Rng& rng) {
  policy::Desk& desk = this->desk();
  if (!state_.items_have_prices() || state_[worker].price) {
    const Money price = state_[worker].price.value_or(state_.options().price);
    if (price > state_.left()) return {};
    return desk.choose(worker, rng);
  }
  policy::Withheld too_expensive(desk);
  std::optional<ItemId> found;
  while ((found = desk.choose(worker, rng)) && !may_get(*found, worker)) too_expensive.add(*found);
  return found;
}

/// Of the items that others have at hand, and that are worth more than `above`: those that fewest
/// have, and of these the best.
std::optional<ItemId> Core::pick_waiting(WorkerId worker, double above, Rng& rng) {
  std::vector<std::uint32_t> items;
  for (const Lease& one : state_.leases()) items.push_back(position(one.item));
  std::ranges::sort(items);
  const auto [again, end] = std::ranges::unique(items);
  items.erase(again, end);
  std::uint32_t fewest = UINT32_MAX;
  std::vector<std::uint32_t> candidates;
  std::vector<double> values;
  for (const std::uint32_t number : items) {
    const ItemId item{number};
    if (!state_.has_room(item) || !may_get(item, worker)) continue;
    if (state_.pending(item) > fewest) continue;
    const double value = policy::steady(desk().value({item, worker}));
    if (!(value > above)) continue;
    if (state_.pending(item) < fewest) {
      fewest = state_.pending(item);
      candidates.clear();
      values.clear();
    }
    candidates.push_back(number);
    values.push_back(value);
  }
  if (candidates.empty()) return {};
  const auto tied = policy::best_candidates(values);
  return ItemId{candidates[policy::break_tie(tied, state_.options().ties, rng)]};
}

Money Core::least_price(WorkerId worker) const {
  return state_[worker].price.value_or(state_.lowest_price());
}

std::optional<Pair> Core::pick_pair() {
  if (state_.phase() == Phase::closed || stop_reason()) return {};
  policy::Desk& desk = this->desk();
  Rng rng(state_.options().seed, Rng::Purpose::tie, state_.sequence() + 1);
  policy::Withheld left_out(desk);
  for (std::uint32_t j = 0; j < state_.worker_count(); ++j) {
    const WorkerId worker{j};
    if (!state_.may_label(worker) || least_price(worker) > state_.left()) left_out.add(worker);
  }
  std::optional<Pair> found;
  while ((found = desk.choose(rng)) && state_.price(found->item, found->worker) > state_.left()) {
    left_out.add(found->item);
  }
  return found;
}

StopWatch& Core::watch() {
  policy::Desk& desk = this->desk();
  const auto look_at = [&](ItemId item) {
    const auto part = state_.truth(item)             ? StopWatch::Part::none
                      : state_.settled(item).empty() ? StopWatch::Part::open
                                                     : StopWatch::Part::settled;
    watch_->set(item, part, part == StopWatch::Part::none ? 0 : desk.crowd().error(item));
  };
  policy::ItemChanges& changes = desk.item_changes();
  if (changes.all) {
    for (std::uint32_t i = 0; i < state_.item_count(); ++i) look_at(ItemId{i});
  } else {
    for (const ItemId item : changes.items) look_at(item);
    for (const ItemId item : settled_) look_at(item);
  }
  changes.clear();
  settled_.clear();
  return *watch_;
}

std::vector<ItemId> Core::sure() {
  std::vector<ItemId> items;
  if (!watch_) return items;
  for (const std::uint32_t item : watch().sure()) items.push_back(ItemId{item});
  return items;
}

/// The more doubtful an item, the more its labels are worth: the worker's most doubtful decides.
bool Core::is_worth_asking(WorkerId worker) {
  const Money worth = *state_.options().stop.worth;
  const auto& items = watch().by_doubt();
  for (auto one = items.rbegin(); one != items.rend(); ++one) {
    const Bond bond = state_.bond(ItemId{one->item}, worker);
    if (bond != Bond::none && bond != Bond::lapsed) continue;
    const double reliability = crowd().reliability(worker, state_[worker].labels).mean;
    return policy::is_label_worth(one->error, reliability, least_price(worker), worth);
  }
  return true;  // there is nothing to ask, which is no question of worth
}

std::optional<policy::StopReason> Core::stop_reason() {
  using policy::StopReason;
  if (!watch_) return {};
  const StopWatch& now = watch();
  if (now.is_accurate()) return StopReason::accuracy;
  if (now.all_settled()) return StopReason::settled;
  const auto& worth = state_.options().stop.worth;
  if (!worth || !now.any_open()) return {};
  // Somebody new may come, and then any item is open for them.
  if (policy::is_label_worth(now.by_doubt().rbegin()->error, advisor_->newcomer_reliability(),
                             state_.lowest_price(), *worth)) {
    return {};
  }
  for (std::uint32_t j = 0; j < state_.worker_count(); ++j) {
    if (is_worth_asking(WorkerId{j})) return {};
  }
  return StopReason::worth;
}

std::optional<double> Core::bound() {
  const auto all = log_odds(crowd());
  if (!all) return {};
  std::vector<double> odds;
  for (std::uint32_t i = 0; i < state_.item_count(); ++i) {
    if (state_.truth(ItemId{i})) continue;
    const double one = std::abs((*all)[i]);
    odds.push_back(state_.item_count() > kManyItems ? std::ceil(one / kOddsStep) * kOddsStep : one);
  }
  Money lowest = state_.lowest_price();
  for (std::uint32_t j = 0; j < state_.worker_count(); ++j) {
    lowest = std::min(lowest, least_price(WorkerId{j}));
  }
  if (odds.empty() || lowest <= Money()) return {};
  const auto labels = static_cast<double>(state_.left().pays(lowest) + state_.lease_count());
  return policy::coin_budget_curve(odds, advisor_->best_reliability())
      .accuracy_for_budget(labels / static_cast<double>(odds.size()))
      .accuracy;
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
    for (const Share& share : state_.shares(ItemId{i})) {
      const Pair pair{ItemId{i}, share.worker};
      if (share.bond == Bond::labelled) {
        desk.close_labelled(pair);
      } else if (share.bond != Bond::lapsed) {
        desk.hold(pair);
      }
    }
    update_open(ItemId{i});
  }
  advisor_->desk();
  return whole;
}

}  // namespace allot::campaign
