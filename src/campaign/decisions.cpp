#include "campaign/decisions.hpp"

#include <fmt/format.h>

#include "allot/base/text.hpp"
#include "base/errors.hpp"
#include "campaign/succession.hpp"
#include "io/json_object.hpp"
#include "store/checksum.hpp"

namespace allot::campaign {
namespace {

/// Characters of the fields that a refusal shows.
constexpr std::size_t kMostShown = 40;
/// Bytes of the name of a group, or of a version.
constexpr std::size_t kLongestGroup = 200, kLongestVersion = 200;

/// An answer whose names are looked up, about to become an event.
struct Answering {
  Work& work;
  const Answer& answer;
  ItemId item;
  WorkerId worker;
  ClassId label;
  const State& state = work.state();
  PairStatus status = state.pairs().status(item, worker);
  std::string what = in_quotes(answer.item), who = in_quotes(answer.worker);

  Result<Outcome> record(Money price, AnswerOrigin origin, std::string_view key) const {
    TRY(work.emit(Answered{item, worker, label, price, origin, answer.remark, answer.confidence},
                  key));
    return Outcome::recorded;
  }

  /// The worker has labelled the item before.
  Result<Outcome> repeat(bool revise, std::string_view key) const {
    const ClassId before = *state.pairs().label(item, worker);
    if (before == label) return Outcome::already;
    if (!revise) {
      return fail(
          ErrorCode::conflict,
          "worker {} already labelled item {} as {}; expected a revision to change it to {}", who,
          what, in_quotes(class_name(state.options(), before)), in_quotes(answer.label));
    }
    TRY(check_active());
    TRY(work.emit(Revised{item, worker, label, answer.confidence}, key));
    return Outcome::revised;
  }

  /// Records an answer without a lease, if budget and item allow: the lease has ended, or another
  /// tool collected the answer.
  Result<Outcome> record_unleased(AnswerOrigin origin, std::string_view key) const {
    const auto too_late = [&](ErrorCode code, std::string_view why) {
      return fail(code, "the answer of worker {} to item {} came {}: {}", who, what,
                  origin == AnswerOrigin::late ? "late" : "without a lease", why);
    };
    if (!state.items().gold(item) && !state.items().has_room(item)) {
      const std::string_view reason = state.items().finish_reason(item);
      return too_late(ErrorCode::forbidden,
                      fmt::format("it needs no more labels ({})",
                                  reason.empty() ? "it is leased to others" : reason));
    }
    if (!state.may_label(worker)) {
      const WorkerFacts& facts = state[worker];
      return too_late(
          ErrorCode::forbidden,
          fmt::format("the worker has {} labels or leased items, and at most {} are allowed",
                      facts.labels + facts.leases, state.options().labels_per_worker));
    }
    const Money price = state.price(item, worker);
    const Account& account = state.account();
    if (price > account.left()) {
      return too_late(
          ErrorCode::budget_exhausted,
          fmt::format("it costs {}, and {} of the budget of {} are left", money_text(price),
                      money_text(account.left()), money_text(account.budget)));
    }
    return record(price, origin, key);
  }

  /// A reviewer of the item knows what others said.
  Result<void> check_no_reviewer() const {
    if (!state.verdicts().has_reviewed(item, answer.worker)) return {};
    return fail(ErrorCode::forbidden,
                "worker {} has reviewed item {}; expected the label of another worker", who, what);
  }

  Result<void> check_active() const {
    const Standing standing = state[worker].standing;
    if (standing == Standing::active) return {};
    return fail(ErrorCode::forbidden, "worker {} is {}; expected an active worker", who,
                campaign::name(standing));
  }

  tl::unexpected<Error> refuse_never_leased() const {
    std::string others;
    for (const Share& share : state.pairs().shares(item)) {
      if (share.status == PairStatus::leased) {
        others = fmt::format("; it is leased to {}", in_quotes(state.name(share.worker)));
      }
    }
    return fail(ErrorCode::forbidden, "item {} was never leased to worker {}{}", what, who, others);
  }
};

Result<NewItem> new_item(const Work& work, const ItemDraft& item) {
  // Programs that show items read their fields as JSON.
  if (!item.fields.empty() && !io::parse_json_object(item.fields)) {
    return invalid(
        "the fields {} of item {} are no JSON object; expected one such as {{\"text\": \"...\"}}",
        in_quotes(for_display(item.fields, kMostShown)), in_quotes(item.id));
  }
  const auto class_if_any =
      [&](const std::optional<std::string>& name) -> Result<std::optional<ClassId>> {
    if (!name) return std::nullopt;
    return TRY(work.label(*name).map_error([&](const Error& error) {
      return Error{ErrorCode::invalid_argument,
                   fmt::format("item {}: {}", in_quotes(item.id), error.message)};
    }));
  };
  const auto gold = TRY(class_if_any(item.gold));
  const auto truth = TRY(class_if_any(item.truth));
  NewItem added{
      .id = item.id, .price = item.price, .gold = gold, .features = item.features, .truth = truth};
  if (!item.fields.empty()) added.checksum = store::checksum(item.fields);
  return added;
}

}  // namespace

Result<void> check(const Remark& remark) {
  if (!remark.reason.empty() &&
      std::ranges::find(kSkipReasons, remark.reason) == kSkipReasons.end()) {
    return invalid("unknown reason {}; expected {}", in_quotes(remark.reason),
                   fmt::join(kSkipReasons, ", "));
  }
  // Bytes 10xxxxxx continue a character of UTF-8.
  const auto length = static_cast<std::size_t>(std::ranges::count_if(
      remark.note, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }));
  if (length <= kLongestNote) return {};
  return invalid("a note of {} characters; expected at most {}", length, kLongestNote);
}

