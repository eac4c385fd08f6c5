#include "allot/campaign/campaign.hpp"

#include <fmt/format.h>

#include <set>

#include "allot/base/text.hpp"
#include "base/try.hpp"
#include "campaign/impl.hpp"

namespace allot::campaign {

Campaign::Campaign(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Campaign::~Campaign() = default;
const std::string& Campaign::name() const { return impl_->name(); }

namespace {

Result<void> add(Work& work, std::span<const ItemDraft> items, std::string_view key = {}) {
  if (items.empty()) return {};
  ItemsAdded event;
  event.items.reserve(items.size());
  for (const ItemDraft& item : items) {
    NewItem added{item.id, item.price, {}, item.features, {}};
    const auto set = [&](const std::optional<std::string>& given, std::optional<ClassId>& to) {
      if (!given) return Result<void>();
      return work.label(*given).map([&](ClassId known) { to = known; }).map_error([&](Error error) {
        return Error{ErrorCode::invalid_argument,
                     fmt::format("item {}: {}", in_quotes(item.id), error.message)};
      });
    };
    const auto known =
        set(item.truth, added.truth).and_then([&] { return set(item.reference, added.reference); });
    if (!known) return known;
    event.items.push_back(std::move(added));
  }
  std::uint32_t number = work.state().item_count();
  return work.emit(event, key).map([&] {
    work.contents.reserve(work.contents.size() + items.size());
    for (const ItemDraft& item : items) work.contents.push_back({number++, item.fields});
  });
}

Result<void> set_prices(Work& work, std::span<const std::pair<std::string, Money>> prices) {
  for (const auto& [worker, price] : prices) {
    if (worker.empty()) return fail(ErrorCode::invalid_argument, "a worker needs a name");
    if (price >= Money()) continue;
    return fail(ErrorCode::invalid_argument,
                fmt::format("a price of {}; expected 0 or more", money_text(price)));
  }
  for (const auto& [worker, price] : prices) {
    const auto who = TRY(work.joined(worker));
    if (work.state()[who].price == price) continue;
    TRY(work.emit(WorkerPriced{who, price}));
  }
  return {};
}

Result<void> begin(Work& work, const Options& options, const Beginning& beginning) {
  if (work.state().sequence() > 0) {
    return fail(ErrorCode::conflict,
                fmt::format("campaign {} is there already", in_quotes(work.campaign())));
  }
  return work.emit(Created{options})
      .and_then([&] { return add(work, beginning.items); })
      .and_then([&] { return set_prices(work, beginning.prices); });
}

}  // namespace

namespace {

tl::unexpected<Error> key_of_another(std::string_view key) {
  return fail(
      ErrorCode::key_reused,
      fmt::format("the key {} was used for another request; expected a new one", in_quotes(key)));
}

}  // namespace

Result<std::unique_ptr<Campaign>> Campaign::create(store::Store& store, std::string name,
                                                   const Options& options, Time now,
                                                   const Beginning& beginning) {
  if (name.empty()) return fail(ErrorCode::invalid_argument, "a campaign needs a name");
  auto impl = std::make_unique<Impl>(store, std::move(name));
  const auto begun = check(options).and_then([&] {
    return impl->command(now, [&](Work& work) {
      return begin(work, options, beginning).map_error([&](Error error) {
        // Of what was refused half way nothing is kept.
        work.drafts.clear();
        work.contents.clear();
        return error;
      });
    });
  });
  return begun.map([&] { return std::unique_ptr<Campaign>(new Campaign(std::move(impl))); });
}

Result<std::unique_ptr<Campaign>> Campaign::open(store::Store& store, std::string name) {
  auto impl = std::make_unique<Impl>(store, std::move(name));
  return impl->open().map([&] { return std::unique_ptr<Campaign>(new Campaign(std::move(impl))); });
}

Result<void> Campaign::together(const std::function<void()>& commands) {
  return impl_->together(commands);
}

void Campaign::fit_ahead(bool ahead) { impl_->fit_ahead(ahead); }
std::uint64_t Campaign::refits() const { return impl_->refits(); }

Result<void> Campaign::add_items(std::span<const ItemDraft> items, Time now, std::string_view key) {
  return impl_->command(now, [&](Work& work) -> Result<void> {
    const auto known = TRY(work.find(key));
    if (known) {
      const auto event = decode(known->kind, known->payload);
      const auto* const added = event ? std::get_if<ItemsAdded>(&*event) : nullptr;
      const bool again =
          added && std::ranges::equal(added->items, items, {}, &NewItem::id, &ItemDraft::id);
      return again ? Result<void>() : key_of_another(key);
    }
    return work.open().and_then([&] { return add(work, items, key); });
  });
}

namespace {

/// The leases of a request that was made before.
Result<std::vector<Leased>> leased_before(Work& work, const store::Record& first) {
  std::vector<Leased> leases;
  std::uint64_t sequence = first.sequence;
  while (true) {
    const auto record = TRY(work.at(sequence++));
    if (!record) return leases;
    const auto event = TRY(decode(record->kind, record->payload));
    const auto* lease = std::get_if<Leased>(&event);
    if (!lease || lease->place != leases.size()) return leases;
    leases.push_back(*lease);
  }
}

Assignment assignment(const State& state, const Leased& lease) {
  return {state.id(lease.item), {}, lease.price, lease.expires, lease.why};
}

Result<Handed> hand_out(Work& work, std::string_view name, std::uint32_t count,
                        std::string_view key) {
  Handed handed;
  const auto known = TRY(work.find(key));
  if (known) {
    return leased_before(work, *known).and_then([&](const auto& leases) -> Result<Handed> {
      if (leases.empty()) return key_of_another(key);
      for (const Leased& one : leases) {
        if (work.state().name(one.worker) != name) {
          return fail(ErrorCode::key_reused,
                      fmt::format("the key {} was used by worker {}; expected a new one for {}",
                                  in_quotes(key), in_quotes(work.state().name(one.worker)),
                                  in_quotes(name)));
        }
        handed.assignments.push_back(assignment(work.state(), one));
      }
      return handed;
    });
  }
  if (count == 0) return fail(ErrorCode::invalid_argument, "0 items asked for; expected 1 or more");
  const auto ready = work.open().and_then([&]() -> Result<void> {
    if (work.state().phase() == Phase::running || !work.state().reason().empty()) {
      return work.end_leases().and_then([&] { return work.follow_rules(true); });
    }
    return {};
  });
  if (!ready) return tl::unexpected(ready.error());
  if (work.state().phase() == Phase::paused) {
    const std::string& rule = work.state().reason();
    const std::string why = rule.empty() ? "" : fmt::format(" by the stop rule '{}'", rule);
    return fail(ErrorCode::forbidden, fmt::format("campaign {} is paused{}, nothing is handed out",
                                                  in_quotes(work.campaign()), why));
  }
  const auto worker = TRY(work.joined(name));
  while (handed.assignments.size() < count) {
    const auto pick = work.core().pick(worker);
    if (!pick) {
      if (handed.assignments.empty()) return tl::unexpected(pick.error());
      handed.shortfall = pick.error().message;
      break;
    }
    const auto place = static_cast<std::uint32_t>(handed.assignments.size());
    const Leased lease{pick->item,
                       worker,
                       work.state().price(pick->item, worker),
                       work.time() + work.state().options().lease,
                       pick->why,
                       place};
    TRY(work.emit(lease, place > 0 ? std::string_view() : key));
    handed.assignments.push_back(assignment(work.state(), lease));
  }
  return handed;
}

/// An answer to what was handed out.
Result<Outcome> take_answer(Work& work, const Answer& answer, bool revise, bool import,
                            std::string_view key) {
  const State& state = work.state();
  const auto item = TRY(work.item(answer.item));
  const auto label = TRY(work.label(answer.label));
  const auto worker = TRY(import ? work.joined(answer.worker) : work.worker(answer.worker));
  const std::string what = in_quotes(answer.item), who = in_quotes(answer.worker);
  const Bond bond = state.bond(item, worker);
  const auto answered = [&](Money price, How how) {
    return work.emit(Answered{item, worker, label, price, how}, key).map([] {
      return Outcome::recorded;
    });
  };
  if (bond == Bond::labelled) {
    const ClassId before = *state.label(item, worker);
    if (before == label) return Outcome::already;
    const std::string given = in_quotes(state.options().classes[position(before)]);
    if (!revise) {
      return fail(ErrorCode::conflict,
                  fmt::format("worker {} labelled item {} {} before, {} is refused unless it is to "
                              "revise that",
                              who, what, given, in_quotes(answer.label)));
    }
    return work.emit(Revised{item, worker, label}, key).map([] { return Outcome::revised; });
  }
  TRY(work.open());
  if (import) {
    if (bond == Bond::leased) {
      return fail(ErrorCode::conflict,
                  fmt::format("worker {} has item {} at hand; expected its answer to be recorded",
                              who, what));
    }
    return answered(Money(), How::imported);
  }
  switch (bond) {
    case Bond::leased:
      return answered(state.lease(item, worker)->price, How::leased);
    case Bond::skipped:
      return fail(ErrorCode::conflict, fmt::format("worker {} skipped item {}", who, what));
    case Bond::none: {
      std::string others;
      for (const Share& share : state.shares(item)) {
        if (share.bond == Bond::leased)
          others = fmt::format(", {} has it", in_quotes(state.name(share.worker)));
      }
      return fail(ErrorCode::forbidden,
                  fmt::format("item {} was never handed out to worker {}{}", what, who, others));
    }
    default:
      break;
  }
  const Money price = state.price(item, worker);
  if (!state.truth(item) && !state.has_room(item)) {
    const std::string_view why = state.settled(item);
    return fail(ErrorCode::forbidden,
                fmt::format("the answer of worker {} came late: item {} needs no more labels ({})",
                            who, what, why.empty() ? "others have it" : why));
  }
  if (!state.may_label(worker)) {
    return fail(
        ErrorCode::forbidden,
        fmt::format("the answer of worker {} came late, and they have {} labels or items at "
                    "hand, at most {} are allowed",
                    who, state[worker].labels + state[worker].leases,
                    state.options().labels_a_worker));
  }
  if (price > state.left()) {
    return fail(ErrorCode::budget_exhausted,
                fmt::format("the answer of worker {} to item {} came late: it costs {}, of the "
                            "budget of {} there are {} left",
                            who, what, money_text(price), money_text(state.budget()),
                            money_text(state.left())));
  }
  return answered(price, How::late);
}

/// Items that the worker has at hand, each once. `End` is what becomes of their leases.
template <typename End>
Result<void> end_leases(Work& work, std::span<const std::string> items, std::string_view worker,
                        std::string_view key) {
  const auto known = TRY(work.find(key));
  if (known) {
    const auto event = decode(known->kind, known->payload);
    const auto* const ended = event ? std::get_if<End>(&*event) : nullptr;
    const bool again = ended && work.state().name(ended->worker) == worker &&
                       std::ranges::find(items, work.state().id(ended->item)) != items.end();
    return again ? Result<void>() : key_of_another(key);
  }
  TRY(work.end_leases());
  const auto who = TRY(work.worker(worker));
  std::set<ItemId> held;
  for (const std::string& item : items) {
    const auto which = TRY(work.item(item));
    if (!work.state().lease(which, who)) {
      return fail(ErrorCode::conflict, fmt::format("worker {} does not have item {} at hand",
                                                   in_quotes(worker), in_quotes(item)));
    }
    held.insert(which);
  }
  for (const ItemId item : held) {
    TRY(work.emit(End{item, who}, item == *held.begin() ? key : std::string_view()));
  }
  return {};
}

Result<void> settle_all(Work& work, std::span<const std::string> items, const std::string& reason) {
  if (reason == kCertain) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("the reason '{}' is that of a stop rule; expected another", reason));
  }
  std::set<ItemId> open;
  for (const std::string& item : items) {
    const auto which = TRY(work.item(item));
    const std::string_view before = work.state().settled(which);
    if (!before.empty()) {
      return fail(ErrorCode::conflict,
                  fmt::format("item {} is settled already ({}); expected one that goes on",
                              in_quotes(item), before));
    }
    open.insert(which);
  }
  for (const ItemId item : open) {
    TRY(work.emit(Settled{item, reason.empty() ? "settled" : reason}));
  }
  return {};
}

/// What became of the answer, if the record is what it left. Where nothing was to be revised, a
/// revision is of a later request.
std::optional<Outcome> outcome_in(const State& state, const store::Record& record,
                                  const Answer& answer, bool revise) {
  const auto event = decode(record.kind, record.payload);
  if (!event) return {};
  const auto is = [&](const auto* given) {
    return given && state.id(given->item) == answer.item &&
           state.name(given->worker) == answer.worker &&
           state.options().classes[position(given->label)] == answer.label;
  };
  if (is(std::get_if<Answered>(&*event))) return Outcome::recorded;
  if (revise && is(std::get_if<Revised>(&*event))) return Outcome::revised;
  return {};
}

/// An answer of a request that was made before, which left no event: nothing changes. One that
/// contradicts what is there, and was not to revise it, was refused.
Result<Outcome> without_event(const Work& work, const Answer& answer, bool revise,
                              std::string_view key) {
  const State& state = work.state();
  const auto item = work.item(answer.item);
  const auto worker = work.worker(answer.worker);
  if (item && worker && state.bond(*item, *worker) == Bond::labelled) {
    const ClassId label = *state.label(*item, *worker);
    if (revise || state.options().classes[position(label)] == answer.label) return Outcome::already;
  }
  return fail(ErrorCode::conflict,
              fmt::format("the answer of worker {} to item {} was not taken when the key {} was "
                          "first used; expected a new key",
                          in_quotes(answer.worker), in_quotes(answer.item), in_quotes(key)));
}

/// Outcomes of a request that was made before, as they were then. Its events follow one another in
/// the order of its answers, from the one that carries its key on.
std::vector<Result<Outcome>> answered_before(Work& work, const store::Record& first,
                                             std::span<const Answer> answers, bool revise,
                                             std::string_view key) {
  std::vector<Result<Outcome>> outcomes;
  Result<std::optional<store::Record>> next = std::optional(first);
  bool is_of_these = false;
  for (const Answer& answer : answers) {
    const auto then =
        next && *next ? outcome_in(work.state(), **next, answer, revise) : std::nullopt;
    outcomes.push_back(then ? *then : without_event(work, answer, revise, key));
    if (!then) continue;
    is_of_these = true;
    next = work.at((*next)->sequence + 1);
  }
  if (!is_of_these) std::ranges::fill(outcomes, Result<Outcome>(key_of_another(key)));
  return outcomes;
}

}  // namespace

