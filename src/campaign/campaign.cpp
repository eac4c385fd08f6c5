#include "allot/campaign/campaign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <set>

#include "allot/base/text.hpp"
#include "campaign/core.hpp"
#include "campaign/verify.hpp"

namespace allot::campaign {
namespace {

constexpr std::size_t kRecordsAtOnce = 10'000;
/// Records since the last snapshot before another is worth its while; a tenth of all if that is
/// more.
constexpr std::uint64_t kSnapshotEvery = 20'000;

Result<void> follow(Core& core, store::Store& store, const std::string& name) {
  while (true) {
    const auto records = store.read(name, core.state().sequence(), kRecordsAtOnce);
    if (!records) return tl::unexpected(records.error());
    for (const store::Record& record : *records) {
      const auto applied = core.apply(record);
      if (!applied) return applied;
    }
    if (records->size() < kRecordsAtOnce) return {};
  }
}

Time time_of(const store::Record& record) { return Time(std::chrono::microseconds(record.time)); }

std::string known_classes(const Options& options) { return some_in_quotes(options.classes, 8); }

}  // namespace

/// What a command may do while it is decided.
class Work {
 public:
  Work(Core& core, store::Store& store, const std::string& name, Time now)
      : core_(core), store_(store), name_(name), now_(now) {}

  Core& core() { return core_; }
  const State& state() const { return core_.state(); }
  Time time() const { return std::max(now_, state().time()); }

  /// The event happens. The first of a request carries its key.
  Result<void> emit(const Event& event, std::string_view key = {}) {
    const Time at = state().sequence() == 0 ? now_ : time();
    return core_.apply(event, at).map([&] {
      drafts.push_back(
          {at.time_since_epoch().count(), kind(event), std::string(key), encode(event)});
    });
  }

  /// Settles what the stop rules call settled, and pauses the campaign if they ask for no more.
  /// With `resume`, a campaign that they have paused goes on if they ask for more now.
  Result<void> follow_rules(bool resume) {
    if (!state().options().stop.any() || state().phase() == Phase::closed) return {};
    for (const ItemId item : core_.sure()) {
      const auto done = emit(Settled{item, std::string(kCertain)});
      if (!done) return done;
    }
    const auto reason = core_.stop_reason();
    if (state().phase() == Phase::running) {
      return reason ? emit(Paused{std::string(policy::name(*reason))}) : Result<void>();
    }
    const bool by_rule = !state().reason().empty();
    return resume && by_rule && !reason ? emit(Resumed{}) : Result<void>();
  }

  Result<void> end_leases() {
    for (const Lease& one : state().over(time())) {
      const auto done = emit(Expired{one.item, one.worker});
      if (!done) return done;
    }
    return {};
  }

  /// The record with that key, on disk or about to be.
  Result<std::optional<store::Record>> find(std::string_view key) {
    if (key.empty()) return std::nullopt;
    for (std::size_t n = 0; n < drafts.size(); ++n) {
      if (drafts[n].key == key) return store::Record{drafts[n], first + n};
    }
    return store_.find(name_, key);
  }
  /// The record with that number, or nothing.
  Result<std::optional<store::Record>> at(std::uint64_t sequence) {
    if (sequence >= first) {
      if (sequence - first >= drafts.size()) return std::nullopt;
      return store::Record{drafts[sequence - first], sequence};
    }
    return store_.read(name_, sequence - 1, 1).map([](std::vector<store::Record> found) {
      return found.empty() ? std::nullopt : std::optional(std::move(found.front()));
    });
  }

  Result<ItemId> item(std::string_view id) const {
    if (const auto known = state().find_item(id)) return *known;
    return fail(ErrorCode::not_found,
                fmt::format("item {} is unknown, expected the id of one of {} items", in_quotes(id),
                            state().item_count()));
  }
  Result<WorkerId> worker(std::string_view name) const {
    if (const auto known = state().find_worker(name)) return *known;
    return fail(
        ErrorCode::not_found,
        fmt::format("worker {} is unknown, expected one who was handed an item", in_quotes(name)));
  }
  Result<ClassId> label(std::string_view name) const {
    const auto& classes = state().options().classes;
    const auto known = std::ranges::find(classes, name);
    if (known != classes.end()) {
      return ClassId{static_cast<std::uint32_t>(known - classes.begin())};
    }
    return fail(ErrorCode::not_found,
                fmt::format("class {} is unknown, expected one of {}", in_quotes(name),
                            known_classes(state().options())));
  }
  Result<WorkerId> joined(std::string_view name) {
    if (const auto known = state().find_worker(name)) return *known;
    if (name.empty()) return fail(ErrorCode::invalid_argument, "a worker needs a name");
    return emit(WorkerJoined{std::string(name)}).map([&] {
      return WorkerId{state().worker_count() - 1};
    });
  }
  Result<void> open() const {
    if (state().phase() != Phase::closed) return {};
    return fail(ErrorCode::forbidden,
                fmt::format("campaign {} is closed ({})", in_quotes(name_), state().reason()));
  }