Result<Outcome> take_answer(Work& work, const Answer& answer, bool revise, std::string_view key) {
  TRY(check(answer.remark));
  TRY(check_confidence(answer.confidence));
  const ItemId item = TRY(work.item(answer.item));
  const ClassId label = TRY(work.label(answer.label));
  const WorkerId worker = TRY(work.worker(answer.worker));
  const Answering answering{work, answer, item, worker, label};
  if (answering.status >= PairStatus::labelled) return answering.repeat(revise, key);
  TRY(work.check_open());
  TRY(answering.check_no_reviewer());
  TRY(answering.check_active());
  switch (answering.status) {
    case PairStatus::leased:
      return answering.record(work.state().leases().find(item, worker)->price, AnswerOrigin::leased,
                              key);
    case PairStatus::skipped:
      return fail(ErrorCode::conflict, "worker {} skipped item {}", answering.who, answering.what);
    case PairStatus::none:
      return answering.refuse_never_leased();
    case PairStatus::lapsed:
    case PairStatus::labelled:
    case PairStatus::excluded:  // above
      break;
  }
  return answering.record_unleased(AnswerOrigin::late, key);
}

Result<Outcome> collect_label(Work& work, const Answer& answer, std::string_view holder,
                              std::string_view key) {
  TRY(check_confidence(answer.confidence));
  const ItemId item = TRY(work.item(answer.item));
  const ClassId label = TRY(work.label(answer.label));
  const auto known = work.state().find_worker(answer.worker);
  if (known && work.state().pairs().label(item, *known))
    return Answering{work, answer, item, *known, label}.repeat(true, key);
  TRY(work.check_open());
  if (const auto who = work.state().find_worker(holder);
      who && work.state().leases().find(item, *who)) {
    TRY(work.emit(Released{item, *who}));
  }
  const WorkerId worker = TRY(work.joined(answer.worker));
  const Answering answering{work, answer, item, worker, label};
  TRY(answering.check_no_reviewer());
  TRY(answering.check_active());
  if (answering.status == PairStatus::leased) {
    return answering.record(work.state().leases().find(item, answering.worker)->price,
                            AnswerOrigin::leased, key);
  }
  if (answering.status != PairStatus::skipped)
    return answering.record_unleased(AnswerOrigin::collected, key);
  return fail(ErrorCode::conflict, "worker {} skipped item {}", answering.who, answering.what);
}

Result<Outcome> import_label(Work& work, const Answer& answer) {
  TRY(check_confidence(answer.confidence));
  const ItemId item = TRY(work.item(answer.item));
  const ClassId label = TRY(work.label(answer.label));
  if (!work.state().find_worker(answer.worker)) TRY(work.check_open());
  const WorkerId worker = TRY(work.joined(answer.worker));
  const Answering answering{work, answer, item, worker, label};
  if (answering.status >= PairStatus::labelled) return answering.repeat(false, {});
  TRY(work.check_open());
  TRY(answering.check_no_reviewer());
  if (work.state()[worker].standing == Standing::excluded) TRY(answering.check_active());
  if (answering.status != PairStatus::leased) {
    return answering.record(Money(), AnswerOrigin::imported, {});
  }
  return fail(ErrorCode::conflict,
              "item {} is leased to worker {}; expected its answer to be recorded, not imported",
              answering.what, answering.who);
}

Result<void> add_items(Work& work, std::span<const ItemDraft> items, std::string_view key) {
  if (items.empty()) return {};
  ItemsAdded event;
  event.items.reserve(items.size());
  for (const ItemDraft& item : items) event.items.push_back(TRY(new_item(work, item)));
  std::uint32_t number = work.state().item_count();
  TRY(work.emit(event, key));
  for (const ItemDraft& item : items) work.add_content(number++, item.fields);
  return {};
}

