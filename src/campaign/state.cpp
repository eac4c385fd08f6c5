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

/// Labels can be put right, answers reviewed and workers excluded after the end. Participants who
/// come too late still join, so that they get their code.
bool may_follow_close(const Event& event) {
  return std::holds_alternative<Revised>(event) || std::holds_alternative<Reviewed>(event) ||
         std::holds_alternative<ReviewUndone>(event) ||
         std::holds_alternative<AuditStarted>(event) ||
         std::holds_alternative<RecruitingChanged>(event) ||
         std::holds_alternative<WorkerJoined>(event) ||
         std::holds_alternative<SessionJoined>(event) ||
         std::holds_alternative<SessionEnded>(event) ||
         std::holds_alternative<StandingChanged>(event) ||
         std::holds_alternative<PageChanged>(event);
}

template <typename Bytes, typename Of>
void code_worker(Bytes& bytes, Of& facts) {
  code_all(bytes, facts.labels, facts.leases, facts.skips, facts.gold, facts.gold_right,
           facts.reviewed, facts.reviewed_right, facts.spent, facts.standing, facts.standing_reason,
           facts.view_times, facts.timed_pay);
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

Money State::price(ItemId item, WorkerId worker) const {
  if (const auto& own = (*this)[worker].price) return *own;
  return items_.price(item).value_or(options_.price);
}

Result<void> State::apply(const Event& event, Time time) {
  if (sequence_ > 0 && time < time_) return impossible("time goes back; expected it to go on");
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

Result<void> State::take(const Leased& event, Time time) {
  TRY(check_pair(event.item, event.worker));
  TRY(check_participant(event.item, event.worker));
  const PairStatus status = pairs_.status(event.item, event.worker);
  if (phase_ != Phase::running) return impossible("an item leased in a campaign that is paused");
  if (status != PairStatus::none && status != PairStatus::lapsed) {
    return impossible("item {} leased twice to {}", in_quotes(id(event.item)),
                      in_quotes(name(event.worker)));
  }
  if (event.price != price(event.item, event.worker) || event.price > account_.left()) {
    return impossible("a price of {} reserved; expected {} and at most {}", money_text(event.price),
                      money_text(price(event.item, event.worker)), money_text(account_.left()));
  }
  if (items_.pending(event.item) == UINT16_MAX) return impossible("an item leased to too many");
  if (event.expires <= time) return impossible("a lease that is over before it begins");
  const bool is_gold = items_.gold(event.item).has_value();
  if (is_gold != (event.reason == LeaseReason::gold) ||
      (!is_gold && !items_.has_room(event.item))) {
    return impossible("item {} leased, which needs no more labels", in_quotes(id(event.item)));
  }
  if (event.reason == LeaseReason::sample && !options_.agreement_sample) {
    return impossible("item {} leased for a sample that the campaign does not have",
                      in_quotes(id(event.item)));
  }
  if (!may_label(event.worker)) {
    return impossible("more than {} labels for {}", options_.labels_per_worker,
                      in_quotes(name(event.worker)));
  }
  leases_.add({event.item, event.worker, event.price, time, event.expires});
  account_.reserved += event.price;
  ++facts(event.worker).leases;
  facts(event.worker).seen = time;
  items_.add_lease(event.item);
  pairs_.set_status(event.item, event.worker, PairStatus::leased);
  return {};
}

/// Whether a label can come this way.
Result<void> State::check_origin(const Answered& event, Time time) const {
  const PairStatus status = pairs_.status(event.item, event.worker);
  const std::optional<Lease> lease = leases_.find(event.item, event.worker);
  if (status >= PairStatus::labelled) return impossible("a second label by the same worker");
  if ((*this)[event.worker].standing == Standing::excluded) {
    return impossible("a label of {}, who is excluded", in_quotes(name(event.worker)));
  }
  switch (event.origin) {
    case AnswerOrigin::leased:
      if (!lease || lease->price != event.price || lease->expires <= time) {
        return impossible("an answer without its lease, or after its end");
      }
      break;
    case AnswerOrigin::late:
    case AnswerOrigin::collected:
      if ((status != PairStatus::lapsed &&
           (event.origin == AnswerOrigin::late || status != PairStatus::none)) ||
          event.price > account_.left() || event.price != price(event.item, event.worker)) {
        return impossible("a late answer that was never due, or that the budget cannot pay");
      }
      if ((!items_.gold(event.item) && !items_.has_room(event.item)) || !may_label(event.worker)) {
        return impossible("a late answer beyond the labels that item or worker may have");
      }
      break;
    case AnswerOrigin::imported:
      if (lease || event.price != Money()) {
        return impossible(
            "an imported label of an item that the worker has leased, or with a price");
      }
      break;
  }
  return {};
}

Result<void> State::take(const Answered& event, Time time) {
  TRY(check_pair(event.item, event.worker));
  TRY(check_class(event.label));
  TRY(check_participant(event.item, event.worker));
  TRY(check_origin(event, time));
  WorkerFacts& worker = facts(event.worker);
  worker.last.reset();
  if (event.origin != AnswerOrigin::imported) worker.seen = time;
  if (event.origin == AnswerOrigin::leased) {
    // Who has seen the right answer cannot change the label to it.
    if (!sessions_.tells_answers(event.worker))
      worker.last.emplace(event.item, leases_.find(event.item, event.worker)->expires);
    drop_lease(event.item, event.worker);
  }
  sessions_.count_label(event, items_.gold(event.item).has_value(), time);
  ++worker.labels;
  worker.spent += event.price;
  account_.spent += event.price;
  if (event.remark.milliseconds > 0) {
    worker.view_times.push_back(event.remark.milliseconds);
    worker.timed_pay += event.price;
  }
  ++counts_.all;
  if (event.origin == AnswerOrigin::imported) ++counts_.imported;
  if (const auto gold = items_.gold(event.item)) {
    ++counts_.gold;
    ++worker.gold;
    worker.gold_right += *gold == event.label;
  }
  if (const auto verdict = items_.reviewed(event.item)) {
    ++worker.reviewed;
    worker.reviewed_right += *verdict == event.label;
  }
  items_.add_label(event.item);
  pairs_.set_label(event.item, event.worker, event.label);
  ++counts_.by_day[std::chrono::floor<std::chrono::days>(time).time_since_epoch().count()];
  return {};
}

Result<void> State::take(const Revised& event, Time time) {
  TRY(check_pair(event.item, event.worker));
  TRY(check_class(event.label));
  const auto before = pairs_.label(event.item, event.worker);
  if (!before || *before == event.label) {
    return impossible("a label revised that is not there, or to what it is");
  }
  if ((*this)[event.worker].standing != Standing::active) {
    return impossible("a label revised by {}, who is not active", in_quotes(name(event.worker)));
  }
  if (const auto gold = items_.gold(event.item)) {
    std::uint32_t& right = facts(event.worker).gold_right;
    right -= *gold == *before;
    right += *gold == event.label;
  }
  if (const auto verdict = items_.reviewed(event.item)) {
    std::uint32_t& right = facts(event.worker).reviewed_right;
    right -= *verdict == *before;
    right += *verdict == event.label;
  }
  pairs_.set_label(event.item, event.worker, event.label);
  facts(event.worker).seen = time;
  return {};
}

Result<void> State::take(const Skipped& event, Time time) {
  TRY(end_lease(event.item, event.worker, PairStatus::skipped));
  ++facts(event.worker).skips;
  sessions_.count_skip(event.worker);
  facts(event.worker).seen = time;
  return {};
}

Result<void> State::take(const Released& event, Time time) {
  TRY(end_lease(event.item, event.worker, PairStatus::lapsed));
  facts(event.worker).seen = time;
  return {};
}

Result<void> State::take(const Expired& event, Time time) {
  const auto lease = leases_.find(event.item, event.worker);
  if (lease && lease->expires > time) return impossible("a lease expired before its end");
  return end_lease(event.item, event.worker, PairStatus::lapsed);
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

Result<void> State::end_lease(ItemId item, WorkerId worker, PairStatus status) {
  if (!leases_.find(item, worker)) return impossible("a lease ended that is not there");
  drop_lease(item, worker);
  pairs_.set_status(item, worker, status);
  return {};
}

void State::drop_lease(ItemId item, WorkerId worker) {
  account_.reserved -= leases_.remove(item, worker).price;
  --facts(worker).leases;
  items_.drop_lease(item);
}

void State::lapse(const std::vector<Lease>& leases) {
  for (const Lease& lease : leases) {
    drop_lease(lease.item, lease.worker);
    pairs_.set_status(lease.item, lease.worker, PairStatus::lapsed);
  }
}

// The order of values is that of the snapshot version in core.cpp.
template <typename Bytes, typename Of>
void State::code_head(Bytes& bytes, Of& state) {
  code_all(bytes, state.sequence_, state.time_, state.started_, state.phase_, state.reason_,
           state.account_.budget, state.account_.spent, state.account_.reserved);
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
  return invalid("unknown label {}; expected {}{}", in_quotes(label), any_of(classes),
                 suggestion(label, names));
}

const std::string& class_name(const Options& options, ClassId id) {
  return options.classes[position(id)];
}

}  // namespace allot::campaign
