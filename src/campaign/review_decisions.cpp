#include "campaign/review_decisions.hpp"

#include <algorithm>
#include <set>

#include "allot/base/text.hpp"
#include "base/errors.hpp"
#include "campaign/audit_sheet.hpp"
#include "campaign/earlier_request.hpp"

namespace allot::campaign {
namespace {

Result<void> check_reviewer(std::string_view reviewer) {
  if (!reviewer.empty()) return {};
  return fail(ErrorCode::invalid_argument, "a verdict without a reviewer; expected a name");
}

/// The verdict as an event keeps it, if it can be given.
Result<Verdict> verdict_of(Work& work, std::string_view reviewer, const VerdictDraft& draft) {
  const State& state = work.state();
  const ItemId item = TRY(work.item(draft.item));
  const ClassId answer = TRY(work.label(draft.answer));
  if (state.items().gold(item)) {
    return fail(ErrorCode::conflict, "item {} is gold; its answer is known and needs no verdict",
                in_quotes(draft.item));
  }
  if (const VerdictRecord* const before = state.verdicts().find(item)) {
    return fail(ErrorCode::conflict,
                "item {} has the verdict {} by {}; expected an item without one (undo it first)",
                in_quotes(draft.item), in_quotes(class_name(state.options(), before->answer)),
                in_quotes(before->reviewer));
  }
  const auto worker = state.find_worker(reviewer);
  if (worker && state.pairs().label(item, *worker)) {
    return fail(ErrorCode::forbidden,
                "reviewer {} has labelled item {} as a worker; expected another reviewer",
                in_quotes(reviewer), in_quotes(draft.item));
  }
  return Verdict{.item = item,
                 .answer = answer,
                 .reason = draft.reason,
                 .stated = work.core().by_labels(item),
                 .labels = state.items().labels(item)};
}

}  // namespace

std::vector<Result<void>> take_verdicts(Work& work, std::string_view reviewer,
                                        std::span<const VerdictDraft> verdicts,
                                        std::string_view key) {
  const auto all = [&](const Error& error) {
    return std::vector<Result<void>>(verdicts.size(), tl::unexpected(error));
  };
  if (const auto named = check_reviewer(reviewer); !named) return all(named.error());
  const auto earlier = EarlierRequest::find(work, key);
  if (!earlier) return all(earlier.error());
  if (*earlier) return (*earlier)->reviews(reviewer, verdicts);
  std::vector<Result<void>> outcomes;
  Reviewed event{std::string(reviewer), {}};
  std::set<ItemId> decided;
  for (const VerdictDraft& draft : verdicts) {
    auto verdict = verdict_of(work, reviewer, draft);
    if (verdict && !decided.insert(verdict->item).second) {
      verdict = fail(ErrorCode::conflict, "item {} has two verdicts in one request; expected one",
                     in_quotes(draft.item));
    }
    outcomes.push_back(verdict.map([](const Verdict&) {}));
    if (verdict) event.verdicts.push_back(*std::move(verdict));
  }
  if (event.verdicts.empty()) return outcomes;
  if (work.state().audit()) {
    const auto drawn = AuditSheet(work.state()).drawn(event.verdicts.size());
    for (Verdict& verdict : event.verdicts) verdict.drawn = drawn.contains(verdict.item);
  }
  if (const auto emitted = work.emit(event, key); !emitted) return all(emitted.error());
  // If the rules cannot be followed now, the next request for items follows them.
  static_cast<void>(work.follow_rules(false));
  return outcomes;
}

Result<void> start_audit(Work& work, const AuditDraft& draft) {
  const auto is_between = [](double value, double low) { return value > low && value < 1; };
  if (!is_between(draft.confidence, 0.5)) {
    return fail(ErrorCode::invalid_argument,
                "a confidence of {}; expected more than 0.5 and less than 1", draft.confidence);
  }
  if (draft.target && !is_between(*draft.target, 0)) {
    return fail(ErrorCode::invalid_argument, "a target of {}; expected an accuracy between 0 and 1",
                *draft.target);
  }
  if (draft.checks.has_value() == draft.target.has_value()) {
    return fail(ErrorCode::invalid_argument, "an audit {}; expected one of them",
                draft.checks ? "with checks and a target" : "without checks and without a target");
  }
  const AuditStarted start = freeze_answers(work.core(), {.seed = audit_seed(work.state()),
                                                          .checks = draft.checks.value_or(0),
                                                          .target = draft.target.value_or(0),
                                                          .confidence = draft.confidence});
  const auto judged =
      start.answers.size() - static_cast<std::size_t>(std::ranges::count(start.answers, 0));
  if (judged == 0) {
    return fail(ErrorCode::conflict,
                "there is no answer to check; expected items with labels and without verdicts");
  }
  if (draft.checks && (*draft.checks == 0 || *draft.checks > judged)) {
    return fail(ErrorCode::invalid_argument, "{} checks; expected 1 to {} (answers by labels)",
                *draft.checks, judged);
  }
  return work.emit(start);
}

Result<void> take_back_verdict(Work& work, std::string_view item, std::string_view reviewer) {
  TRY(check_reviewer(reviewer));
  const ItemId which = TRY(work.item(item));
  if (!work.state().verdicts().find(which)) {
    return fail(ErrorCode::conflict, "item {} has no verdict to take back", in_quotes(item));
  }
  return work.emit(ReviewUndone{which, std::string(reviewer)});
}

}  // namespace allot::campaign