Result<Handed> Campaign::next(std::string_view worker, std::uint32_t count, Time now,
                              std::string_view key) {
  auto handed = impl_->command(
      now, [&](Work& work) { return hand_out(work, worker, count, key); }, 1, true);
  if (!handed) return handed;
  // Contents are read once nobody waits for it.
  return impl_->look([&](Core& core) -> Result<Handed> {
    for (Assignment& one : handed->assignments) {
      const auto item = core.state().find_item(one.item);
      auto fields = TRY(impl_->content(item.value()));
      one.fields = std::move(fields);
    }
    return std::move(*handed);
  });
}

std::vector<Result<Outcome>> Campaign::record(std::span<const Answer> answers, Time now,
                                              bool revise, std::string_view key) {
  return impl_->command(
      now,
      [&](Work& work) {
        std::vector<Result<Outcome>> outcomes;
        const auto known = work.find(key);
        const auto ready = known ? work.end_leases() : Result<void>(tl::unexpected(known.error()));
        if (ready && *known) return answered_before(work, **known, answers, revise, key);
        // The first event of the request carries its key.
        std::string_view unused = key;
        for (const Answer& answer : answers) {
          if (!ready) {
            outcomes.push_back(tl::unexpected(ready.error()));
          } else {
            const std::size_t before = work.drafts.size();
            outcomes.push_back(take_answer(work, answer, revise, false, unused));
            if (work.drafts.size() > before) unused = {};
          }
        }
        // An event that cannot be decided now is decided when the next item is asked for.
        if (ready) static_cast<void>(work.follow_rules(false));
        return outcomes;
      },
      answers.size());
}