  const std::string& campaign() const { return name_; }

  std::vector<store::Draft> drafts;
  std::vector<store::Content> contents;
  std::uint64_t first = 0;  // number of the first draft

 private:
  Core& core_;
  store::Store& store_;
  const std::string& name_;
  Time now_;
};

class Campaign::Impl {
 public:
  Impl(store::Store& store, std::string name) : store_(store), name_(std::move(name)) {}

  const std::string& name() const { return name_; }

  Result<void> create(const Options& options, Time now) {
    return check(options).and_then([&] {
      return command(now, [&](Work& work) -> Result<void> {
        if (work.state().sequence() > 0) {
          return fail(ErrorCode::conflict,
                      fmt::format("campaign {} is there already", in_quotes(name_)));
        }
        return work.emit(Created{options});
      });
    });
  }

  Result<void> open() {
    const std::scoped_lock lock(state_);
    return reload().and_then([&]() -> Result<void> {
      if (core_->state().sequence() > 0) return {};
      return fail(ErrorCode::not_found, fmt::format("there is no campaign {}", in_quotes(name_)));
    });
  }

  /// decide(work) appends events by work.emit; its result is returned once they are on disk. Of
  /// several results there are `count`.
  template <typename Decide>
  auto command(Time now, Decide decide, std::size_t count = 1, bool chooses = false)
      -> std::invoke_result_t<Decide, Work&> {
    using Reply = std::invoke_result_t<Decide, Work&>;
    std::optional<Reply> result;
    Request request{now, [&](Work& work) { result.emplace(decide(work)); }, chooses};
    run(request);
    return request.trouble ? refused<Reply>(*request.trouble, count) : std::move(*result);
  }

  /// look(core) once all that others appended was taken in.
  template <typename Look>
  auto look(Look what) -> std::invoke_result_t<Look, Core&> {
    const std::scoped_lock lock(state_);
    const auto caught_up = catch_up();
    if (!caught_up) return tl::unexpected(caught_up.error());
    auto seen = what(*core_);
    if (core_) save_if_due();
    return seen;
  }

  Result<void> save_snapshot() {
    return look([&](Core& core) -> Result<void> { return save(core); });
  }

  store::Store& store() { return store_; }

 private:
  struct Request {
    Time now;
    std::function<void(Work&)> decide;
    bool chooses;  // whether it needs beliefs
    std::optional<Error> trouble = {};
    bool done = false;
  };

  template <typename Reply>
  static Reply refused(const Error& error, std::size_t count) {
    if constexpr (requires { typename Reply::error_type; }) {
      return tl::unexpected(error);
    } else {
      return Reply(count, tl::unexpected(error));
    }
  }

  /// Whoever finds no one at work does the work of all who wait; the others wait.
  void run(Request& mine) {
    std::unique_lock lock(waiting_);
    requests_.push_back(&mine);
    arrived_.wait(lock, [&] { return mine.done || !working_; });
    if (mine.done) return;
    working_ = true;
    std::vector<Request*> batch;
    batch.swap(requests_);
    lock.unlock();
    try {
      process(batch);
    } catch (const std::exception& broken) {
      // Nobody may be left waiting, and what was half done did not happen.
      const std::scoped_lock state(state_);
      core_.reset();
      fail_all(batch, {ErrorCode::store_failure, broken.what()});
    }
    lock.lock();
    for (Request* one : batch) one->done = true;
    working_ = false;
    arrived_.notify_all();
  }

  static void fail_all(const std::vector<Request*>& batch, const Error& error) {
    for (Request* one : batch) one->trouble = error;
  }

