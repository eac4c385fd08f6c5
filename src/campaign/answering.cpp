#include "campaign/answering.hpp"

#include <fmt/format.h>

#include "allot/base/text.hpp"
#include "base/try.hpp"

namespace allot::campaign {
namespace {

/// An answer whose names are looked up, about to become an event.
class Answering {
 public:
  Answering(Work& work, const Answer& answer, ItemId item, WorkerId worker, ClassId label)
      : work_(work),
        answer_(answer),
        item_(item),
        worker_(worker),
        label_(label),
        status_(work.state().pairs().status(item, worker)),
        what_(in_quotes(answer.item)),
        who_(in_quotes(answer.worker)) {}

  PairStatus status() const { return status_; }

  Result<Outcome> record(Money price, AnswerOrigin origin, std::string_view key) {
    TRY(work_.emit(Answered{item_, worker_, label_, price, origin}, key));
    return Outcome::recorded;
  }

  /// The worker has labelled the item before.
  Result<Outcome> repeat(bool revise, std::string_view key) {
    const ClassId before = *state().pairs().label(item_, worker_);
    if (before == label_) return Outcome::already;
    if (!revise) {
      return fail(ErrorCode::conflict,
                  fmt::format("worker {} already labelled item {} as {}; expected a revision "
                              "to change it to {}",
                              who_, what_, in_quotes(class_name(state().options(), before)),
                              in_quotes(answer_.label)));
    }
    TRY(work_.emit(Revised{item_, worker_, label_}, key));
    return Outcome::revised;
  }

  Result<Outcome> record_leased(std::string_view key) {
    return record(state().leases().find(item_, worker_)->price, AnswerOrigin::leased, key);
  }

  Result<Outcome> record_imported() {
    if (status_ == PairStatus::leased) {
      return fail(ErrorCode::conflict,
                  fmt::format("item {} is leased to worker {}; expected its answer to be recorded, "
                              "not imported",
                              what_, who_));
    }
    return record(Money(), AnswerOrigin::imported, {});
  }

  /// The lease has ended without an answer, and the answer comes after all.
  Result<Outcome> record_late(std::string_view key) {
    if (!state().items().gold(item_) && !state().items().has_room(item_)) {
      const std::string_view reason = state().items().finish_reason(item_);
      return refuse_late(ErrorCode::forbidden,
                         fmt::format("it needs no more labels ({})",
                                     reason.empty() ? "it is leased to others" : reason));
    }
    if (!state().may_label(worker_)) {
      const WorkerFacts& facts = state()[worker_];
      return refuse_late(
          ErrorCode::forbidden,
          fmt::format("the worker has {} labels or leased items, and at most {} are "
                      "allowed",
                      facts.labels + facts.leases, state().options().labels_per_worker));
    }
    const Money price = state().price(item_, worker_);
    const Account& account = state().account();
    if (price > account.left()) {
      return refuse_late(
          ErrorCode::budget_exhausted,
          fmt::format("it costs {}, and {} of the budget of {} are left", money_text(price),
                      money_text(account.left()), money_text(account.budget)));
    }
    return record(price, AnswerOrigin::late, key);
  }

  tl::unexpected<Error> refuse_skipped() const {
    return fail(ErrorCode::conflict, fmt::format("worker {} skipped item {}", who_, what_));
  }

  tl::unexpected<Error> refuse_never_leased() const {
    std::string others;
    for (const Share& share : state().pairs().shares(item_)) {
      if (share.status == PairStatus::leased) {
        others = fmt::format("; it is leased to {}", in_quotes(state().name(share.worker)));
      }
    }
    return fail(ErrorCode::forbidden,
                fmt::format("item {} was never leased to worker {}{}", what_, who_, others));
  }

 private:
  const State& state() const { return work_.state(); }

  tl::unexpected<Error> refuse_late(ErrorCode code, const std::string& why) const {
    return fail(code,
                fmt::format("the answer of worker {} to item {} came late: {}", who_, what_, why));
  }

  Work& work_;
  const Answer& answer_;
  const ItemId item_;
  const WorkerId worker_;
  const ClassId label_;
  const PairStatus status_;
  const std::string what_, who_;
};

}  // namespace

Result<Outcome> take_answer(Work& work, const Answer& answer, bool revise, std::string_view key) {
  const ItemId item = TRY(work.item(answer.item));
  const ClassId label = TRY(work.label(answer.label));
  const WorkerId worker = TRY(work.worker(answer.worker));
  Answering answering(work, answer, item, worker, label);
  if (answering.status() == PairStatus::labelled) return answering.repeat(revise, key);
  TRY(work.check_open());
  switch (answering.status()) {
    case PairStatus::leased:
      return answering.record_leased(key);
    case PairStatus::skipped:
      return answering.refuse_skipped();
    case PairStatus::none:
      return answering.refuse_never_leased();
    case PairStatus::lapsed:
    case PairStatus::labelled:  // above
      break;
  }
  return answering.record_late(key);
}

Result<Outcome> import_label(Work& work, const Answer& answer) {
  const ItemId item = TRY(work.item(answer.item));
  const ClassId label = TRY(work.label(answer.label));
  const WorkerId worker = TRY(work.joined(answer.worker));
  Answering answering(work, answer, item, worker, label);
  if (answering.status() == PairStatus::labelled) return answering.repeat(false, {});
  TRY(work.check_open());
  return answering.record_imported();
}

}  // namespace allot::campaign
