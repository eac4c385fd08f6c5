#include "allot/campaign/state.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <set>

#include "allot/base/text.hpp"
#include "base/errors.hpp"
#include "campaign/coding.hpp"

namespace allot::campaign {
namespace {

template <typename... Args>
tl::unexpected<Error> impossible(fmt::format_string<Args...> text, Args&&... args) {
  return fail(ErrorCode::conflict, fmt::format(text, std::forward<Args>(args)...));
}

constexpr std::size_t kMostNamesShown = 8;

/// "'no' or 'yes'"; "one of 'a', 'b', 'c'".
std::string any_of(const std::vector<std::string>& classes) {
  if (classes.size() == 2) {
    return fmt::format("{} or {}", in_quotes(classes[0]), in_quotes(classes[1]));
  }
  return "one of " + some_in_quotes(classes, kMostNamesShown);
}

/// Labels can be put right, answers reviewed, workers excluded and grouped after the end.
/// Participants who come too late still join, so that they get their code.
bool may_follow_close(const Event& event) {
  return std::holds_alternative<Revised>(event) || std::holds_alternative<Reviewed>(event) ||
         std::holds_alternative<ReviewUndone>(event) ||
         std::holds_alternative<AuditStarted>(event) ||
         std::holds_alternative<RecruitingChanged>(event) ||
         std::holds_alternative<WorkerJoined>(event) ||
         std::holds_alternative<SessionJoined>(event) ||
         std::holds_alternative<SessionEnded>(event) ||
         std::holds_alternative<StandingChanged>(event) ||
         std::holds_alternative<WorkerGrouped>(event) ||
         std::holds_alternative<PageChanged>(event) ||
         std::holds_alternative<ArchiveChanged>(event) ||
         std::holds_alternative<ClockSetBack>(event);
}

template <typename Bytes, typename Of>
void code_worker(Bytes& bytes, Of& facts) {
  code_all(bytes, facts.labels, facts.leases, facts.skips, facts.abstained, facts.gold,
           facts.gold_right, facts.reviewed, facts.reviewed_right, facts.spent, facts.standing,
           facts.standing_reason, facts.view_times, facts.timed_pay, facts.group, facts.version,
           facts.inherited);
  code_flags(bytes, facts.follows);
  bool is_own = facts.price.has_value(), any_last = facts.last.has_value();
  Money price = facts.price.value_or(Money());
  auto last = facts.last.value_or(std::pair(ItemId{}, Time()));
  bool any_seen = facts.seen.has_value();
  Time seen = facts.seen.value_or(Time());
  code_all(bytes, is_own, price, any_last, any_seen);
  if (any_last) code_all(bytes, last.first, last.second);
  if (any_seen) code(bytes, seen);
  if constexpr (!std::is_const_v<Of>) {
    if (is_own) facts.price = price;
    if (any_last) facts.last = last;
    if (any_seen) facts.seen = seen;
  }
}

}  // namespace

std::string_view name(Phase phase) {
  static constexpr std::array<std::string_view, 3> kPhases{"running", "paused", "closed"};
  return kPhases[static_cast<std::size_t>(phase)];
}

std::optional<ItemId> State::find_item(std::string_view id) const {
  const auto number = item_ids_.find(id);
  return number ? std::optional(ItemId{*number}) : std::nullopt;
}

std::optional<WorkerId> State::find_worker(std::string_view name) const {
  const auto number = worker_names_.find(name);
  return number ? std::optional(WorkerId{*number}) : std::nullopt;
}

bool State::may_label(WorkerId worker) const {
  const WorkerFacts& facts = (*this)[worker];
  if (facts.standing != Standing::active || !sessions_.may_label(worker, facts.leases))
    return false;
  return options_.labels_per_worker == 0 ||
         facts.labels + facts.leases < options_.labels_per_worker;
}

bool State::has_prices() const {
  return options_.price != Money::whole(1) || items_.any_price() ||
         std::ranges::any_of(sessions_.sessions(), [&](const Session& session) {
           return (*this)[session.worker].price.has_value();
         });
}

Money State::price(ItemId item, WorkerId worker) const {
  if (const auto& own = (*this)[worker].price) return *own;
  return items_.price(item).value_or(options_.price);
}

Result<void> State::apply(const Event& event, Time time) {
  if (sequence_ > 0 && time < time_ && !std::holds_alternative<ClockSetBack>(event))
    return impossible("time goes back; expected it to go on");
  if ((sequence_ == 0) != std::holds_alternative<Created>(event)) {
    return impossible("'{}' at event {}; expected 'created' first and never again",
                      campaign::name(event), sequence_ + 1);
  }
  if (phase_ == Phase::closed && !may_follow_close(event)) {
    return impossible("'{}' in a campaign that is closed", campaign::name(event));
  }
  TRY(std::visit([&](const auto& kind) { return take(kind, time); }, event));
  if (sequence_ == 0) started_ = time;
  ++sequence_;
  time_ = time;
  return {};
}

bool State::clock_went_back(Time now) const {
  constexpr std::chrono::seconds kOddClocks = std::chrono::hours(1);
  return sequence_ > 0 && now + std::max(kOddClocks, options_.lease) < time_;
}

Result<void> State::take(const Created& event, Time) {
  TRY(check(event.options));
  options_ = event.options;
  account_.budget = options_.budget;
  items_.set_limit(options_.labels_per_item);
  return {};
}

Result<void> State::take(const ItemsAdded& event, Time) {
  std::set<std::string_view> ids;
  for (const NewItem& item : event.items) TRY(check_item(item));
  for (const NewItem& item : event.items) {
    if (!ids.insert(item.id).second) {
      return impossible("item {} comes twice; expected once", in_quotes(item.id));
    }
  }
  for (const NewItem& item : event.items) {
    item_ids_.add(item.id);
    items_.add(item);
  }
  pairs_.add_items(event.items.size());
  return {};
}

Result<void> State::check_item(const NewItem& item) const {
  if (item.id.empty()) return impossible("an item without an id; expected one");
  if (find_item(item.id)) {
    return impossible("item {} is there already; expected a new id", in_quotes(item.id));
  }
  for (const auto& [what, label] : {std::pair("known answer", item.gold), {"truth", item.truth}}) {
    if (!label || position(*label) < options_.classes.size()) continue;
    return impossible("item {} has the {} {}; expected a class below {}", in_quotes(item.id), what,
                      position(*label), options_.classes.size());
  }
  if (item.price && *item.price < Money()) {
    return impossible("the price of item {} is {}; expected 0 or more", in_quotes(item.id),
                      money_text(*item.price));
  }
  const auto is_finite = [](double value) { return std::isfinite(value); };
  if (item.features.size() != options_.features.size() ||
      !std::ranges::all_of(item.features, is_finite)) {
    return impossible("item {} has {} features; expected {} finite numbers", in_quotes(item.id),
                      item.features.size(), options_.features.size());
  }
  return {};
}

Result<void> State::take(const WorkerJoined& event, Time) {
  if (event.name.empty()) return impossible("a worker without a name; expected one");
  if (find_worker(event.name)) {
    return impossible("worker {} is there already", in_quotes(event.name));
  }
  if (worker_count() == PairTable::kMostWorkers) return impossible("there are too many workers");
  worker_names_.add(event.name);
  workers_.emplace_back();
  return {};
}

Result<void> State::take(const WorkerPriced& event, Time) {
  if (position(event.worker) >= worker_count() || event.price < Money()) {
    return impossible("a price of {} for worker {}; expected 0 or more for one below {}",
                      money_text(event.price), position(event.worker), worker_count());
  }
  facts(event.worker).price = event.price;
  return {};
}

Result<void> State::take(const Settled& event, Time) {
  if (position(event.item) >= item_count() || items_.is_settled(event.item) ||
      event.reason.empty()) {
    return impossible("an item settled that is unknown or settled, or for no reason");
  }
  if (!items_.settle(event.item, event.reason)) {
    return impossible("more than 255 reasons to settle items");
  }
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
  const Money least = account_.spent + account_.reserved;
  if (event.budget < least) {
    return impossible("a budget of {}; expected at least {} (spent and reserved)",
                      money_text(event.budget), money_text(least));
  }
  account_.budget = event.budget;
  return {};
}

Result<void> State::take(const ModelChanged& event, Time) {
  TRY(check(event.options));
  if (!same_but_for_model(event.options, options_)) {
    return impossible("a change of the model that changes other options too");
  }
  TRY(check_group_options(event.options));
  options_ = event.options;
  return {};
}

Result<void> State::take(const Closed& event, Time) {
  lapse(leases_.all());
  phase_ = Phase::closed;
  reason_ = event.reason;
  return {};
}

Result<void> State::check_pair(ItemId item, WorkerId worker) const {
  if (position(item) < item_count() && position(worker) < worker_count()) return {};
  return impossible("item {} and worker {}; expected numbers below {} and {}", position(item),
                    position(worker), item_count(), worker_count());
}

Result<void> State::check_class(ClassId label) const {
  if (position(label) < options_.classes.size()) return {};
  return impossible("class {}; expected one below {}", position(label), options_.classes.size());
}

// The order of values is that of the snapshot version in core.cpp.
template <typename Bytes, typename Of>
void State::code_head(Bytes& bytes, Of& state) {
  code_all(bytes, state.sequence_, state.time_, state.started_, state.phase_, state.reason_,
           state.archived_, state.account_.budget, state.account_.spent, state.account_.reserved);
}

void State::save(ByteWriter& to) const {
  campaign::save(options_, to);
  code_head(to, *this);
  item_ids_.save(to);
  worker_names_.save(to);
  for (std::uint32_t item = 0; item < item_count(); ++item) {
    items_.save_item(item, to);
    pairs_.save_item(item, to);
  }
  items_.save_rest(to);
  for (const WorkerFacts& worker : workers_) code_worker(to, worker);
  leases_.save(to);
  items_.verdicts().save(to);
  code(to, audit_.has_value());
  if (audit_) audit_->save(to);
  code_all(to, gold_reading_.beliefs, gold_reading_.labels);
  code_all(to, counts_.all, counts_.gold, counts_.imported, counts_.excluded, counts_.by_day);
  sessions_.save(to);
}

bool State::load(ByteReader& from) {
  options_ = load_options(from);
  if (from.failed() || !check(options_)) return false;
  code_head(from, *this);
  item_ids_.load(from);
  worker_names_.load(from);
  const std::uint32_t items = item_ids_.count();
  workers_.resize(worker_names_.count());
  items_.set_limit(options_.labels_per_item);
  items_.reserve(items);
  pairs_.reserve(items);
  for (std::uint32_t item = 0; item < items; ++item) {
    items_.load_item(from);
    pairs_.load_item(from, workers_.size());
    if (from.failed()) return false;
  }
  if (!items_.load_rest(from, options_.classes.size())) return false;
  for (WorkerFacts& worker : workers_) {
    code_worker(from, worker);
    if (worker.last && position(worker.last->first) >= items) return false;
    if (worker.follows ? position(*worker.follows) >= workers_.size() : !worker.inherited.empty())
      return false;
  }
  for (std::uint32_t j = 0; j < worker_count(); ++j) {
    if (workers_[j].standing == Standing::excluded) pairs_.set_excluded(WorkerId{j}, true);
  }
  leases_.load(from, workers_.size(), items);
  items_.verdicts().load(from, items, options_.classes.size());
  bool audited = false;
  code(from, audited);
  if (audited) audit_.emplace().load(from, items, options_.classes.size());
  code_all(from, gold_reading_.beliefs, gold_reading_.labels);
  for (const GoldBelief& belief : gold_reading_.beliefs) {
    if (position(belief.item) >= items || !items_.gold(belief.item)) return false;
    if (belief.stated.size() != options_.classes.size()) return false;
  }
  code_all(from, counts_.all, counts_.gold, counts_.imported, counts_.excluded, counts_.by_day);
  sessions_.load(from, workers_.size(), items);
  return !from.failed() && sequence_ > 0;
}

Result<ItemId> item_named(const State& state, std::string_view id) {
  if (const auto known = state.find_item(id)) return *known;
  return fail(ErrorCode::not_found, "unknown item {}; expected the id of one of {} item{}",
              in_quotes(id), state.item_count(), state.item_count() == 1 ? "" : "s");
}

Result<WorkerId> worker_named(const State& state, std::string_view name) {
  if (const auto known = state.find_worker(name)) return *known;
  return fail(ErrorCode::not_found, "unknown worker {}; expected one who was handed an item",
              in_quotes(name));
}

Result<ClassId> class_named(const Options& options, std::string_view label) {
  const auto& classes = options.classes;
  const auto known = std::ranges::find(classes, label);
  if (known != classes.end()) {
    return ClassId{static_cast<std::uint32_t>(known - classes.begin())};
  }
  const std::vector<std::string_view> names(classes.begin(), classes.end());
  // Of one or two characters, any class is near.
  constexpr std::size_t kShort = 2;
  return invalid("unknown label {}; expected {}{}", in_quotes(label), any_of(classes),
                 label.size() <= kShort ? "" : suggestion(label, names));
}

Result<ConfidentLabel> most_probable(
    const Options& options, std::span<const std::pair<std::string, double>> probabilities) {
  constexpr double kRounding = 1e-6;
  if (probabilities.empty()) return invalid("no probability is given; expected one per class");
  std::set<ClassId> named;
  const std::pair<std::string, double>* best = nullptr;
  double sum = 0;
  for (const auto& one : probabilities) {
    if (!named.insert(TRY(class_named(options, one.first))).second)
      return invalid("class {} has two probabilities; expected one", in_quotes(one.first));
    if (!(one.second >= 0 && one.second <= 1)) {
      return invalid(
          "the probability {} of class {} is out of range; expected a number from 0 to 1",
          in_quotes(number_text(one.second)), in_quotes(one.first));
    }
    sum += one.second;
    if (best == nullptr || one.second > best->second) best = &one;
  }
  if (sum > 1 + kRounding) {
    return invalid("the probabilities have the sum {}; expected at most 1",
                   in_quotes(number_text(sum)));
  }
  return ConfidentLabel{best->first, static_cast<float>(best->second)};
}

Result<void> check_confidence(const std::optional<float>& confidence) {
  if (!confidence || (*confidence >= 0 && *confidence <= 1)) return {};
  return invalid("the confidence {} is no probability; expected a number from 0 to 1",
                 in_quotes(number_text(*confidence)));
}

const std::string& class_name(const Options& options, ClassId id) {
  return options.classes[position(id)];
}

}  // namespace allot::campaign