  void process(const std::vector<Request*>& batch) {
    const std::scoped_lock lock(state_);
    const bool chooses = std::ranges::any_of(batch, &Request::chooses);
    if (chooses || (core_ && core_->state().options().stop.any())) {
      // What takes long is done while others may still append.
      const auto ready = catch_up();
      if (!ready) return fail_all(batch, ready.error());
      if (core_->state().sequence() > 0) chooses ? core_->prepare() : core_->look();
    }
    auto turn = store_.begin(name_);
    if (!turn) return fail_all(batch, turn.error());
    const auto caught_up = catch_up();
    if (!caught_up) return fail_all(batch, caught_up.error());
    std::vector<store::Draft> drafts;
    std::vector<store::Content> contents;
    const std::uint64_t first = core_->state().sequence() + 1;
    for (Request* one : batch) {
      Work work(*core_, store_, name_, one->now);
      work.drafts = std::move(drafts);
      work.contents = std::move(contents);
      work.first = first;
      one->decide(work);
      drafts = std::move(work.drafts);
      contents = std::move(work.contents);
    }
    if (drafts.empty()) return;
    const auto kept =
        (*turn)->append(drafts).and_then([&] { return (*turn)->add(contents); }).and_then([&] {
          return (*turn)->commit();
        });
    turn->reset();
    if (!kept) {
      // What was decided did not happen: back to what did.
      core_.reset();
      return fail_all(batch, kept.error());
    }
    save_if_due();
  }

  /// It saves time and nothing else, so nothing is worked out for it, and a campaign goes on
  /// without.
  void save_if_due() {
    const std::uint64_t last = core_->state().sequence();
    if (last - snapshot_ < std::max(kSnapshotEvery, last / 10) || core_->is_behind()) return;
    snapshot_ = last;  // not again soon, even if it fails
    static_cast<void>(save(*core_));
  }

  Result<void> catch_up() {
    if (!core_) return reload();
    return follow(*core_, store_, name_).map_error([&](Error error) {
      core_.reset();
      return error;
    });
  }

  Result<void> reload() {
    core_ = std::make_unique<Core>();
    auto snapshot = store_.snapshot(name_);
    if (!snapshot) return tl::unexpected(snapshot.error());
    snapshot_ = 0;
    if (*snapshot) {
      const std::uint64_t sequence = (*snapshot)->sequence;
      if (core_->load(std::move(**snapshot))) {
        snapshot_ = sequence;
      } else {
        core_ = std::make_unique<Core>();
      }
      snapshot->reset();
    }
    return follow(*core_, store_, name_).map_error([&](Error error) {
      core_.reset();
      return error;
    });
  }

  Result<void> save(Core& core) {
    return store_.save(name_, core.snapshot()).map([&] { snapshot_ = core.state().sequence(); });
  }

  store::Store& store_;
  const std::string name_;

  std::mutex waiting_;
  std::condition_variable arrived_;
  std::vector<Request*> requests_;
  bool working_ = false;