Result<Outcome> Campaign::record(const Answer& answer, Time now, bool revise,
                                 std::string_view key) {
  return record(std::span(&answer, 1), now, revise, key).front();
}

std::vector<Result<Outcome>> Campaign::import(std::span<const Answer> labels, Time now) {
  return impl_->command(
      now,
      [&](Work& work) {
        std::vector<Result<Outcome>> outcomes;
        for (const Answer& label : labels) {
          outcomes.push_back(take_answer(work, label, false, true, {}));
        }
        return outcomes;
      },
      labels.size());
}

Result<void> Campaign::skip(std::span<const std::string> items, std::string_view worker, Time now,
                            std::string_view key) {
  return impl_->command(now,
                        [&](Work& work) { return end_leases<Skipped>(work, items, worker, key); });
}

Result<void> Campaign::release(std::span<const std::string> items, std::string_view worker,
                               Time now, std::string_view key) {
  return impl_->command(now,
                        [&](Work& work) { return end_leases<Released>(work, items, worker, key); });
}

Result<bool> Campaign::knows(std::string_view key) {
  return impl_->command(Time{}, [&](Work& work) -> Result<bool> {
    return work.find(key).map([](const auto& known) { return known.has_value(); });
  });
}

Result<std::optional<std::string>> Campaign::handed_under(std::string_view key) {
  using Found = std::optional<std::string>;
  return impl_->command(Time{}, [&](Work& work) -> Result<Found> {
    const auto known = TRY(work.find(key));
    if (!known) return Found();
    const auto event = decode(known->kind, known->payload);
    const auto* const lease = event ? std::get_if<Leased>(&*event) : nullptr;
    return lease ? Found(work.state().name(lease->worker)) : Found();
  });
}