Result<void> set_prices(Work& work, std::span<const std::pair<std::string, Money>> prices) {
  for (const auto& [worker, price] : prices) {
    if (worker.empty()) return fail(ErrorCode::invalid_argument, "a worker needs a name");
    if (price >= Money()) continue;
    return invalid("the price {} of worker {} is negative; expected 0 or more", money_text(price),
                   in_quotes(worker));
  }
  for (const auto& [worker, price] : prices) {
    const WorkerId who = TRY(work.joined(worker));
    if (work.state()[who].price == price) continue;
    TRY(work.emit(WorkerPriced{who, price}));
  }
  return {};
}

Result<void> set_groups(Work& work, std::span<const std::pair<std::string, std::string>> groups) {
  for (const auto& [worker, group] : groups) {
    if (worker.empty()) return fail(ErrorCode::invalid_argument, "a worker needs a name");
    if (group.size() > kLongestGroup) {
      return invalid("a group name of {} bytes; expected at most {}", group.size(), kLongestGroup);
    }
    if (!group.empty()) TRY(check_groups(work.state().options()));
  }
  const State& state = work.state();
  if (state.phase() != Phase::closed) TRY(work.end_leases());
  const std::vector<std::uint32_t> before = state.shared_groups();
  for (const auto& [worker, group] : groups) {
    const WorkerId who = TRY(work.joined(worker));
    if (state[who].group == group) continue;
    TRY(work.emit(WorkerGrouped{who, group}));
  }
  return state.shared_groups() == before ? Result<void>() : work.follow_rules(true);
}

namespace {

/// The version that a worker is to follow: known, not excluded, and none that comes after it.
Result<WorkerId> version_before(const Work& work, const VersionDraft& draft) {
  const State& state = work.state();
  const std::string who = in_quotes(draft.worker), before = in_quotes(*draft.follows);
  if (draft.worker == *draft.follows) {
    return invalid("worker {} cannot follow itself; expected the version before it", who);
  }
  const WorkerId old = TRY(work.worker(*draft.follows));
  const auto known = state.find_worker(draft.worker);
  if (known && state[*known].follows == old) return old;
  if (known && state.comes_after(old, *known)) {
    return fail(ErrorCode::conflict, "worker {} follows worker {}; expected a version before it",
                before, who);
  }
  if (state[old].standing == Standing::excluded) {
    return fail(ErrorCode::conflict, "worker {} is excluded; expected one whose labels count",
                before);
  }
  return old;
}

/// Refuses to change whom a worker follows once the worker has labels.
Result<void> check_follows(const State& state, const VersionDraft& draft,
                           std::optional<WorkerId> old) {
  const auto known = state.find_worker(draft.worker);
  if (!known || state[*known].follows == old || state[*known].labels == 0) return {};
  return fail(ErrorCode::conflict, "worker {} has {}; expected a worker without labels",
              in_quotes(draft.worker), count_text(state[*known].labels, "label"));
}

}  // namespace

Result<void> set_version(Work& work, const VersionDraft& draft) {
  const State& state = work.state();
  if (draft.worker.empty()) return fail(ErrorCode::invalid_argument, "a worker needs a name");
  if (draft.version && draft.version->size() > kLongestVersion) {
    return invalid("a version of {} bytes; expected at most {}", draft.version->size(),
                   kLongestVersion);
  }
  std::optional<WorkerId> old;
  if (draft.follows && !draft.follows->empty()) old = TRY(version_before(work, draft));
  if (draft.follows) TRY(check_follows(state, draft, old));
  const WorkerId who = TRY(work.joined(draft.worker));
  const WorkerVersioned now{who, state[who].version, state[who].follows, state[who].inherited};
  WorkerVersioned event = now;
  event.version = draft.version.value_or(now.version);
  if (draft.follows && old != now.follows) {
    event.follows = old;
    event.inherited = old ? handed_on(state, work.core().crowd(), *old) : std::vector<double>();
  }
  if (event != now) TRY(work.emit(event));
  if (!old) return {};
  if (const auto& price = state[*old].price; price && !state[who].price)
    TRY(work.emit(WorkerPriced{who, *price}));
  if (!state[who].group.empty() || state[*old].group.empty()) return {};
  const std::pair group(draft.worker, state[*old].group);
  return set_groups(work, {&group, 1});
}

Result<void> begin(Work& work, const Options& options, const Setup& setup) {
  if (work.state().sequence() > 0) {
    return fail(ErrorCode::conflict, "campaign {} exists already; expected a new name",
                in_quotes(work.campaign()));
  }
  TRY(work.emit(Created{options}));
  TRY(add_items(work, setup.items));
  TRY(set_prices(work, setup.prices));
  return setup.groups.empty() ? Result<void>() : set_groups(work, setup.groups);
}

}  // namespace allot::campaign
