#include "allot/campaign/state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "allot/base/text.hpp"
#include "io/name_table.hpp"

namespace allot::campaign {
namespace {

constexpr std::size_t kMostReasons = 255;

tl::unexpected<Error> impossible(std::string message) {
  return fail(ErrorCode::conflict, std::move(message));
}

void save_names(const io::NameTable& table, ByteWriter& to) {
  to.number(table.names().size());
  for (const std::string& name : table.names()) to.text(name);
}

void load_names(io::NameTable& table, ByteReader& from) {
  for (std::size_t n = from.count(1); n > 0; --n) table.number(from.text());
}

void put(ByteWriter& to, Money amount) { to.signed_number(amount.in_billionths()); }
void put(ByteWriter& to, Time time) { to.signed_number(time.time_since_epoch().count()); }
Money get_money(ByteReader& from) { return Money::billionths(from.signed_number()); }
Time get_time(ByteReader& from) { return Time(std::chrono::microseconds(from.signed_number())); }

}  // namespace

std::string_view name(Phase phase) {
  switch (phase) {
    case Phase::running:
      return "running";
    case Phase::paused:
      return "paused";
    case Phase::closed:
      break;
  }
  return "closed";
}

State::State()
    : item_ids_(std::make_unique<io::NameTable>()),
      worker_names_(std::make_unique<io::NameTable>()) {}
State::State(State&&) noexcept = default;
State& State::operator=(State&&) noexcept = default;
State::~State() = default;

Result<void> State::apply(const Event& event, Time time) {
  if (sequence_ > 0 && time < time_) return impossible("time goes back; expected it to go on");
  if ((sequence_ == 0) != std::holds_alternative<Created>(event)) {
    return impossible(fmt::format("'{}' at event {}; expected 'created' first and never again",
                                  campaign::name(event), sequence_ + 1));
  }
  if (phase_ == Phase::closed && !std::holds_alternative<Revised>(event)) {
    return impossible(fmt::format("'{}' in a campaign that is closed", campaign::name(event)));
  }
  return std::visit([&](const auto& one) { return take(one, time); }, event).map([&] {
    if (sequence_ == 0) started_ = time;
    ++sequence_;
    time_ = time;
  });
}

Result<void> State::take(const Created& event, Time) {
  return check(event.options).map([&] {
    options_ = event.options;
    budget_ = options_.budget;
  });
}

Result<void> State::take(const ItemsAdded& event, Time) {
  for (const NewItem& item : event.items) {
    if (item.id.empty()) return impossible("an item without an id; expected one");
    if (item_ids_->find(item.id)) {
      return impossible(
          fmt::format("item {} is there already; expected a new id", in_quotes(item.id)));
    }
    if (item.truth && position(*item.truth) >= options_.classes.size()) {
      return impossible(fmt::format("item {} is of class {}; expected one below {}",
                                    in_quotes(item.id), position(*item.truth),
                                    options_.classes.size()));
    }
    if (item.reference && position(*item.reference) >= options_.classes.size()) {
      return impossible(fmt::format("item {} has the reference {}; expected a class below {}",
                                    in_quotes(item.id), position(*item.reference),
                                    options_.classes.size()));
    }
    if (item.price && *item.price < Money()) {
      return impossible(fmt::format("the price of item {} is {}; expected 0 or more",
                                    in_quotes(item.id), money_text(*item.price)));
    }
    const auto finite = [](double value) { return std::isfinite(value); };
    if (item.features.size() != options_.features.size() ||
        !std::ranges::all_of(item.features, finite)) {
      return impossible(fmt::format("item {} has {} features; expected {} finite numbers",
                                    in_quotes(item.id), item.features.size(),
                                    options_.features.size()));
    }
  }
  std::set<std::string_view> ids;
  for (const NewItem& item : event.items) {
    if (!ids.insert(item.id).second) {
      return impossible(fmt::format("item {} comes twice; expected once", in_quotes(item.id)));
    }
  }
  for (const NewItem& item : event.items) {
    const std::uint32_t number = item_ids_->number(item.id);
    items_.emplace_back();
    if (item.truth) {
      truth_[number] = position(*item.truth);
      gold_.push_back(ItemId{number});
    }
    if (item.reference) {
      references_.resize(number + 1);
      references_[number] = static_cast<std::uint8_t>(position(*item.reference) + 1);
      reference_count_ += !item.truth;
    }
    if (item.price) {
      item_prices_[number] = *item.price;
      lowest_item_price_ = std::min(lowest_item_price_, *item.price);
    }
    features_.insert(features_.end(), item.features.begin(), item.features.end());
  }
  return {};
}

Result<void> State::take(const WorkerJoined& event, Time) {
  if (event.name.empty()) return impossible("a worker without a name; expected one");
  if (worker_names_->find(event.name)) {
    return impossible(fmt::format("worker {} is there already", in_quotes(event.name)));
  }
  if (worker_count() == kMostWorkers) return impossible("there are too many workers");
  worker_names_->number(event.name);
  workers_.emplace_back();
  return {};
}

Result<void> State::take(const WorkerPriced& event, Time) {
  if (position(event.worker) >= worker_count() || event.price < Money()) {
    return impossible(
        fmt::format("a price of {} for worker {}; expected 0 or more for one below {}",
                    money_text(event.price), position(event.worker), worker_count()));
  }
  workers_[position(event.worker)].price = event.price;
  return {};
}

Result<void> State::take(const Leased& event, Time time) {
  return check_pair(event.item, event.worker).and_then([&]() -> Result<void> {
    const Bond now = bond(event.item, event.worker);
    if (phase_ != Phase::running)
      return impossible("an item handed out in a campaign that is paused");
    if (now != Bond::none && now != Bond::lapsed) {
      return impossible(fmt::format("item {} handed out twice to {}", in_quotes(id(event.item)),
                                    in_quotes(name(event.worker))));
    }
    if (event.price != price(event.item, event.worker) || event.price > left()) {
      return impossible(
          fmt::format("a price of {} reserved; expected {} and at most {}", money_text(event.price),
                      money_text(price(event.item, event.worker)), money_text(left())));
    }
    if (pending(event.item) == UINT16_MAX) return impossible("an item that too many have at hand");
    if (event.expires <= time) return impossible("a lease that is over before it begins");
    const bool gold = truth(event.item).has_value();
    if (gold != (event.why == Why::gold) || (!gold && !has_room(event.item))) {
      return impossible(
          fmt::format("item {} handed out, which needs no more labels", in_quotes(id(event.item))));
    }
    WorkerFacts& worker = workers_[position(event.worker)];
    if (!may_label(event.worker)) {
      return impossible(fmt::format("more than {} labels for {}", options_.labels_a_worker,
                                    in_quotes(name(event.worker))));
    }
    const Place place{position(event.worker), position(event.item)};
    leases_[place] = {event.price, time, event.expires};
    ends_.insert({event.expires, place});
    reserved_ += event.price;
    ++worker.leases;
    ++items_[position(event.item)].pending;
    part_of(event.item, event.worker).what = kLeased;
    return {};
  });
}

Result<void> State::take(const Answered& event, Time time) {
  return check_pair(event.item, event.worker)
      .and_then([&] { return check_class(event.label); })
      .and_then([&]() -> Result<void> {
        const Bond now = bond(event.item, event.worker);
        const std::optional<Lease> held = lease(event.item, event.worker);
        if (now == Bond::labelled) return impossible("a second label by the same worker");
        switch (event.how) {
          case How::leased:
            if (!held || held->price != event.price || held->expires <= time)
              return impossible("an answer without its lease, or after its end");
            drop_lease(event.item, event.worker);
            break;
          case How::late:
            if (now != Bond::lapsed || event.price > left() ||
                event.price != price(event.item, event.worker)) {
              return impossible("a late answer that was never due, or that nobody can pay");
            }
            if ((!truth(event.item) && !has_room(event.item)) || !may_label(event.worker))
              return impossible("a late answer beyond the labels that item or worker may have");
            break;
          case How::imported:
            if (held || event.price != Money()) {
              return impossible(
                  "an imported label of an item that the worker has, or with a price");
            }
            break;
        }
        WorkerFacts& worker = workers_[position(event.worker)];
        ++worker.labels;
        worker.last.reset();
        if (event.how == How::leased) worker.last.emplace(event.item, held->expires);
        worker.spent += event.price;
        spent_ += event.price;
        ++label_count_;
        if (event.how == How::imported) ++imported_count_;
        if (const auto known = truth(event.item)) {
          ++gold_label_count_;
          ++worker.gold;
          worker.gold_right += *known == event.label;
        }
        ++items_[position(event.item)].labels;
        part_of(event.item, event.worker).what = position(event.label) & 0xFF;
        ++by_day_[std::chrono::floor<std::chrono::days>(time).time_since_epoch().count()];
        return {};
      });
}

Result<void> State::take(const Revised& event, Time) {
  return check_pair(event.item, event.worker)
      .and_then([&] { return check_class(event.label); })
      .and_then([&]() -> Result<void> {
        const auto before = label(event.item, event.worker);
        if (!before || *before == event.label) {
          return impossible("a label revised that is not there, or to what it is");
        }
        if (const auto known = truth(event.item)) {
          std::uint32_t& right = workers_[position(event.worker)].gold_right;
          right -= *known == *before;
          right += *known == event.label;
        }
        part_of(event.item, event.worker).what = position(event.label) & 0xFF;
        return {};
      });
}

Result<void> State::take(const Skipped& event, Time) {
  return end_lease(event.item, event.worker, kSkipped).map([&] {
    ++workers_[position(event.worker)].skips;
  });
}
Result<void> State::take(const Released& event, Time) {
  return end_lease(event.item, event.worker, kLapsed);
}
Result<void> State::take(const Expired& event, Time time) {
  const auto held = lease(event.item, event.worker);
  if (held && held->expires > time) return impossible("a lease expired before its end");
  return end_lease(event.item, event.worker, kLapsed);
}

Result<void> State::take(const Settled& event, Time) {
  if (position(event.item) >= item_count() || items_[position(event.item)].reason != 0 ||
      event.reason.empty()) {
    return impossible("an item settled that is unknown or settled, or for no reason");
  }
  auto known = std::ranges::find(reasons_, event.reason);
  if (known == reasons_.end()) {
    if (reasons_.size() == kMostReasons) return impossible("more than 255 reasons to settle items");
    known = reasons_.insert(known, event.reason);
  }
  items_[position(event.item)].reason = static_cast<std::uint8_t>(known - reasons_.begin() + 1);
  return {};
}

Result<void> State::take(const Paused& event, Time) {
  if (phase_ != Phase::running) return impossible("paused while it was paused");
  phase_ = Phase::paused;
  reason_ = event.reason;
  return {};
}
Result<void> State::take(const Resumed&, Time) {
  if (phase_ != Phase::paused) return impossible("resumed while it was running");
  phase_ = Phase::running;
  reason_.clear();
  return {};
}

Result<void> State::take(const BudgetChanged& event, Time) {
  if (event.budget < spent_ + reserved_) {
    return impossible(fmt::format("a budget of {}; expected at least {} (spent and reserved)",
                                  money_text(event.budget), money_text(spent_ + reserved_)));
  }
  budget_ = event.budget;
  return {};
}

Result<void> State::take(const Closed& event, Time) {
  for (const Lease& one : leases()) {
    drop_lease(one.item, one.worker);
    part_of(one.item, one.worker).what = kLapsed;
  }
  phase_ = Phase::closed;
  reason_ = event.reason;
  return {};
}

Result<void> State::check_pair(ItemId item, WorkerId worker) const {
  if (position(item) < item_count() && position(worker) < worker_count()) return {};
  return impossible(fmt::format("item {} and worker {}; expected numbers below {} and {}",
                                position(item), position(worker), item_count(), worker_count()));
}

Result<void> State::check_class(ClassId one) const {
  if (position(one) < options_.classes.size()) return {};
  return impossible(
      fmt::format("class {}; expected one below {}", position(one), options_.classes.size()));
}

const State::Part* State::part(ItemId item, WorkerId worker) const {
  for (const Part& one : items_[position(item)].parts) {
    if (one.worker == position(worker)) return &one;
  }
  return nullptr;
}

State::Part& State::part_of(ItemId item, WorkerId worker) {
  if (const Part* known = part(item, worker)) return const_cast<Part&>(*known);
  auto& parts = items_[position(item)].parts;
  parts.push_back({position(worker) & kMostWorkers, kLapsed});
  return parts.back();
}

Result<void> State::end_lease(ItemId item, WorkerId worker, std::uint32_t what) {
  if (!lease(item, worker)) return impossible("a lease ended that is not there");
  drop_lease(item, worker);
  part_of(item, worker).what = what & 0xFF;
  return {};
}

void State::drop_lease(ItemId item, WorkerId worker) {
  const auto place = leases_.find({position(worker), position(item)});
  reserved_ -= place->second.price;
  ends_.erase({place->second.expires, place->first});
  leases_.erase(place);
  --workers_[position(worker)].leases;
  --items_[position(item)].pending;
}

std::optional<ItemId> State::find_item(std::string_view id) const {
  const auto number = item_ids_->find(id);
  return number ? std::optional(ItemId{*number}) : std::nullopt;
}
const std::string& State::id(ItemId item) const { return item_ids_->names()[position(item)]; }
std::optional<WorkerId> State::find_worker(std::string_view name) const {
  const auto number = worker_names_->find(name);
  return number ? std::optional(WorkerId{*number}) : std::nullopt;
}
const std::string& State::name(WorkerId worker) const {
  return worker_names_->names()[position(worker)];
}

Bond State::bond_of(const Part& part) {
  switch (part.what) {
    case kLapsed:
      return Bond::lapsed;
    case kSkipped:
      return Bond::skipped;
    case kLeased:
      return Bond::leased;
    default:
      return Bond::labelled;
  }
}

std::vector<Share> State::shares(ItemId item) const {
  std::vector<Share> all;
  for (const Part& one : items_[position(item)].parts) {
    all.push_back({WorkerId{one.worker}, bond_of(one), ClassId{one.what < kLapsed ? one.what : 0}});
  }
  return all;
}

Bond State::bond(ItemId item, WorkerId worker) const {
  const Part* const known = part(item, worker);
  return known ? bond_of(*known) : Bond::none;
}

std::optional<ClassId> State::label(ItemId item, WorkerId worker) const {
  const Part* const known = part(item, worker);
  if (!known || known->what >= kLapsed) return {};
  return ClassId{known->what};
}

std::optional<ClassId> State::truth(ItemId item) const {
  const auto known = truth_.find(position(item));
  return known == truth_.end() ? std::nullopt : std::optional(ClassId{known->second});
}

std::optional<ClassId> State::reference(ItemId item) const {
  const std::uint32_t number = position(item);
  if (number >= references_.size() || references_[number] == 0) return {};
  return ClassId{references_[number] - 1U};
}

std::string_view State::settled(ItemId item) const {
  const Item& one = items_[position(item)];
  if (one.reason != 0) return reasons_[one.reason - 1];
  const bool full = options_.labels_an_item > 0 && one.labels >= options_.labels_an_item;
  return full && !truth(item) ? "full" : "";
}

bool State::has_room(ItemId item) const {
  const Item& one = items_[position(item)];
  if (one.reason != 0 || truth(item)) return false;
  return options_.labels_an_item == 0 || one.labels + one.pending < options_.labels_an_item;
}

bool State::may_label(WorkerId worker) const {
  const WorkerFacts& facts = workers_[position(worker)];
  return options_.labels_a_worker == 0 || facts.labels + facts.leases < options_.labels_a_worker;
}

Money State::price(ItemId item, WorkerId worker) const {
  if (const auto& own = workers_[position(worker)].price) return *own;
  return item_price(item).value_or(options_.price);
}

std::optional<Money> State::item_price(ItemId item) const {
  const auto known = item_prices_.find(position(item));
  return known == item_prices_.end() ? std::nullopt : std::optional(known->second);
}

std::vector<Lease> State::leases() const {
  std::vector<Lease> all;
  for (const auto& [end, place] : ends_) {
    const Terms& terms = leases_.at(place);
    all.push_back({ItemId{place.second}, WorkerId{place.first}, terms.price, terms.taken, end});
  }
  return all;
}

std::vector<Lease> State::leases(WorkerId worker) const {
  std::vector<Lease> all;
  for (auto one = leases_.lower_bound({position(worker), 0});
       one != leases_.end() && one->first.first == position(worker); ++one) {
    all.push_back({ItemId{one->first.second}, worker, one->second.price, one->second.taken,
                   one->second.expires});
  }
  std::ranges::stable_sort(all, {}, &Lease::expires);
  return all;
}

std::vector<Lease> State::over(Time now) const {
  std::vector<Lease> all;
  for (const auto& [end, place] : ends_) {
    if (end > now) break;
    const Terms& terms = leases_.at(place);
    all.push_back({ItemId{place.second}, WorkerId{place.first}, terms.price, terms.taken, end});
  }
  return all;
}

std::optional<Lease> State::lease(ItemId item, WorkerId worker) const {
  const auto known = leases_.find({position(worker), position(item)});
  if (known == leases_.end()) return {};
  return Lease{item, worker, known->second.price, known->second.taken, known->second.expires};
}

void State::save(ByteWriter& to) const {
  campaign::save(options_, to);
  to.number(sequence_);
  put(to, time_);
  put(to, started_);
  to.byte(static_cast<std::uint8_t>(phase_));
  to.text(reason_);
  put(to, budget_);
  put(to, spent_);
  put(to, reserved_);
  save_names(*item_ids_, to);
  save_names(*worker_names_, to);
  for (const Item& item : items_) {
    to.number(item.labels);
    to.number(item.pending);
    to.byte(item.reason);
    to.number(item.parts.size());
    for (const Part& one : item.parts) {
      to.number(one.worker);
      to.byte(static_cast<std::uint8_t>(one.what));
    }
  }
  to.number(truth_.size());
  for (const auto& [item, one] : truth_) {
    to.number(item);
    to.number(one);
  }
  to.array(references_);
  to.number(item_prices_.size());
  for (const auto& [item, price] : item_prices_) {
    to.number(item);
    put(to, price);
  }
  to.number(reasons_.size());
  for (const std::string& reason : reasons_) to.text(reason);
  to.array(features_);
  for (const WorkerFacts& one : workers_) {
    for (const std::uint32_t n : {one.labels, one.leases, one.skips, one.gold, one.gold_right}) {
      to.number(n);
    }
    put(to, one.spent);
    to.byte(one.price ? 1 : 0);
    put(to, one.price.value_or(Money()));
    to.byte(one.last ? 1 : 0);
    if (!one.last) continue;
    to.number(position(one.last->first));
    put(to, one.last->second);
  }
  to.number(leases_.size());
  for (const auto& [place, terms] : leases_) {
    to.number(place.first);
    to.number(place.second);
    put(to, terms.price);
    put(to, terms.taken);
    put(to, terms.expires);
  }
  to.number(label_count_);
  to.number(gold_label_count_);
  to.number(imported_count_);
  to.number(by_day_.size());
  for (const auto& [day, count] : by_day_) {
    to.signed_number(day);
    to.number(count);
  }
}

bool State::load(ByteReader& from) {
  options_ = load_options(from);
  sequence_ = from.number();
  time_ = get_time(from);
  started_ = get_time(from);
  phase_ = from.at_most<Phase>(2);
  reason_ = from.text();
  budget_ = get_money(from);
  spent_ = get_money(from);
  reserved_ = get_money(from);
  load_names(*item_ids_, from);
  load_names(*worker_names_, from);
  items_.resize(item_ids_->names().size());
  workers_.resize(worker_names_->names().size());
  const std::size_t workers = workers_.size(), items = items_.size();
  for (Item& item : items_) {
    item.labels = from.at_most(UINT32_MAX);
    item.pending = from.at_most<std::uint16_t>(UINT16_MAX);
    item.reason = from.byte();
    item.parts.resize(from.count(2));
    for (Part& one : item.parts) {
      one.worker = from.at_most(workers == 0 ? 0 : workers - 1) & kMostWorkers;
      one.what = from.byte();
    }
    if (from.failed()) return false;
  }
  for (std::size_t n = from.count(2); n > 0; --n) {
    const auto item = from.at_most(items);
    truth_[item] = from.at_most(options_.classes.size());
    gold_.push_back(ItemId{item});
  }
  from.array(references_);
  if (references_.size() > items) return false;
  for (std::uint32_t i = 0; i < references_.size(); ++i) {
    if (references_[i] > options_.classes.size()) return false;
    reference_count_ += references_[i] != 0 && !truth_.contains(i);
  }
  for (std::size_t n = from.count(2); n > 0; --n) {
    const auto item = from.at_most(items);
    item_prices_[item] = get_money(from);
    lowest_item_price_ = std::min(lowest_item_price_, item_prices_[item]);
  }
  reasons_.resize(from.count(1));
  for (std::string& reason : reasons_) reason = from.text();
  from.array(features_);
  for (WorkerFacts& one : workers_) {
    for (std::uint32_t* n : {&one.labels, &one.leases, &one.skips, &one.gold, &one.gold_right}) {
      *n = from.at_most(UINT32_MAX);
    }
    one.spent = get_money(from);
    const bool has_price = from.byte() != 0;
    const Money price = get_money(from);
    if (has_price) one.price = price;
    if (from.byte() == 0) continue;
    const ItemId last{from.at_most(items == 0 ? 0 : items - 1)};
    one.last.emplace(last, get_time(from));
  }
  for (std::size_t n = from.count(5); n > 0; --n) {
    const auto worker = from.at_most(workers);
    const auto item = from.at_most(items);
    const Money price = get_money(from);
    const Time taken = get_time(from);
    const Time expires = get_time(from);
    leases_[{worker, item}] = {price, taken, expires};
    ends_.insert({expires, {worker, item}});
  }
  label_count_ = from.number();
  gold_label_count_ = from.number();
  imported_count_ = from.number();
  for (std::size_t n = from.count(2); n > 0; --n) {
    const std::int64_t day = from.signed_number();
    by_day_[day] = from.number();
  }
  return !from.failed() && sequence_ > 0;
}

}  // namespace allot::campaign