Result<std::uint32_t> Campaign::expire(Time now) {
  return impl_->command(now, [&](Work& work) {
    const std::size_t before = work.drafts.size();
    return work.end_leases().map(
        [&] { return static_cast<std::uint32_t>(work.drafts.size() - before); });
  });
}

Result<void> Campaign::pause(Time now) {
  return impl_->command(now, [&](Work& work) {
    return work.open().and_then([&]() -> Result<void> {
      if (work.state().phase() == Phase::running) return work.emit(Paused{});
      if (work.state().reason().empty()) return {};
      // A stop rule has paused it, and might let it go on.
      return work.emit(Resumed{}).and_then([&] { return work.emit(Paused{}); });
    });
  });
}

Result<void> Campaign::resume(Time now) {
  return impl_->command(now, [&](Work& work) {
    return work.open().and_then([&]() -> Result<void> {
      if (work.state().phase() == Phase::running) return {};
      return work.emit(Resumed{});
    });
  });
}

Result<void> Campaign::set_budget(Money budget, Time now) {
  return impl_->command(now, [&](Work& work) {
    return work.open().and_then([&] { return work.end_leases(); }).and_then([&]() -> Result<void> {
      const State& state = work.state();
      const Money least = state.spent() + state.reserved();
      if (budget == state.budget()) return {};
      if (budget < least) {
        return fail(ErrorCode::conflict,
                    fmt::format("a budget of {}; expected at least {} (spent {}, reserved {})",
                                money_text(budget), money_text(least), money_text(state.spent()),
                                money_text(state.reserved())));
      }
      return work.emit(BudgetChanged{budget});
    });
  });
}

Result<void> Campaign::set_prices(std::span<const std::pair<std::string, Money>> prices, Time now) {
  return impl_->command(now, [&](Work& work) {
    return work.open().and_then([&] { return campaign::set_prices(work, prices); });
  });
}

Result<void> Campaign::settle(std::span<const std::string> items, const std::string& reason,
                              Time now) {
  return impl_->command(now, [&](Work& work) {
    return work.open().and_then([&] { return settle_all(work, items, reason); });
  });
}

Result<void> Campaign::close(std::string reason, Time now) {
  return impl_->command(now, [&](Work& work) {
    return work.open().and_then([&] { return work.emit(Closed{reason}); });
  });
}

}  // namespace allot::campaign
