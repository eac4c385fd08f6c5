#include "campaign/review_decisions.hpp"

#include <algorithm>
#include <map>

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

Result<void> check_plan(const AuditDraft& draft) {
  if (draft.confidence < audit::kLeastConfidence || draft.confidence > audit::kMostConfidence) {
    return fail(ErrorCode::invalid_argument, "a confidence of {}; expected {} to {}",
                draft.confidence, audit::kLeastConfidence, audit::kMostConfidence);
  }
  if (draft.target && !(*draft.target > 0 && *draft.target < 1)) {
    return fail(ErrorCode::invalid_argument, "a target of {}; expected an accuracy between 0 and 1",
                *draft.target);
  }
  if (draft.checks.has_value() != draft.target.has_value()) return {};
  return fail(ErrorCode::invalid_argument, "an audit {}; expected one of them",
              draft.checks ? "with checks and a target" : "without checks and without a target");
}

/// A reviewer's work is expensive: refuses to give up an audit that has some of it and is not done.
Result<void> check_no_open_audit(const State& state) {
  if (!state.audit()) return {};
  AuditSheet sheet(state);
  const std::uint64_t verdicts = sheet.verdict_count();
  if (verdicts == 0 || sheet.waiting(1).empty()) return {};
  return fail(ErrorCode::conflict,
              "audit {} is not finished and has {} verdict{}; expected its other checks first, or "
              "'replace' to give it up",
              state.audit()->number, verdicts, verdicts == 1 ? "" : "s");
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
  std::map<std::string_view, std::size_t> times;
  for (const VerdictDraft& draft : verdicts) ++times[draft.item];
  if (*earlier) {
    return (*earlier)->reviews(reviewer, verdicts, [&](const VerdictDraft& draft) {
      return times[draft.item] == 1 && verdict_of(work, reviewer, draft);
    });
  }
  std::vector<Result<void>> outcomes;
  Reviewed event{std::string(reviewer), {}};
  for (const VerdictDraft& draft : verdicts) {
    auto verdict = verdict_of(work, reviewer, draft);
    if (verdict && times[draft.item] > 1) {
      verdict = fail(ErrorCode::conflict,
                     "item {} has {} verdicts in one request, so none is taken; expected one",
                     in_quotes(draft.item), times[draft.item]);
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

Result<AuditReport> start_audit(Work& work, const AuditDraft& draft, std::string_view key) {
  const auto class_count = work.state().options().classes.size();
  if (const auto earlier = TRY(EarlierRequest::find(work, key))) {
    const Audit audit = TRY(earlier->audit(draft));
    return AuditSheet(audit, VerdictTable(), class_count).report();
  }
  TRY(check_plan(draft));
  if (!draft.replace) TRY(check_no_open_audit(work.state()));
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
    if (*draft.checks == 0) return invalid("0 checks; expected 1 to {}", judged);
    return invalid("{}, but only {} an answer by labels; expected at most {}",
                   count_text(*draft.checks, "check"), count_text(judged, "item has", "items have"),
                   judged);
  }
  TRY(work.emit(start, key));
  TRY(work.follow_rules(true));  // what an earlier audit certified is no longer the last word
  return AuditSheet(work.state()).report();
}

Result<void> take_back_verdict(Work& work, std::string_view item, std::string_view reviewer,
                               std::string_view key) {
  TRY(check_reviewer(reviewer));
  if (const auto earlier = TRY(EarlierRequest::find(work, key))) {
    return earlier->undone(item, reviewer);
  }
  const ItemId which = TRY(work.item(item));
  if (!work.state().verdicts().find(which)) {
    return fail(ErrorCode::conflict, "item {} has no verdict to take back", in_quotes(item));
  }
  TRY(work.emit(ReviewUndone{which, std::string(reviewer)}, key));
  return work.follow_rules(true);  // the verdict may have been part of what certified the answers
}

}  // namespace allot::campaign
