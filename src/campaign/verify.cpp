#include <fmt/format.h>

#include <algorithm>

#include "allot/base/text.hpp"
#include "campaign/audit_sheet.hpp"
#include "campaign/succession.hpp"
#include "campaign/work.hpp"

namespace allot::campaign {
namespace {

/// Differences that are reported; more would not help.
constexpr std::size_t kMostDifferences = 20;

class Verifier {
 public:
  explicit Verifier(const ContentReader& contents) : contents_(contents) {}

  /// Folds the ledger up to the last event of the live campaign, then compares both.
  Result<Verification> run(Source& ledger, Core& live) {
    const std::uint64_t end = live.state().sequence();
    while (!broken_ && result_.events < end) {
      const auto records = ledger.read(result_.events, kRecordsAtOnce);
      if (!records || records->empty()) {
        differ("{}", records
                         ? fmt::format("the ledger ends at {}; expected {}", result_.events, end)
                         : records.error().message);
        return result_;
      }
      for (const store::Record& record : *records) {
        if (broken_ || result_.events == end) break;
        take(record);
      }
    }
    check_left(nullptr);
    if (!broken_) compare(live);
    return result_;
  }

 private:
  template <typename... Args>
  void differ(fmt::format_string<Args...> line, Args&&... args) {
    if (result_.differences.size() == kMostDifferences) return;
    result_.differences.push_back(fmt::format(line, std::forward<Args>(args)...));
  }

  void take(const store::Record& record) {
    const auto event = decode(record.kind, record.payload);
    if (event) {
      check_left(&*event);
      if (const auto* added = std::get_if<ItemsAdded>(&*event))
        check_fields(record.sequence, *added);
      if (const auto* lease = std::get_if<Leased>(&*event)) {
        decide_again(record.sequence, *lease);
        check_terms(record, *lease);
      }
      if (const auto* settled = std::get_if<Settled>(&*event))
        check_rule(record.sequence, *settled);
      if (const auto* paused = std::get_if<Paused>(&*event)) check_rule(record.sequence, *paused);
      if (const auto* reviewed = std::get_if<Reviewed>(&*event)) {
        check_beliefs(record.sequence, *reviewed);
        check_marks(record.sequence, *reviewed);
      }
      if (const auto* audit = std::get_if<AuditStarted>(&*event)) {
        check_draws(record.sequence, *audit);
      }
      if (const auto* gold = std::get_if<GoldStated>(&*event)) check_gold(record.sequence, *gold);
      if (const auto* one = std::get_if<WorkerVersioned>(&*event))
        check_inherited(record.sequence, *one);
      if (const auto* ended = std::get_if<SessionEnded>(&*event)) {
        check_idle(record.sequence, *ended);
      }
    }
    const auto applied = again_.apply(record);
    if (!applied) {
      differ("{}", applied.error().message);
      broken_ = true;
      return;
    }
    const auto* lease = std::get_if<Leased>(&*event);
    last_lease_ = lease ? std::optional(*lease) : std::nullopt;
    ++result_.events;
    const State& state = again_.state();
    if (state.account().spent + state.account().reserved > state.account().budget) {
      differ("record {}: {} spent and {} reserved of a budget of {}", record.sequence,
             money_text(state.account().spent), money_text(state.account().reserved),
             money_text(state.account().budget));
    }
  }

  /// Checks that the fields of the items are those that were added.
  void check_fields(std::uint64_t sequence, const ItemsAdded& event) {
    const auto changed = changed_fields(event, again_.state().item_count(), contents_);
    if (!changed) return differ("record {}: {}", sequence, changed.error().message);
    for (const std::string& item : *changed) {
      differ("record {}: the fields of item {} are not those that were added", sequence,
             in_quotes(item));
    }
  }

  void decide_again(std::uint64_t sequence, const Leased& lease) {
    const State& state = again_.state();
    if (position(lease.worker) >= state.worker_count() ||
        position(lease.item) >= state.item_count()) {
      return;  // `apply` refuses it
    }
    ++result_.decisions;
    const auto pick = again_.pick(lease.worker);
    const Core::Pick kept{lease.item, lease.reason};
    if (pick && *pick == kept) return;
    const std::string now =
        pick ? fmt::format("{} ({})", in_quotes(state.id(pick->item)), name(pick->reason))
             : pick.error().message;
    differ("record {}: worker {} was handed item {} ({}); decided again, it is {}", sequence,
           in_quotes(state.name(lease.worker)), in_quotes(state.id(lease.item)), name(lease.reason),
           now);
  }

  /// Checks the duration of the lease and its place in its request.
  void check_terms(const store::Record& record, const Leased& lease) {
    const Time taken{std::chrono::microseconds(record.time)};
    if (lease.expires != taken + again_.state().options().lease) {
      differ("record {}: a lease of {} s; expected {} s", record.sequence,
             std::chrono::duration<double>(lease.expires - taken).count(),
             again_.state().options().lease.count());
    }
    const bool follows =
        last_lease_ && last_lease_->worker == lease.worker && last_lease_->place + 1 == lease.place;
    if (lease.place == 0 || follows) return;
    differ("record {}: item {} of a request whose item {} is not before it", record.sequence,
           lease.place, lease.place - 1);
  }

  /// Checks that the stop rules settle the item, or pause the campaign.
  void check_rule(std::uint64_t sequence, const Settled& event) {
    if (event.reason != kCertain) return;
    ++result_.decisions;
    const std::vector<ItemId> sure = again_.sure();
    if (std::ranges::find(sure, event.item) != sure.end()) return;
    differ("record {}: item {} was settled as certain; decided again, it is not", sequence,
           position(event.item));
  }
  void check_rule(std::uint64_t sequence, const Paused& event) {
    if (event.reason.empty()) return;
    ++result_.decisions;
    const auto reason = again_.stop_reason();
    if (reason && policy::name(*reason) == event.reason) return;
    differ("record {}: paused by the stop rule '{}'; decided again, it is not", sequence,
           event.reason);
  }

