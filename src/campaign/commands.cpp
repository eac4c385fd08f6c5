#include "allot/campaign/commands.hpp"

#include <fmt/format.h>

#include <set>

#include "allot/base/text.hpp"
#include "base/errors.hpp"
#include "campaign/decisions.hpp"
#include "campaign/earlier_request.hpp"
#include "campaign/review_decisions.hpp"
#include "campaign/session_decisions.hpp"

namespace allot::campaign {
namespace {

/// Bytes of the words about a worker's standing.
constexpr std::size_t kLongestReason = 500;

/// Ends leases that are over and follows the stop rules; refuses a campaign that leases nothing.
Result<void> prepare_leasing(Work& work) {
  TRY(work.check_open());
  const State& state = work.state();
  if (state.archived()) {
    return fail(ErrorCode::forbidden,
                "campaign {} is archived; no items are handed out until it is unarchived",
                in_quotes(work.campaign()));
  }
  if (state.phase() == Phase::running || !state.reason().empty()) {
    TRY(work.end_leases());
    TRY(work.follow_rules(true));
  }
  if (state.phase() != Phase::paused) return {};
  const std::string& rule = state.reason();
  return fail(
      ErrorCode::forbidden, "campaign {} is paused{}; no items are handed out until it resumes",
      in_quotes(work.campaign()), rule.empty() ? "" : fmt::format(" by the stop rule '{}'", rule));
}

Result<Handout> lease_items(Work& work, std::string_view name, std::uint32_t count,
                            std::string_view key) {
  TRY(prepare_leasing(work));
  const WorkerId worker = TRY(work.joined(name));
  Handout handout;
  while (handout.assignments.size() < count) {
    const auto pick = work.core().pick(worker);
    if (!pick) {
      if (handout.assignments.empty()) return tl::unexpected(pick.error());
      handout.shortfall = pick.error().message;
      break;
    }
    const auto place = static_cast<std::uint32_t>(handout.assignments.size());
    const Leased lease{.item = pick->item,
                       .worker = worker,
                       .price = work.state().price(pick->item, worker),
                       .expires = work.time() + work.state().options().lease,
                       .reason = pick->reason,
                       .place = place};
    TRY(work.emit(lease, place == 0 ? key : std::string_view()));
    handout.assignments.push_back(assignment_of(work.state(), lease));
  }
  return handout;
}

/// A participant for whom there is nothing does not wait: the session ends, and its code pays.
Result<Handout> hand_out(Work& work, std::string_view name, std::uint32_t count,
                         std::string_view key) {
  if (const auto earlier = TRY(EarlierRequest::find(work, key)))
    return earlier->handout(name, count);
  if (count == 0) return fail(ErrorCode::invalid_argument, "0 items asked for; expected 1 or more");
  auto handout = lease_items(work, name, count, key);
  if (!handout) TRY(end_idle_session(work, name));
  return handout;
}

std::vector<Result<Outcome>> take_answers(Work& work, std::span<const Answer> answers, bool revise,
                                          std::string_view key, bool is_repeat) {
  const auto earlier = EarlierRequest::find(work, key);
  const auto ready = earlier ? work.end_leases() : Result<void>(tl::unexpected(earlier.error()));
  if (!ready) return {answers.size(), tl::unexpected(ready.error())};
  if (*earlier) return (*earlier)->outcomes(answers, revise);
  if (is_repeat) return EarlierRequest::outcomes_without_events(work, key, answers, revise);
  std::vector<Result<Outcome>> outcomes;
  std::string_view unused = key;  // the first event of the request carries it
  for (const Answer& answer : answers) {
    const std::size_t before = work.emitted();
    outcomes.push_back(take_answer(work, answer, revise, unused));
    if (work.emitted() > before) unused = {};
  }
  for (const Answer& answer : answers) {
    if (const auto worker = work.state().find_worker(answer.worker))
      static_cast<void>(follow_session(work, *worker));
  }
  // If the rules cannot be followed now, the next request for items follows them.
  static_cast<void>(work.follow_rules(false));
  return outcomes;
}

Result<Outcome> take_collected(Work& work, const Answer& answer, std::string_view holder,
                               std::string_view key) {
  if (const auto earlier = TRY(EarlierRequest::find(work, key)))
    return earlier->outcomes({&answer, 1}, true).front();
  TRY(work.end_leases());
  auto outcome = collect_label(work, answer, holder, key);
  // If the rules cannot be followed now, the next request for items follows them.
  static_cast<void>(work.follow_rules(false));
  return outcome;
}

/// Ends leases of the worker by events of one kind. An item that comes twice counts once.
template <typename End>
Result<void> end_leases(Work& work, std::span<const std::string> items, std::string_view worker,
                        std::string_view key, const Remark& remark = {}, bool paid = false) {
  if (const auto earlier = TRY(EarlierRequest::find(work, key))) {
    return earlier->template ended<End>(items, worker);
  }
  TRY(work.end_leases());
  const WorkerId who = TRY(work.worker(worker));
  std::set<ItemId> leased;
  for (const std::string& id : items) {
    const ItemId item = TRY(work.item(id));
    if (!work.state().leases().find(item, who)) {
      return fail(ErrorCode::conflict, "item {} is not leased to worker {}", in_quotes(id),
                  in_quotes(worker));
    }
    leased.insert(item);
  }
  for (const ItemId item : leased) {
    End end{item, who};
    if constexpr (requires { end.remark; }) end.remark = remark;
    if constexpr (requires { end.paid; }) {
      if (paid) end.paid = work.state().leases().find(item, who)->price;
    }
    TRY(work.emit(end, item == *leased.begin() ? key : std::string_view()));
  }
  return follow_session(work, who);
}

/// Lets the worker get skipped items again. An item that comes twice counts once.
Result<void> unskip_items(Work& work, std::span<const std::string> items, std::string_view worker) {
  TRY(work.check_open());
  const WorkerId who = TRY(work.worker(worker));
  std::set<ItemId> skipped;
  for (const std::string& id : items) {
    const ItemId item = TRY(work.item(id));
    if (work.state().pairs().status(item, who) != PairStatus::skipped) {
      return fail(ErrorCode::conflict, "worker {} has not skipped item {}", in_quotes(worker),
                  in_quotes(id));
    }
    skipped.insert(item);
  }
  for (const ItemId item : skipped) TRY(work.emit(Released{item, who}));
  return {};
}

Result<void> settle_items(Work& work, std::span<const std::string> items,
                          const std::string& reason) {
  if (reason == kCertain) {
    return invalid("the reason '{}' belongs to a stop rule; expected another", reason);
  }
  std::set<ItemId> open;
  for (const std::string& id : items) {
    const ItemId item = TRY(work.item(id));
    const std::string_view before = work.state().items().finish_reason(item);
    if (!before.empty()) {
      return fail(ErrorCode::conflict, "item {} is finished already ({}); expected one that is not",
                  in_quotes(id), before);
    }
    open.insert(item);
  }
  for (const ItemId item : open) {
    TRY(work.emit(Settled{item, reason.empty() ? "settled" : reason}));
  }
  return {};
}

Result<void> change_budget(Work& work, Money budget) {
  TRY(work.end_leases());
  const Account& account = work.state().account();
  if (budget == account.budget) return {};
  const Money least = account.spent + account.reserved;
  if (budget < least) {
    return fail(ErrorCode::conflict, "a budget of {}; expected at least {} (spent {}, reserved {})",
                money_text(budget), money_text(least), money_text(account.spent),
                money_text(account.reserved));
  }
  return work.emit(BudgetChanged{budget});
}

Result<void> change_model(Work& work, const Options& options) {
  TRY(check(options));
  TRY(work.end_leases());
  const Options& before = work.state().options();
  if (options == before) return {};
  if (!same_but_for_model(options, before)) {
    return invalid("the options differ in more than the model; expected the rest as it is");
  }
  if (!work.state().groups().names.empty()) TRY(check_groups(options));
  return work.emit(ModelChanged{options});
}

Result<void> change_options(Work& work, const Options& options) {
  TRY(check(options));
  TRY(work.end_leases());
  const Options& before = work.state().options();
  if (options == before) return {};
  if (!can_change(before, options)) {
    return invalid(
        "the options differ in more than a running campaign can change; expected another policy, "
        "lease, limit of labels, gold rate or stop rule");
  }
  if (!work.state().groups().names.empty()) TRY(check_groups(options));
  const bool recounts = !keeps_beliefs(before, options);
  TRY(work.emit(OptionsChanged{options}));
  return recounts ? work.follow_rules(true) : Result<void>();
}

/// The stop rules then look at the labels that count.
Result<void> change_standing(Work& work, std::string_view name, Standing standing,
                             const std::string& reason) {
  if (reason.size() > kLongestReason) {
    return invalid("a reason of {} bytes; expected at most {}", reason.size(), kLongestReason);
  }
  const WorkerId worker = TRY(work.worker(name));
  if (work.state().phase() != Phase::closed) TRY(work.end_leases());
  const Standing before = work.state()[worker].standing;
  if (before == standing) return {};
  TRY(work.emit(StandingChanged{worker, standing, reason}));
  const bool recounts = before == Standing::excluded || standing == Standing::excluded;
  return recounts ? work.follow_rules(true) : Result<void>();
}

Result<void> change_archive(Work& work, bool archived) {
  if (work.state().archived() == archived) return {};
  if (work.state().phase() != Phase::closed) TRY(work.end_leases());
  return work.emit(ArchiveChanged{archived});
}

/// Runs a command that a closed campaign refuses.
template <typename Decide>
Result<void> change(Source& source, Time now, Decide decide) {
  return run_command(source, now, [&](Work& work) {
    return work.check_open().and_then([&] { return decide(work); });
  });
}

}  // namespace

Result<void> Commands::add_items(std::span<const ItemDraft> items, Time now, std::string_view key) {
  return run_command(*source_, now, [&](Work& work) -> Result<void> {
    if (const auto earlier = TRY(EarlierRequest::find(work, key))) return earlier->items(items);
    TRY(work.check_open());
    return campaign::add_items(work, items, key);
  });
}

Result<Handout> Commands::next(std::string_view worker, std::uint32_t count, Time now,
                               std::string_view key) {
  auto handout = TRY(run_command(
      *source_, now, [&](Work& work) { return hand_out(work, worker, count, key); }, 1, true));
  // Fields are read after the commit, so that no other command waits for them.
  return run_look(*source_, [&](Core&, const State& state) -> Result<Handout> {
    for (Assignment& assignment : handout.assignments) {
      assignment.fields = TRY(source_->content(state.find_item(assignment.item).value()));
    }
    return std::move(handout);
  });
}

std::vector<Result<Outcome>> Commands::record(std::span<const Answer> answers, Time now,
                                              bool revise, std::string_view key, bool is_repeat) {
  return run_command(
      *source_, now,
      [&](Work& work) { return take_answers(work, answers, revise, key, is_repeat); },
      answers.size());
}

std::vector<Result<Outcome>> Commands::import(std::span<const Answer> labels, Time now) {
  const auto import_all = [&](Work& work) {
    std::vector<Result<Outcome>> outcomes;
    for (const Answer& label : labels) outcomes.push_back(import_label(work, label));
    return outcomes;
  };
  return run_command(*source_, now, import_all, labels.size());
}

Result<Outcome> Commands::collect(const Answer& answer, std::string_view holder, Time now,
                                  std::string_view key) {
  return run_command(*source_, now,
                     [&](Work& work) { return take_collected(work, answer, holder, key); });
}

Result<void> Commands::skip(std::span<const std::string> items, std::string_view worker, Time now,
                            std::string_view key, const Remark& remark, bool paid) {
  TRY(check(remark));
  if (paid && remark.reason != kUnsure) {
    return invalid("a skip with the reason {} is not paid; expected the reason {}",
                   in_quotes(remark.reason), in_quotes(kUnsure));
  }
  return run_command(*source_, now, [&](Work& work) {
    return end_leases<Skipped>(work, items, worker, key, remark, paid);
  });
}

Result<void> Commands::release(std::span<const std::string> items, std::string_view worker,
                               Time now, std::string_view key) {
  return run_command(*source_, now,
                     [&](Work& work) { return end_leases<Released>(work, items, worker, key); });
}

Result<void> Commands::unskip(std::span<const std::string> items, std::string_view worker,
                              Time now) {
  return run_command(*source_, now, [&](Work& work) { return unskip_items(work, items, worker); });
}

Result<std::uint32_t> Commands::expire(Time now) {
  return run_command(*source_, now, [&](Work& work) -> Result<std::uint32_t> {
    const std::uint32_t before = work.state().leases().count();
    TRY(work.end_leases());
    return before - work.state().leases().count();
  });
}

Result<void> Commands::set_recruiting(const std::string& link, const RecruitingTerms& terms,
                                      Time now) {
  return run_command(*source_, now,
                     [&](Work& work) { return campaign::set_recruiting(work, link, terms); });
}

Result<JoinedSession> Commands::join(const Arrival& arrival, Time now) {
  return run_command(*source_, now, [&](Work& work) { return campaign::join(work, arrival); });
}

Result<void> Commands::pause(Time now) {
  return change(*source_, now, [](Work& work) -> Result<void> {
    if (work.state().phase() == Phase::running) return work.emit(Paused{});
    if (work.state().reason().empty()) return {};
    // A stop rule has paused it and could resume it; from now on only the caller can.
    TRY(work.emit(Resumed{}));
    return work.emit(Paused{});
  });
}

Result<void> Commands::resume(Time now) {
  return change(*source_, now, [](Work& work) {
    return work.state().phase() == Phase::running ? Result<void>() : work.emit(Resumed{});
  });
}

Result<void> Commands::set_budget(Money budget, Time now) {
  return change(*source_, now, [&](Work& work) { return change_budget(work, budget); });
}

Result<void> Commands::set_model(const Options& options, Time now) {
  return change(*source_, now, [&](Work& work) { return change_model(work, options); });
}

Result<void> Commands::set_options(const Options& options, Time now) {
  return change(*source_, now, [&](Work& work) { return change_options(work, options); });
}

Result<void> Commands::set_page(const std::string& page, Time now) {
  return run_command(*source_, now, [&](Work& work) { return work.emit(PageChanged{page}); });
}

Result<void> Commands::set_prices(std::span<const std::pair<std::string, Money>> prices, Time now) {
  return change(*source_, now, [&](Work& work) { return campaign::set_prices(work, prices); });
}

Result<void> Commands::set_groups(std::span<const std::pair<std::string, std::string>> groups,
                                  Time now) {
  return run_command(*source_, now, [&](Work& work) { return campaign::set_groups(work, groups); });
}

Result<void> Commands::set_version(const VersionDraft& version, Time now) {
  return change(*source_, now, [&](Work& work) { return campaign::set_version(work, version); });
}

Result<void> Commands::settle(std::span<const std::string> items, const std::string& reason,
                              Time now) {
  return change(*source_, now, [&](Work& work) { return settle_items(work, items, reason); });
}

std::vector<Result<void>> Commands::review(std::string_view reviewer,
                                           std::span<const VerdictDraft> verdicts, Time now,
                                           std::string_view key) {
  return run_command(
      *source_, now, [&](Work& work) { return take_verdicts(work, reviewer, verdicts, key); },
      verdicts.size(), true);
}

Result<void> Commands::undo_review(std::string_view item, std::string_view reviewer, Time now,
                                   std::string_view key) {
  return run_command(*source_, now,
                     [&](Work& work) { return take_back_verdict(work, item, reviewer, key); });
}

Result<AuditReport> Commands::start_audit(const AuditDraft& audit, Time now, std::string_view key) {
  return run_command(
      *source_, now, [&](Work& work) { return campaign::start_audit(work, audit, key); }, 1, true);
}

Result<void> Commands::set_standing(std::string_view worker, Standing standing,
                                    const std::string& reason, Time now) {
  return run_command(*source_, now,
                     [&](Work& work) { return change_standing(work, worker, standing, reason); });
}

Result<void> Commands::archive(Time now) {
  return run_command(*source_, now, [](Work& work) { return change_archive(work, true); });
}

Result<void> Commands::unarchive(Time now) {
  return run_command(*source_, now, [](Work& work) { return change_archive(work, false); });
}

Result<void> Commands::close(std::string reason, Time now) {
  return change(*source_, now, [&](Work& work) { return work.emit(Closed{reason}); });
}

}  // namespace allot::campaign
