#include "campaign/core.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <span>
#include <stdexcept>

#include "allot/base/text.hpp"
#include "base/errors.hpp"

namespace allot::campaign {
namespace {

using policy::Pair;

/// Version of snapshots. A snapshot of another version is ignored, since the ledger says the same.
constexpr std::uint64_t kVersion = 13;

/// One function for each kind of event.
template <typename... Kind>
struct Listed : Kind... {
  using Kind::operator()...;
};

std::uint32_t check_of(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace

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

Result<void> Core::apply(const store::Record& record) {
  const auto named = [&](const Error& error) {
    return Error{ErrorCode::store_failure,
                 fmt::format("record {} of the ledger: {}", record.sequence, error.message)};
  };
  if (record.sequence != state_.sequence() + 1) {
    return fail(ErrorCode::store_failure, "record {} of the ledger; expected {}", record.sequence,
                state_.sequence() + 1);
  }
  return decode(record.kind, record.payload)
      .and_then([&](const Event& event) {
        return apply(event, Time(std::chrono::microseconds(record.time)));
      })
      .map_error(named);
}

Result<void> Core::apply(const Event& event, Time time) {
  Before before{.confident = state_.pairs().any_confidence()};
  if (const auto* items = std::get_if<ItemsAdded>(&event)) {
    before.design = TRY(design_with(state_, items->items));
  } else if (const auto* answer = std::get_if<Answered>(&event)) {
    if (position(answer->item) < state_.item_count()) {
      before.status = state_.pairs().status(answer->item, answer->worker);
    }
  } else if (const auto* revised = std::get_if<Revised>(&event)) {
    if (position(revised->item) < state_.item_count()) {
      before.label = state_.pairs().label(revised->item, revised->worker).value_or(ClassId{});
    }
  } else if (const auto* undone = std::get_if<ReviewUndone>(&event)) {
    if (position(undone->item) < state_.item_count()) {
      before.label = state_.items().reviewed(undone->item).value_or(ClassId{});
    }
  } else if (std::holds_alternative<ModelChanged>(event)) {
    before.design = TRY(design_with(state_, {}));
  } else if (std::holds_alternative<Closed>(event) ||
             std::holds_alternative<ArchiveChanged>(event)) {
    before.leases = state_.leases().all();
  } else if (const auto* standing = std::get_if<StandingChanged>(&event)) {
    before.excluded_labels = state_.label_counts().excluded;
    before.leases = state_.leases().of(standing->worker);
    before.inherited = state_.inherited();
  } else if (std::holds_alternative<WorkerGrouped>(event)) {
    before.groups = state_.shared_groups();
  } else if (std::holds_alternative<WorkerVersioned>(event)) {
    before.inherited = state_.inherited();
  } else if (const auto* options = std::get_if<OptionsChanged>(&event)) {
    before.keeps_beliefs = keeps_beliefs(state_.options(), options->options);
  }
  return state_.apply(event, time).map([&] { follow(event, before); });
}

/// Every kind of event is listed, so a new kind does not compile until it is.
void Core::follow(const Event& event, const Before& before) {
  const Listed listed{
      [&](const Created&) { start(); },
      [&](const ItemsAdded& added) {
        const auto count = static_cast<std::uint32_t>(added.items.size());
        advisor_->add_items(count, before.design);
        for (std::uint32_t i = state_.item_count() - count; i < state_.item_count(); ++i) {
          update_open(ItemId{i});
          add_to_sample(ItemId{i});
        }
      },
      [&](const WorkerJoined& joined) {
        advisor_->add_worker(state_.options().price);
        for (const auto& [item, people] : state_.verdicts().past_reviewers()) {
          if (std::ranges::find(people, joined.name) != people.end()) bar_reviewers(ItemId{item});
        }
      },
      [&](const WorkerPriced& priced) { advisor_->set_price(priced.worker, priced.price); },
      [&](const Leased& leased) {
        if (!is_barred(leased.item, leased.worker)) advisor_->hold({leased.item, leased.worker});
        update_open(leased.item);
      },
      [&](const Answered& answered) {
        if (begins_to_read_confidences(before)) return recount();
        const Pair pair{answered.item, answered.worker};
        const bool is_open =
            before.status == PairStatus::none || before.status == PairStatus::lapsed;
        if (is_open && !is_barred(pair.item, pair.worker)) advisor_->hold(pair);
        if (counts(pair.worker))
          advisor_->record(pair, answered.label, state_.items().known(pair.item),
                           answered.confidence.value_or(model::kNoConfidence));
        update_open(pair.item);
      },
      [&](const Revised& revised) {
        if (begins_to_read_confidences(before)) return recount();
        if (!counts(revised.worker)) return;
        advisor_->revise({revised.item, revised.worker}, before.label, revised.label,
                         state_.items().known(revised.item),
                         revised.confidence.value_or(model::kNoConfidence));
      },
      [&](const Skipped& skipped) { update_open(skipped.item); },
      [&](const Released& released) { reopen(released.item, released.worker); },
      [&](const Expired& expired) { reopen(expired.item, expired.worker); },
      [&](const Settled& settled) {
        update_open(settled.item);
        if (watch_) settled_.push_back(settled.item);
      },
      [&](const Closed&) {
        for (const Lease& lease : before.leases) reopen(lease.item, lease.worker);
      },
      [&](const ArchiveChanged& changed) {
        if (!changed.archived) return;
        for (const Lease& lease : before.leases) reopen(lease.item, lease.worker);
      },
      [&](const ModelChanged&) { start_again(before.design); },
      [&](const OptionsChanged&) {
        if (!before.keeps_beliefs) return recount();
        for (std::uint32_t i = 0; i < state_.item_count(); ++i) {
          update_open(ItemId{i});
          if (watch_) settled_.push_back(ItemId{i});  // another limit can open or fill it
        }
      },
      [&](const StandingChanged&) {
        if (state_.label_counts().excluded != before.excluded_labels ||
            state_.inherited() != before.inherited) {
          return recount();
        }
        for (const Lease& lease : before.leases) reopen(lease.item, lease.worker);
      },
      [&](const WorkerGrouped&) {
        if (state_.shared_groups() != before.groups) recount();
      },
      [&](const WorkerVersioned&) {
        if (state_.inherited() != before.inherited) recount();
      },
      [&](const Reviewed& reviewed) {
        std::vector<std::pair<ItemId, ClassId>> items;
        for (const Verdict& one : reviewed.verdicts) items.emplace_back(one.item, one.answer);
        review(items, true);
      },
      [&](const ReviewUndone& undone) {
        const std::pair item(undone.item, before.label);
        review({&item, 1}, false);
        bar_reviewers(undone.item);
      },
      // Events that change neither beliefs nor what can be asked.
      [](const Paused&) {}, [](const Resumed&) {}, [](const BudgetChanged&) {},
      [](const PageChanged&) {}, [&](const AuditStarted&) { certified_.reset(); },
      [&](const GoldStated&) {
        calibration_.reset();
        look_again_ = true;
      },
      [&](const Qualified& qualified) {
        if (qualified.passed) record_known(qualified.worker);
      },
      [](const RecruitingChanged&) {}, [](const SessionJoined&) {}, [](const SessionEnded&) {},
      [](const ClockSetBack&) {}};
  std::visit(listed, event);
}

/// Whether the event has the first confidence, and beliefs so far were not pooled ones.
bool Core::begins_to_read_confidences(const Before& before) const {
  const Options& options = state_.options();
  const bool pooled = !has_binary_beliefs(options) && options.refit == model::Refit::pooled;
  return !before.confident && state_.reads_confidences() && !pooled &&
         state_.shared_groups().empty();
}

/// Until now the worker's labels, all of gold items, were held back.
void Core::record_known(WorkerId worker) {
  for (const ItemId item : state_.items().gold_items()) {
    const auto label = state_.pairs().label(item, worker);
    if (label) advisor_->record({item, worker}, *label, state_.items().gold(item));
  }
}

std::vector<double> Core::stated(ItemId item) {
  std::vector<double> probabilities(state_.options().classes.size());
  stated(item, probabilities);
  return probabilities;
}

void Core::stated(ItemId item, std::span<double> out) {
  const auto verdict = state_.items().reviewed(item);
  if (!verdict) return crowd().probabilities(item, out);
  std::ranges::fill(out, 0);
  out[position(*verdict)] = 1;
}

std::vector<double> Core::final_stated() {
  std::vector<double> all = crowd().final_probabilities();
  const std::size_t classes = state_.options().classes.size();
  for (const auto& [item, verdict] : state_.verdicts().all()) {
    const std::span<double> here(&all[item * classes], classes);
    std::ranges::fill(here, 0);
    here[position(verdict.answer)] = 1;
  }
  return all;
}

std::vector<double> Core::by_labels(ItemId item) {
  if (state_.items().labels(item) == 0) return {};
  return crowd().probabilities(item);
}

void Core::reopen(ItemId item, WorkerId worker) {
  if (!is_barred(item, worker)) advisor_->reopen({item, worker});
  update_open(item);
}

void Core::update_open(ItemId item) {
  advisor_->set_open(item, state_.items().has_room(item) && state_.items().pending(item) == 0);
}

void Core::add_to_sample(ItemId item) {
  if (state_.items().gold(item)) return;
  if (sample_) sample_->add(item);
  if (people_) people_->add(item);
}

void Core::fit_ahead(bool ahead) {
  ahead_ = ahead;
  if (advisor_) advisor_->refit_in_background(ahead);
}

void Core::start() {
  watch_.reset();
  tally_.reset();
  advisor_.emplace(state_.options(), state_.shared_groups(), state_.reads_confidences(),
                   state_.inherited());
  advisor_->refit_in_background(ahead_);
  if (const auto& size = state_.options().agreement_sample)
    sample_.emplace(*size, state_.options().seed);
  if (const auto& size = state_.options().people_sample)
    people_.emplace(AgreementSample{*size, 1}, state_.options().seed);
  policy::StopRules rules = state_.options().stop;
  if (!rules.any()) return;
  if (rules.accuracy && state_.options().calibrated && state_.options().lower_end) {
    tally_.emplace();
    rules.accuracy.reset();
  }
  watch_.emplace(rules);
}

/// Items and workers join, as they are now.
void Core::enter_all(std::shared_ptr<const model::Design> design) {
  start();
  barred_.clear();
  if (state_.item_count() > 0) advisor_->add_items(state_.item_count(), std::move(design));
  for (std::uint32_t i = 0; i < state_.item_count(); ++i) add_to_sample(ItemId{i});
  for (std::uint32_t j = 0; j < state_.worker_count(); ++j) {
    advisor_->add_worker(state_[WorkerId{j}].price.value_or(state_.options().price));
  }
}

/// Labels are recorded item by item, each in the order in which its workers first had to do with
/// it.
void Core::start_again(std::shared_ptr<const model::Design> design) {
  enter_all(std::move(design));
  for (std::uint32_t i = 0; i < state_.item_count(); ++i) {
    for (const Share& share : state_.pairs().shares(ItemId{i})) {
      const Pair pair{ItemId{i}, share.worker};
      if (share.status != PairStatus::lapsed) advisor_->hold(pair);
      if (share.status != PairStatus::labelled || !counts(pair.worker)) continue;
      advisor_->record(pair, share.label, state_.items().known(pair.item), share.confidence);
    }
    bar_reviewers(ItemId{i});
    update_open(ItemId{i});
  }
}

void Core::review(std::span<const std::pair<ItemId, ClassId>> items, bool known) {
  calibration_.reset();
  certified_.reset();
  look_again_ = true;
  if (!state_.options().local_reviews) return start_again(design_with(state_, {}).value());
  std::vector<model::KnownChange> labels;
  for (const auto& [item, truth] : items) {
    for (const Share& share : state_.pairs().shares(item)) {
      if (share.status != PairStatus::labelled) continue;
      labels.push_back({item, share.worker, share.label, truth, known, share.confidence});
    }
    update_open(item);
    if (watch_) settled_.push_back(item);
  }
  advisor_->review(std::move(labels));
}

void Core::recount() {
  calibration_.reset();
  start_again(design_with(state_, {}).value());
}

void Core::bar_reviewers(ItemId item) {
  if (!state_.options().local_reviews) return;
  const auto& past = state_.verdicts().past_reviewers();
  const auto found = past.find(position(item));
  if (found == past.end()) return;
  for (const std::string& person : found->second) {
    const auto worker = state_.find_worker(person);
    if (!worker || is_barred(item, *worker)) continue;
    const bool was_free = is_free(item, *worker);
    barred_.emplace(item, *worker);
    if (was_free) advisor_->hold({item, *worker});
  }
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

bool Core::load(store::Snapshot&& snapshot) try {
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
  enter_all(*design);
  policy::Desk& desk = advisor_->desk();
  ByteReader beliefs(snapshot.parts[2]);
  desk.load(beliefs);
  const bool whole = beliefs.done();
  snapshot.parts[2] = {};
  for (std::uint32_t i = 0; i < state_.item_count(); ++i) {
    for (const Share& share : state_.pairs().shares(ItemId{i})) {
      const Pair pair{ItemId{i}, share.worker};
      if (share.status == PairStatus::labelled && counts(pair.worker)) {
        desk.close_labelled(pair);
      } else if (share.status != PairStatus::lapsed) {
        desk.hold(pair);
      }
    }
    bar_reviewers(ItemId{i});
    update_open(ItemId{i});
  }
  advisor_->desk();
  return whole;
} catch (const std::invalid_argument&) {
  // Values that no ledger gives: the caller folds the ledger instead.
  return false;
}

}  // namespace allot::campaign
