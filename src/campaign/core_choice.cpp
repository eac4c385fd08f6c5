// The decisions of a campaign: the next item for a worker, the next pair, when to stop.
#include <algorithm>
#include <limits>

#include "allot/base/text.hpp"
#include "allot/policy/label_worth.hpp"
#include "allot/policy/ties.hpp"
#include "base/errors.hpp"
#include "campaign/audit_sheet.hpp"
#include "campaign/core.hpp"

namespace allot::campaign {
namespace {

using policy::Pair;

}  // namespace

bool Core::is_free(ItemId item, WorkerId worker) const {
  const PairStatus status = state_.pairs().status(item, worker);
  return (status == PairStatus::none || status == PairStatus::lapsed) && !is_barred(item, worker);
}

/// Whether the worker can get the item and the budget can pay for it.
bool Core::may_get(ItemId item, WorkerId worker) const {
  return is_free(item, worker) && state_.price(item, worker) <= state_.account().left();
}

Result<Core::Pick> Core::pick(WorkerId worker) {
  const Options& options = state_.options();
  const WorkerFacts& facts = state_[worker];
  const auto who = [&] { return in_quotes(state_.name(worker)); };
  if (facts.standing != Standing::active) {
    return fail(ErrorCode::forbidden, "worker {} is {} and gets no more items", who(),
                campaign::name(facts.standing));
  }
  if (!state_.sessions().may_label(worker, facts.leases)) {
    return fail(ErrorCode::forbidden, "worker {} has all items of the session, or is in none",
                who());
  }
  if (!state_.may_label(worker)) {
    return fail(ErrorCode::forbidden,
                "worker {} has {} labels and {} leased items; at most {} are allowed", who(),
                facts.labels, facts.leases, options.labels_per_worker);
  }
  if (options.stop.worth && !is_worth_asking(worker)) {
    return fail(ErrorCode::forbidden,
                "no label of worker {} is worth its price of {}; a right answer is worth {}", who(),
                money_text(least_price(worker)), money_text(*options.stop.worth));
  }
  if (!counts(worker)) return pick_test(worker);
  if (const Money kept = is_outside(worker) ? Money() : kept_for_people();
      kept > Money() && state_.account().left() < kept + least_price(worker)) {
    return fail(ErrorCode::budget_exhausted,
                "{} of the budget is left, and {} of it is for the people's sample",
                money_text(state_.account().left()), money_text(kept));
  }
  if (auto gold = pick_gold(worker)) return *gold;
  if (const auto sampled = pick_sample(worker)) return Pick{*sampled, LeaseReason::sample};
  Rng rng(options.seed, Rng::Purpose::tie, state_.sequence() + 1);
  const auto open = pick_open(worker, rng);
  const bool worth = open && desk().value({*open, worker}) > 0;
  if (worth) return Pick{*open, LeaseReason::chosen};
  // No open item is worth asking about; an item leased to others can be.
  const double above = open ? 0 : -std::numeric_limits<double>::infinity();
  if (const auto waiting = pick_waiting(worker, above, rng))
    return Pick{*waiting, LeaseReason::waiting};
  if (open) return Pick{*open, LeaseReason::chosen};
  const auto price = cheapest_left(worker);
  if (price && *price > state_.account().left()) {
    return fail(
        ErrorCode::budget_exhausted,
        "a label of worker {} costs {}; of the budget of {}, {} is left (spent {}, reserved {})",
        who(), money_text(*price), money_text(state_.account().budget),
        money_text(state_.account().left()), money_text(state_.account().spent),
        money_text(state_.account().reserved));
  }
  return fail(ErrorCode::not_found, "there is no item left for worker {}", who());
}

std::optional<Money> Core::cheapest_left(WorkerId worker) const {
  if (state_[worker].price || !state_.items().any_price()) {
    return state_[worker].price.value_or(state_.options().price);
  }
  std::optional<Money> least;
  for (std::uint32_t i = 0; i < state_.item_count(); ++i) {
    const ItemId item{i};
    if (!state_.items().has_room(item) || !is_free(item, worker)) continue;
    const Money price = state_.price(item, worker);
    least = std::min(least.value_or(price), price);
  }
  return least;
}

std::optional<Core::Pick> Core::pick_gold(WorkerId worker) {
  const double rate = state_.options().gold_rate;
  if (rate == 0 || state_.items().gold_items().empty()) return {};
  Rng rng(state_.options().seed, Rng::Purpose::candidates, state_.sequence() + 1);
  if (uniform(rng) >= rate) return {};
  return draw_gold(worker, rng);
}

Result<Core::Pick> Core::pick_test(WorkerId worker) const {
  Rng rng(state_.options().seed, Rng::Purpose::candidates, state_.sequence() + 1);
  if (const auto gold = draw_gold(worker, rng)) return *gold;
  return fail(ErrorCode::not_found, "worker {} can get no item of the qualification",
              in_quotes(state_.name(worker)));
}

std::optional<Core::Pick> Core::draw_gold(WorkerId worker, Rng& rng) const {
  std::vector<ItemId> untried;
  for (const ItemId item : state_.items().gold_items()) {
    if (may_get(item, worker)) untried.push_back(item);
  }
  if (untried.empty()) return {};
  return Pick{untried[below(rng, untried.size())], LeaseReason::gold};
}

/// Whether the item can be leased, and labels and leases are fewer than the sample needs.
bool Core::wants_sample_label(ItemId item) const {
  const ItemTable& items = state_.items();
  return items.has_room(item) && items.labels(item) + items.pending(item) < sample_->labels();
}

/// Whether the item can be leased, and no worker outside groups has labelled or leased it.
bool Core::wants_outside_label(ItemId item) const {
  if (!state_.items().has_room(item)) return false;
  const auto shares = state_.pairs().shares(item);
  return std::ranges::none_of(shares, [&](const Share& share) {
    const bool counts = share.status == PairStatus::labelled || share.status == PairStatus::leased;
    return counts && is_outside(share.worker);
  });
}

Money Core::kept_for_people() const {
  Money kept;
  if (!people_) return kept;
  for (const auto& [ticket, number] : people_->items()) {
    const ItemId item{number};
    if (wants_outside_label(item))
      kept += state_.items().price(item).value_or(state_.options().price);
  }
  return kept;
}

std::optional<SampleProgress> Core::people_progress() const {
  if (!people_) return {};
  SampleProgress progress;
  for (const auto& [ticket, number] : people_->items()) {
    ++progress.items;
    const auto shares = state_.pairs().shares(ItemId{number});
    progress.labelled += std::ranges::any_of(shares, [&](const Share& share) {
      return share.status == PairStatus::labelled && is_outside(share.worker);
    });
  }
  return progress;
}

/// The first item of a sample that needs a label and that the worker can get. O(sample).
std::optional<ItemId> Core::pick_sample(WorkerId worker) const {
  if (sample_) {
    for (const auto& [ticket, number] : sample_->items()) {
      const ItemId item{number};
      if (wants_sample_label(item) && may_get(item, worker)) return item;
    }
  }
  if (!people_ || !is_outside(worker)) return {};
  for (const auto& [ticket, number] : people_->items()) {
    const ItemId item{number};
    if (wants_outside_label(item) && may_get(item, worker)) return item;
  }
  return {};
}

/// The first item of a sample that needs a label, and a random one of the workers who can get it.
std::optional<Pair> Core::pick_sample_pair() const {
  if (!sample_ && !people_) return {};
  Rng rng(state_.options().seed, Rng::Purpose::candidates, state_.sequence() + 1);
  const auto pair_for = [&](ItemId item, bool outside) -> std::optional<Pair> {
    std::vector<WorkerId> workers;
    for (std::uint32_t j = 0; j < state_.worker_count(); ++j) {
      const WorkerId worker{j};
      if (outside && !is_outside(worker)) continue;
      if (state_.may_label(worker) && may_get(item, worker)) workers.push_back(worker);
    }
    if (workers.empty()) return {};
    return Pair{item, workers[below(rng, workers.size())]};
  };
  for (const auto* const sample : {&sample_, &people_}) {
    if (!*sample) continue;
    const bool outside = sample == &people_;
    for (const auto& [ticket, number] : (*sample)->items()) {
      const ItemId item{number};
      if (!(outside ? wants_outside_label(item) : wants_sample_label(item))) continue;
      if (const auto pair = pair_for(item, outside)) return pair;
    }
  }
  return {};
}

/// The best item without a lease that the budget can pay for.
std::optional<ItemId> Core::pick_open(WorkerId worker, Rng& rng) {
  policy::Desk& desk = this->desk();
  if (!state_.items().any_price() || state_[worker].price) {
    const Money price = state_[worker].price.value_or(state_.options().price);
    if (price > state_.account().left()) return {};
    return desk.choose(worker, rng);
  }
  policy::Withheld too_expensive(desk);
  std::optional<ItemId> found;
  while ((found = desk.choose(worker, rng)) && !may_get(*found, worker)) too_expensive.add(*found);
  return found;
}

/// An item leased to others whose value exceeds `above`: the best among those with the fewest
/// leases.
std::optional<ItemId> Core::pick_waiting(WorkerId worker, double above, Rng& rng) {
  std::vector<std::uint32_t> items;
  for (const Lease& one : state_.leases().all()) items.push_back(position(one.item));
  std::ranges::sort(items);
  const auto [again, end] = std::ranges::unique(items);
  items.erase(again, end);
  std::uint32_t fewest = UINT32_MAX;
  std::vector<std::uint32_t> candidates;
  std::vector<double> values;
  for (const std::uint32_t number : items) {
    const ItemId item{number};
    if (!state_.items().has_room(item) || !may_get(item, worker)) continue;
    if (state_.items().pending(item) > fewest) continue;
    const double value = policy::quantised(desk().value({item, worker}));
    if (!(value > above)) continue;
    if (state_.items().pending(item) < fewest) {
      fewest = state_.items().pending(item);
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
  if (state_.phase() == Phase::closed || state_.archived() || stop_reason()) return {};
  if (const auto pair = pick_sample_pair()) return pair;
  policy::Desk& desk = this->desk();
  Rng rng(state_.options().seed, Rng::Purpose::tie, state_.sequence() + 1);
  policy::Withheld left_out(desk);
  const Money kept = kept_for_people();
  for (std::uint32_t j = 0; j < state_.worker_count(); ++j) {
    const WorkerId worker{j};
    const Money needed = least_price(worker) + (is_outside(worker) ? Money() : kept);
    if (!state_.may_label(worker) || needed > state_.account().left()) {
      left_out.add(worker);
    }
  }
  desk.set_labels_left(desk.offers().affordable(state_.account().left()));
  std::optional<Pair> found;
  while ((found = desk.choose(rng)) &&
         state_.price(found->item, found->worker) > state_.account().left()) {
    left_out.add(found->item);
  }
  return found;
}

StopWatch& Core::watch() {
  policy::Desk& desk = this->desk();
  const bool reads_calibrated =
      state_.options().calibrated && state_.options().stop.accuracy && !tally_;
  const auto look_at = [&](ItemId item) {
    const auto part = state_.items().gold(item)                    ? StopWatch::Part::none
                      : state_.items().finish_reason(item).empty() ? StopWatch::Part::open
                                                                   : StopWatch::Part::settled;
    const double error = state_.items().known(item) ? 0 : desk.crowd().error(item);
    watch_->set(item, part, error, reads_calibrated ? calibrated_error(item) : error);
    if (!tally_) return;
    if (part == StopWatch::Part::none) return tally_->leave_out(item);
    if (state_.items().reviewed(item)) return tally_->set_known(item);
    tally_->set(item, calibration().answer_powers(desk.crowd().probabilities(item),
                                                  state_.items().labels(item)));
  };
  policy::ItemChanges& changes = desk.item_changes();
  if (changes.all || (look_again_ && (reads_calibrated || tally_))) {
    for (std::uint32_t i = 0; i < state_.item_count(); ++i) look_at(ItemId{i});
  } else {
    for (const ItemId item : changes.items) look_at(item);
    for (const ItemId item : settled_) look_at(item);
  }
  changes.clear();
  settled_.clear();
  look_again_ = false;
  return *watch_;
}

std::vector<ItemId> Core::sure() {
  std::vector<ItemId> items;
  if (!watch_) return items;
  for (const std::uint32_t item : watch().sure()) {
    const bool sampled = sample_ && sample_->has(ItemId{item}) &&
                         state_.items().labels(ItemId{item}) < sample_->labels();
    const bool unchecked =
        people_ && people_->has(ItemId{item}) && wants_outside_label(ItemId{item});
    if (!sampled && !unchecked) items.push_back(ItemId{item});
  }
  return items;
}

/// The most doubtful item that the worker can label decides: the more doubtful, the more a label is
/// worth.
bool Core::is_worth_asking(WorkerId worker) {
  const Money worth = *state_.options().stop.worth;
  const auto& items = watch().by_doubt();
  for (auto one = items.rbegin(); one != items.rend(); ++one) {
    if (!is_free(ItemId{one->item}, worker)) continue;
    const double reliability = crowd().reliability(worker, state_[worker].labels).mean;
    return policy::is_label_worth(one->error, reliability, least_price(worker), worth);
  }
  return true;  // nothing is left to ask, and that is no question of worth
}

bool Core::is_accurate() {
  const StopWatch& now = watch();
  return tally_ ? tally_->reaches(*state_.options().stop.accuracy, calibration())
                : now.is_accurate();
}

bool Core::is_certified() {
  const auto& target = state_.options().stop.certified;
  if (!target || !state_.audit()) return false;
  if (!certified_) certified_ = AuditSheet(state_).proves(*target);
  return *certified_;
}

std::optional<policy::StopReason> Core::stop_reason() {
  using policy::StopReason;
  if (!watch_) return {};
  const StopWatch& now = watch();
  if (is_accurate()) return StopReason::accuracy;
  if (is_certified()) return StopReason::certified;
  if (now.all_settled()) return StopReason::settled;
  const auto& worth = state_.options().stop.worth;
  if (!worth || !now.any_open()) return {};
  // A new worker could come, and label any item.
  if (policy::is_label_worth(now.by_doubt().rbegin()->error, advisor_->newcomer_reliability(),
                             state_.lowest_price(), *worth)) {
    return {};
  }
  for (std::uint32_t j = 0; j < state_.worker_count(); ++j) {
    const WorkerId worker{j};
    if (state_[worker].standing == Standing::active && is_worth_asking(worker)) return {};
  }
  return StopReason::worth;
}

}  // namespace allot::campaign