  /// Checks that there was nothing to ask the participant.
  void check_idle(std::uint64_t sequence, const SessionEnded& event) {
    const State& state = again_.state();
    if (event.outcome == SessionOutcome::done || event.outcome == SessionOutcome::screened_out ||
        position(event.worker) >= state.worker_count()) {
      return;
    }
    ++result_.decisions;
    const bool leases = state.phase() == Phase::running && !state.archived();
    const bool has_work = leases && again_.pick(event.worker);
    const Session* const session = state.sessions().open(event.worker);
    if (event.outcome == SessionOutcome::incomplete) {
      if (has_work || session == nullptr || !state.left_work(*session)) left_ = event.worker;
    } else if (has_work) {
      differ("record {}: the session of {} ended for lack of work; decided again, there is some",
             sequence, in_quotes(state.name(event.worker)));
    }
  }

  /// Checks that a participant who had skipped nothing left the session for another one, with the
  /// next event; null at the end of the ledger.
  void check_left(const Event* next) {
    const auto* const joined = next == nullptr ? nullptr : std::get_if<SessionJoined>(next);
    if (left_ && (joined == nullptr || joined->worker != *left_)) {
      differ("the session of {} ended as incomplete after {} events; decided again, it goes on",
             in_quotes(again_.state().name(*left_)), result_.events);
    }
    left_.reset();
  }

  /// Checks what the labels said of the gold items.
  void check_gold(std::uint64_t sequence, const GoldStated& event) {
    ++result_.decisions;
    if (again_.gold_beliefs() == event.beliefs) return;
    differ("record {}: what the labels said of the gold items is not what they say", sequence);
  }

  /// Checks what a new version of a worker starts from.
  void check_inherited(std::uint64_t sequence, const WorkerVersioned& event) {
    const State& state = again_.state();
    if (!event.follows || position(event.worker) >= state.worker_count() ||
        position(*event.follows) >= state.worker_count()) {
      return;  // nothing to inherit, or `apply` refuses it
    }
    if (state[event.worker].follows == event.follows) return;
    ++result_.decisions;
    if (handed_on(state, again_.crowd(), *event.follows) == event.inherited) return;
    differ("record {}: what worker {} inherits is not the belief about worker {}", sequence,
           in_quotes(state.name(event.worker)), in_quotes(state.name(*event.follows)));
  }

  /// Checks the marks of drawn items; reviews of older versions have none.
  void check_marks(std::uint64_t sequence, const Reviewed& event) {
    if (std::ranges::none_of(event.verdicts, &Verdict::drawn)) return;
    const State& state = again_.state();
    const auto drawn =
        state.audit() ? AuditSheet(state).drawn(event.verdicts.size()) : std::set<ItemId>();
    for (const Verdict& verdict : event.verdicts) {
      if (drawn.contains(verdict.item) == verdict.drawn) continue;
      differ("record {}: a verdict on item {}, which the audit has {}drawn", sequence,
             position(verdict.item), verdict.drawn ? "not " : "");
    }
  }

  /// Checks what the labels said before the verdicts.
  void check_beliefs(std::uint64_t sequence, const Reviewed& event) {
    for (const Verdict& verdict : event.verdicts) {
      if (position(verdict.item) >= again_.state().item_count()) return;  // `apply` refuses it
      ++result_.decisions;
      const bool same = again_.by_labels(verdict.item) == verdict.stated &&
                        again_.state().items().labels(verdict.item) == verdict.labels;
      if (same) continue;
      differ("record {}: what the labels said of item {} before its review is not what they say",
             sequence, in_quotes(again_.state().id(verdict.item)));
    }
  }

  /// Checks the seed of the draws and the answers that were frozen.
  void check_draws(std::uint64_t sequence, const AuditStarted& event) {
    ++result_.decisions;
    AuditPlan plan = event.plan;
    plan.seed = audit_seed(again_.state());
    if (freeze_answers(again_, plan) == event) return;
    differ("record {}: an audit of other answers, or by another seed, than the ledger gives",
           sequence);
  }

  /// Compares all numbers, as the bytes of snapshots.
  void compare(Core& live) {
    const State &kept = live.state(), &again = again_.state();
    const auto amount = [&](std::string_view what, Money here, Money there) {
      if (here == there) return;
      differ("{}: {} is kept; the ledger adds up to {}", what, money_text(here), money_text(there));
    };
    amount("budget", kept.account().budget, again.account().budget);
    amount("spent", kept.account().spent, again.account().spent);
    amount("reserved", kept.account().reserved, again.account().reserved);
    if (kept.label_counts().all != again.label_counts().all) {
      differ("labels: {} are kept; the ledger has {}", kept.label_counts().all,
             again.label_counts().all);
    }
    const store::Snapshot here = live.snapshot(), there = again_.snapshot();
    if (here.parts[1] != there.parts[1]) {
      differ("the kept items, workers and leases differ from what the ledger adds up to");
    }
    if (here.parts[2] != there.parts[2]) {
      differ("the kept beliefs differ from those that the labels of the ledger give");
    }
  }

  const ContentReader& contents_;
  Core again_;
  Verification result_;
  std::optional<Leased> last_lease_;  // if it was the last event
  std::optional<WorkerId> left_;      // whose session ended with the last event, with work left
  bool broken_ = false;
};

}  // namespace

Result<Verification> verify(Source& ledger, const ContentReader& contents, Core& live) {
  return Verifier(contents).run(ledger, live);
}

}  // namespace allot::campaign