  std::mutex state_;
  std::unique_ptr<Core> core_;  // none if it must be read again
  std::uint64_t snapshot_ = 0;  // the last one that is known of
};

Campaign::Campaign(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Campaign::~Campaign() = default;
const std::string& Campaign::name() const { return impl_->name(); }

Result<std::unique_ptr<Campaign>> Campaign::create(store::Store& store, std::string name,
                                                   const Options& options, Time now) {
  if (name.empty()) return fail(ErrorCode::invalid_argument, "a campaign needs a name");
  auto impl = std::make_unique<Impl>(store, std::move(name));
  return impl->create(options, now).map([&] {
    return std::unique_ptr<Campaign>(new Campaign(std::move(impl)));
  });
}

Result<std::unique_ptr<Campaign>> Campaign::open(store::Store& store, std::string name) {
  auto impl = std::make_unique<Impl>(store, std::move(name));
  return impl->open().map([&] { return std::unique_ptr<Campaign>(new Campaign(std::move(impl))); });
}

Result<void> Campaign::add_items(std::span<const ItemDraft> items, Time now, std::string_view key) {
  return impl_->command(now, [&](Work& work) -> Result<void> {
    const auto known = work.find(key);
    if (!known) return tl::unexpected(known.error());
    if (*known || items.empty()) return {};
    const auto open = work.open();
    if (!open) return open;
    ItemsAdded event;
    for (const ItemDraft& item : items) {
      NewItem added{item.id, item.price, {}, item.features};
      if (item.truth) {
        const auto truth = work.label(*item.truth);
        if (!truth) return tl::unexpected(truth.error());
        added.truth = *truth;
      }
      event.items.push_back(std::move(added));
    }
    std::uint32_t number = work.state().item_count();
    return work.emit(event, key).map([&] {
      for (const ItemDraft& item : items) work.contents.push_back({number++, item.fields});
    });
  });
}

namespace {

/// The leases of a request that was made before.
Result<std::vector<Leased>> leased_before(Work& work, const store::Record& first) {
  std::vector<Leased> leases;
  std::uint64_t sequence = first.sequence;
  while (true) {
    const auto record = work.at(sequence++);
    if (!record) return tl::unexpected(record.error());
    if (!*record) return leases;
    const auto event = decode((*record)->kind, (*record)->payload);
    if (!event) return tl::unexpected(event.error());
    const auto* lease = std::get_if<Leased>(&*event);
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
  const auto known = work.find(key);
  if (!known) return tl::unexpected(known.error());
  if (*known) {
    return leased_before(work, **known).and_then([&](const auto& leases) -> Result<Handed> {
      for (const Leased& one : leases) {
        if (work.state().name(one.worker) != name) {
          return fail(ErrorCode::conflict,
                      fmt::format("the key {} was used by worker {}, expected a new one for {}",
                                  in_quotes(key), in_quotes(work.state().name(one.worker)),
                                  in_quotes(name)));
        }
        handed.assignments.push_back(assignment(work.state(), one));
      }
      return handed;
    });
  }
  if (count == 0) return fail(ErrorCode::invalid_argument, "0 items asked for, expected 1 or more");
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
  const auto worker = work.joined(name);
  if (!worker) return tl::unexpected(worker.error());
  while (handed.assignments.size() < count) {
    const auto pick = work.core().pick(*worker);
    if (!pick) {
      if (handed.assignments.empty()) return tl::unexpected(pick.error());
      handed.shortfall = pick.error().message;
      break;
    }
    const auto place = static_cast<std::uint32_t>(handed.assignments.size());
    const Leased lease{pick->item,
                       *worker,
                       work.state().price(pick->item, *worker),
                       work.time() + work.state().options().lease,
                       pick->why,
                       place};
    const auto done = work.emit(lease, place > 0 ? std::string_view() : key);
    if (!done) return tl::unexpected(done.error());
    handed.assignments.push_back(assignment(work.state(), lease));
  }
  return handed;
}

/// An answer to what was handed out.
Result<Outcome> take_answer(Work& work, const Answer& answer, bool revise, bool import,
                            std::string_view key) {
  const State& state = work.state();
  const auto item = work.item(answer.item);
  if (!item) return tl::unexpected(item.error());
  const auto label = work.label(answer.label);
  if (!label) return tl::unexpected(label.error());
  const auto worker = import ? work.joined(answer.worker) : work.worker(answer.worker);
  if (!worker) return tl::unexpected(worker.error());
  const std::string what = in_quotes(answer.item), who = in_quotes(answer.worker);
  const Bond bond = state.bond(*item, *worker);
  const auto answered = [&](Money price, How how) {
    return work.emit(Answered{*item, *worker, *label, price, how}, key).map([] {
      return Outcome::recorded;
    });
  };
  if (bond == Bond::labelled) {
    const ClassId before = *state.label(*item, *worker);
    if (before == *label) return Outcome::already;
    const std::string given = in_quotes(state.options().classes[position(before)]);
    if (!revise) {
      return fail(ErrorCode::conflict,
                  fmt::format("worker {} labelled item {} {} before, {} is refused unless it is to "
                              "revise that",
                              who, what, given, in_quotes(answer.label)));
    }
    if (state.truth(*item)) {
      return fail(ErrorCode::forbidden,
                  fmt::format("the answer of item {} is known, its labels are not revised", what));
    }
    return work.emit(Revised{*item, *worker, *label}, key).map([] { return Outcome::revised; });
  }
  const auto open = work.open();
  if (!open) return tl::unexpected(open.error());
  if (import) {
    if (bond == Bond::leased) {
      return fail(ErrorCode::conflict,
                  fmt::format("worker {} has item {} at hand, expected its answer to be recorded",
                              who, what));
    }
    return answered(Money(), How::imported);
  }
  switch (bond) {
    case Bond::leased:
      return answered(state.lease(*item, *worker)->price, How::leased);
    case Bond::skipped:
      return fail(ErrorCode::conflict, fmt::format("worker {} skipped item {}", who, what));
    case Bond::none: {
      std::string others;
      for (const Share& share : state.shares(*item)) {
        if (share.bond == Bond::leased)
          others = fmt::format(", {} has it", in_quotes(state.name(share.worker)));
      }
      return fail(ErrorCode::forbidden,
                  fmt::format("item {} was never handed out to worker {}{}", what, who, others));
    }
    default:
      break;
  }
  const Money price = state.price(*item, *worker);
  const std::uint32_t most = state.options().labels_a_worker;
  if (!state.truth(*item) && !state.has_room(*item)) {
    const std::string_view why = state.settled(*item);
    return fail(ErrorCode::forbidden,
                fmt::format("the answer of worker {} came late: item {} needs no more labels ({})",
                            who, what, why.empty() ? "others have it" : why));
  }
  if (most > 0 && state[*worker].labels + state[*worker].leases >= most) {
    return fail(
        ErrorCode::forbidden,
        fmt::format("the answer of worker {} came late, and they have {} labels or items at "
                    "hand, at most {} are allowed",
                    who, state[*worker].labels + state[*worker].leases, most));
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

Result<std::pair<ItemId, WorkerId>> held_pair(Work& work, std::string_view item,
                                              std::string_view worker) {
  const auto which = work.item(item);
  if (!which) return tl::unexpected(which.error());
  const auto who = work.worker(worker);
  if (!who) return tl::unexpected(who.error());
  if (work.state().lease(*which, *who)) return std::pair(*which, *who);
  return fail(ErrorCode::conflict, fmt::format("worker {} does not have item {} at hand",
                                               in_quotes(worker), in_quotes(item)));
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
      auto fields = impl_->store().content(impl_->name(), position(item.value()));
      if (!fields) return tl::unexpected(fields.error());
      one.fields = std::move(*fields).value_or("");
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
        // The first event of the request carries its key.
        std::string_view unused = key;
        for (const Answer& answer : answers) {
          if (!ready) {
            outcomes.push_back(tl::unexpected(ready.error()));
          } else if (*known) {
            outcomes.push_back(Outcome::already);
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

Result<void> Campaign::skip(std::string_view item, std::string_view worker, Time now) {
  return impl_->command(now, [&](Work& work) {
    return work.end_leases()
        .and_then([&] { return held_pair(work, item, worker); })
        .and_then([&](const auto& pair) {
          return work.emit(Skipped{pair.first, pair.second});
        });
  });
}

Result<void> Campaign::release(std::string_view item, std::string_view worker, Time now) {
  return impl_->command(now, [&](Work& work) {
    return work.end_leases()
        .and_then([&] { return held_pair(work, item, worker); })
        .and_then([&](const auto& pair) {
          return work.emit(Released{pair.first, pair.second});
        });
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
                    fmt::format("a budget of {}, expected at least {} (spent {}, reserved {})",
                                money_text(budget), money_text(least), money_text(state.spent()),
                                money_text(state.reserved())));
      }
      return work.emit(BudgetChanged{budget});
    });
  });
}

Result<void> Campaign::set_price(std::string_view worker, Money price, Time now) {
  return impl_->command(now, [&](Work& work) -> Result<void> {
    if (price < Money()) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("a price of {}, expected 0 or more", money_text(price)));
    }
    return work.open().and_then([&] { return work.joined(worker); }).and_then([&](WorkerId who) {
      if (work.state()[who].price == price) return Result<void>();
      return work.emit(WorkerPriced{who, price});
    });
  });
}

Result<void> Campaign::settle(std::string_view item, std::string reason, Time now) {
  return impl_->command(now, [&](Work& work) {
    return work.open().and_then([&] { return work.item(item); }).and_then([&](ItemId which) {
      if (reason == kCertain) {
        return Result<void>(
            fail(ErrorCode::invalid_argument,
                 fmt::format("the reason '{}' is that of a stop rule, expected another", reason)));
      }
      return work.emit(Settled{which, reason.empty() ? "settled" : reason});
    });
  });
}

Result<void> Campaign::close(std::string reason, Time now) {
  return impl_->command(now, [&](Work& work) {
    return work.open().and_then([&] { return work.emit(Closed{reason}); });
  });
}

namespace {

double entropy(std::span<const double> probabilities) {
  double sum = 0;
  for (const double p : probabilities) {
    if (p > 0) sum -= p * std::log(p);
  }
  return sum;
}

/// Of classes that only rounding tells apart, the first.
std::uint32_t best_class(std::span<const double> probabilities) {
  const double most = std::ranges::max(probabilities) * (1 - 1e-9);
  const auto best = std::ranges::find_if(probabilities, [&](double p) { return p >= most; });
  return static_cast<std::uint32_t>(best - probabilities.begin());
}

}  // namespace

Result<Status> Campaign::status() {
  return impl_->look([&](Core& core) -> Result<Status> {
    const State& state = core.state();
    Status status{state.phase(),
                  state.reason(),
                  state.started(),
                  state.time(),
                  state.budget(),
                  state.spent(),
                  state.reserved(),
                  state.left(),
                  state.sequence(),
                  state.item_count(),
                  static_cast<std::uint32_t>(state.gold().size()),
                  state.worker_count(),
                  state.lease_count(),
                  state.label_count(),
                  state.gold_label_count(),
                  state.imported_count(),
                  {},
                  0,
                  {state.labels_by_day().begin(), state.labels_by_day().end()},
                  core.bound()};
    std::map<std::string, std::uint32_t> reasons;
    double right = 0;
    for (std::uint32_t i = 0; i < state.item_count(); ++i) {
      if (state.truth(ItemId{i})) continue;
      right += std::ranges::max(core.desk().probabilities(ItemId{i}));
      const std::string_view reason = state.settled(ItemId{i});
      if (!reason.empty()) ++reasons[std::string(reason)];
    }
    status.settled.assign(reasons.begin(), reasons.end());
    const std::uint32_t asked = status.items - status.gold;
    status.expected_accuracy = asked == 0 ? 1 : right / asked;
    return status;
  });
}

Result<std::vector<AnswerRow>> Campaign::answers() {
  return impl_->look([&](Core& core) -> Result<std::vector<AnswerRow>> {
    const State& state = core.state();
    const std::size_t classes = state.options().classes.size();
    const std::vector<double> all = core.desk().settled();
    std::vector<AnswerRow> rows;
    for (std::uint32_t i = 0; i < state.item_count(); ++i) {
      const ItemId item{i};
      if (state.truth(item)) continue;
      const std::span<const double> here(&all[i * classes], classes);
      const std::uint32_t best = best_class(here);
      std::uint32_t others = 0;
      for (const Share& share : state.shares(item)) {
        others += share.bond == Bond::labelled && position(share.label) != best;
      }
      const std::uint32_t labels = state.labels(item);
      rows.push_back({state.id(item),
                      ClassId{best},
                      {here.begin(), here.end()},
                      labels,
                      entropy(here),
                      labels == 0 ? 0 : static_cast<double>(others) / labels,
                      state.settled(item)});
    }
    return rows;
  });
}

Result<std::vector<WorkerRow>> Campaign::workers() {
  return impl_->look([&](Core& core) -> Result<std::vector<WorkerRow>> {
    const State& state = core.state();
    std::vector<std::pair<std::uint32_t, std::uint32_t>> agreed(state.worker_count());
    for (std::uint32_t i = 0; i < state.item_count(); ++i) {
      const ItemId item{i};
      if (state.truth(item) || state.labels(item) == 0) continue;
      const std::uint32_t best = best_class(core.desk().probabilities(item));
      for (const Share& share : state.shares(item)) {
        if (share.bond != Bond::labelled) continue;
        auto& [same, all] = agreed[position(share.worker)];
        same += position(share.label) == best;
        ++all;
      }
    }
    std::vector<WorkerRow> rows;
    for (std::uint32_t j = 0; j < state.worker_count(); ++j) {
      const WorkerId worker{j};
      const WorkerFacts& facts = state[worker];
      const auto [mean, low, high] = core.desk().reliability(worker, facts.labels);
      WorkerRow row{state.name(worker),
                    facts,
                    facts.price.value_or(state.options().price),
                    mean,
                    low,
                    high,
                    {}};
      if (agreed[j].second > 0) {
        row.agreement = static_cast<double>(agreed[j].first) / agreed[j].second;
      }
      rows.push_back(std::move(row));
    }
    return rows;
  });
}

Result<std::vector<Assignment>> Campaign::leases(std::string_view worker) {
  return impl_->look([&](Core& core) -> Result<std::vector<Assignment>> {
    const State& state = core.state();
    const auto who = state.find_worker(worker);
    std::vector<Assignment> all;
    if (!who) return all;
    for (const Lease& one : state.leases(*who)) {
      auto fields = impl_->store().content(impl_->name(), position(one.item));
      if (!fields) return tl::unexpected(fields.error());
      const Why why = state.truth(one.item) ? Why::gold : Why::chosen;
      all.push_back(
          {state.id(one.item), std::move(*fields).value_or(""), one.price, one.expires, why});
    }
    return all;
  });
}

Result<Explanation> Campaign::explain(std::string_view item, std::string_view worker) {
  return impl_->look([&](Core& core) -> Result<Explanation> {
    const State& state = core.state();
    const Work names(core, impl_->store(), impl_->name(), state.time());
    const auto which = names.item(item);
    if (!which) return tl::unexpected(which.error());
    Explanation result{state.id(*which),
                       state.shares(*which),
                       core.desk().probabilities(*which),
                       state.pending(*which),
                       state.settled(*which),
                       state.truth(*which),
                       {},
                       {}};
    if (worker.empty()) return result;
    return names.worker(worker).map([&](WorkerId who) {
      result.value = core.desk().value({*which, who});
      result.outlook = core.desk().outlook({*which, who});
      return result;
    });
  });
}

Result<std::vector<Ranked>> Campaign::ranking(std::string_view worker, std::uint32_t count) {
  return impl_->look([&](Core& core) -> Result<std::vector<Ranked>> {
    const State& state = core.state();
    const Work names(core, impl_->store(), impl_->name(), state.time());
    return names.worker(worker).map([&](WorkerId who) {
      Desk& desk = core.desk();
      Rng rng(state.options().seed, Rng::Purpose::tie, state.sequence() + 1);
      std::vector<ItemId> taken;
      std::vector<Ranked> all;
      while (all.size() < count) {
        const auto item = desk.choose(who, rng);
        if (!item) break;
        all.push_back({state.id(*item), desk.value({*item, who}), desk.probabilities(*item),
                       desk.outlook({*item, who})});
        taken.push_back(*item);
        desk.offers.withhold(*item);
        desk.item_changed(*item);
      }
      for (const ItemId item : taken) {
        desk.offers.restore(item);
        desk.item_changed(item);
      }
      return all;
    });
  });
}

Result<std::optional<std::pair<std::string, std::string>>> Campaign::whom_next() {
  using Found = std::optional<std::pair<std::string, std::string>>;
  return impl_->look([&](Core& core) -> Result<Found> {
    const State& state = core.state();
    const auto pair = core.pick_pair();
    if (!pair) return Found();
    return Found(std::pair(state.name(pair->worker), state.id(pair->item)));
  });
}

Result<void> Campaign::read(const std::function<void(const State&)>& visit) {
  return impl_->look([&](Core& core) -> Result<void> {
    visit(core.state());
    return {};
  });
}

Result<void> Campaign::replay(
    const std::function<void(std::uint64_t, Time, std::string_view, const Event&)>& visit) {
  std::uint64_t last = 0;
  while (true) {
    const auto records = impl_->store().read(impl_->name(), last, kRecordsAtOnce);
    if (!records) return tl::unexpected(records.error());
    for (const store::Record& record : *records) {
      const auto event = decode(record.kind, record.payload);
      if (!event) return tl::unexpected(event.error());
      visit(record.sequence, time_of(record), record.key, *event);
      last = record.sequence;
    }
    if (records->size() < kRecordsAtOnce) return {};
  }
}

Result<Verification> Campaign::verify() {
  return impl_->look(
      [&](Core& core) { return campaign::verify(impl_->store(), impl_->name(), core); });
}

Result<void> Campaign::save_snapshot() { return impl_->save_snapshot(); }

}  // namespace allot::campaign
