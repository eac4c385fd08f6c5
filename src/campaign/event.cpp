#include "allot/campaign/event.hpp"

#include <algorithm>
#include <array>

#include "base/errors.hpp"
#include "campaign/coding.hpp"

namespace allot::campaign {
namespace {

/// The newest version of a kind. Since version 2 campaigns, kind 1, can have pooled refits, ordered
/// classes and a learned strength of features; added items, kind 2, can have truths. An agreement
/// sample came with version 3 of campaigns, and 2 of leases, kind 5, and changed models, kind 16.
/// Calibrated stop rules came with version 4 of campaigns and 3 of changed models; rules that wait
/// for the lower end of the range, and local reviews, with 5 and 4. Version 2 of reviews, kind 17,
/// knows which verdicts are on drawn items. Version 2 of answers and skips, kinds 6 and 8, can have
/// a remark. Sessions that are not complete, and their code, came with version 2 of the kinds 24
/// and 21. Version 3 of answers and 2 of revisions, kind 7, can have a confidence; version 3 of
/// skips can be paid. A people's sample came with version 6 of campaigns and 5 of changed models,
/// answers as the mean of two models with 7 and 6. Version 3 of added items can have checksums.
constexpr std::uint8_t newest(std::uint8_t kind) {
  if (kind == 1) return 7;
  if (kind == 16) return 6;
  if (kind == 2 || kind == 6 || kind == 8) return 3;
  constexpr std::array<std::uint8_t, 5> kSecond{5, 7, 17, 21, 24};
  return std::ranges::find(kSecond, kind) != kSecond.end() ? 2 : 1;
}

std::uint8_t version_of(const Event& event) {
  if (const auto* created = std::get_if<Created>(&event)) {
    const Options& options = created->options;
    if (options.mean_answers) return 7;
    if (options.people_sample) return 6;
    if (options.lower_end || options.local_reviews) return 5;
    if (options.calibrated || options.stop.certified) return 4;
    if (options.agreement_sample) return 3;
    return options.refit == model::Refit::pooled || options.learn_features ? 2 : 1;
  }
  if (const auto* changed = std::get_if<ModelChanged>(&event)) {
    if (changed->options.mean_answers) return 6;
    if (changed->options.people_sample) return 5;
    if (changed->options.lower_end || changed->options.local_reviews) return 4;
    if (changed->options.calibrated || changed->options.stop.certified) return 3;
    return changed->options.agreement_sample ? 2 : 1;
  }
  if (const auto* answered = std::get_if<Answered>(&event))
    return answered->confidence ? 3 : answered->remark.empty() ? 1 : 2;
  if (const auto* skipped = std::get_if<Skipped>(&event))
    return skipped->paid != Money() ? 3 : skipped->remark.empty() ? 1 : 2;
  if (const auto* revised = std::get_if<Revised>(&event)) return revised->confidence ? 2 : 1;
  if (const auto* leased = std::get_if<Leased>(&event))
    return leased->reason == LeaseReason::sample ? 2 : 1;
  if (const auto* reviewed = std::get_if<Reviewed>(&event))
    return std::ranges::any_of(reviewed->verdicts, &Verdict::drawn) ? 2 : 1;
  if (const auto* changed = std::get_if<RecruitingChanged>(&event))
    return changed->terms.codes.incomplete.empty() ? 1 : 2;
  if (const auto* ended = std::get_if<SessionEnded>(&event))
    return ended->outcome == SessionOutcome::incomplete ? 2 : 1;
  const auto* added = std::get_if<ItemsAdded>(&event);
  const auto any_has = [&](auto member) {
    return added && std::ranges::any_of(added->items, [&](const NewItem& item) {
             return (item.*member).has_value();
           });
  };
  return any_has(&NewItem::checksum) ? 3 : any_has(&NewItem::truth) ? 2 : 1;
}

constexpr std::array<std::string_view, std::variant_size_v<Event>> kNames{
    "created",          "items-added",     "worker-joined",
    "worker-priced",    "leased",          "answered",
    "revised",          "skipped",         "released",
    "expired",          "settled",         "paused",
    "resumed",          "budget-changed",  "closed",
    "model-changed",    "reviewed",        "review-undone",
    "audit-started",    "gold-stated",     "recruiting-changed",
    "session-joined",   "qualified",       "session-ended",
    "standing-changed", "options-changed", "page-changed",
    "archive-changed",  "worker-grouped",  "worker-versioned",
    "clock-set-back"};

template <std::size_t place = 0>
Event of_kind(std::size_t wanted) {
  if constexpr (place + 1 < std::variant_size_v<Event>) {
    if (wanted != place) return of_kind<place + 1>(wanted);
  }
  return Event(std::in_place_index<place>);
}

/// Marks of the verdicts on drawn items, behind all verdicts; none if no item was drawn.
void code_drawn(ByteWriter& to, const std::vector<Verdict>& verdicts) {
  if (std::ranges::none_of(verdicts, &Verdict::drawn)) return;
  for (const Verdict& verdict : verdicts) to.byte(verdict.drawn ? 1 : 0);
}
void code_drawn(ByteReader& from, std::vector<Verdict>& verdicts) {
  if (from.done()) return;
  for (Verdict& verdict : verdicts) verdict.drawn = from.at_most<std::uint64_t>(1) == 1;
}

/// A remark, behind all other values; nothing if it tells nothing and no value follows it.
void code_remark(ByteWriter& to, const Remark& remark, bool is_last) {
  if (!remark.empty() || !is_last) code_all(to, remark.milliseconds, remark.reason, remark.note);
}
void code_remark(ByteReader& from, Remark& remark, bool) {
  if (!from.done()) code_all(from, remark.milliseconds, remark.reason, remark.note);
}

/// The code of sessions that are not complete, behind all other values; nothing if it is empty.
void code_incomplete(ByteWriter& to, const CompletionCodes& codes) {
  if (!codes.incomplete.empty()) code(to, codes.incomplete);
}
void code_incomplete(ByteReader& from, CompletionCodes& codes) {
  if (!from.done()) code(from, codes.incomplete);
}

/// A confidence at the end of the event, if there is one.
void code_confidence(ByteWriter& to, const std::optional<float>& confidence) {
  if (confidence) to.real(*confidence);
}
void code_confidence(ByteReader& from, std::optional<float>& confidence) {
  if (from.done()) return;
  const double number = from.real();
  if (!(number >= 0 && number <= 1)) return from.refuse();
  confidence = static_cast<float>(number);
  if (*confidence != number) from.refuse();
}

/// The amount paid for a skip at the end of the event, unless it is 0.
void code_paid(ByteWriter& to, Money paid) {
  if (paid != Money()) code(to, paid);
}
void code_paid(ByteReader& from, Money& paid) {
  if (!from.done()) code(from, paid);
}

/// Whether the values of the event say which version it has.
bool tells_version(const Event& event) {
  return std::holds_alternative<Reviewed>(event) || std::holds_alternative<Answered>(event) ||
         std::holds_alternative<Skipped>(event) || std::holds_alternative<Revised>(event) ||
         std::holds_alternative<RecruitingChanged>(event) ||
         std::holds_alternative<SessionEnded>(event);
}

/// Writes or reads the values that an event of the kind has. Their order never changes.
template <typename Bytes, typename Of>
void code_event(Bytes& bytes, Of& event) {
  const auto code_values = [&](auto& one) {
    if constexpr (requires { one.options; }) code(bytes, one.options);
    if constexpr (requires { one.items; }) code(bytes, one.items);
    if constexpr (requires { one.name; }) code(bytes, one.name);
    if constexpr (requires { one.item; }) code(bytes, one.item);
    if constexpr (requires { one.worker; }) code(bytes, one.worker);
    if constexpr (requires { one.label; }) code(bytes, one.label);
    if constexpr (requires { one.price; }) code(bytes, one.price);
    if constexpr (requires { one.expires; }) code(bytes, one.expires);
    if constexpr (requires { one.reason; }) code(bytes, one.reason);
    if constexpr (requires { one.origin; }) code(bytes, one.origin);
    if constexpr (requires { one.place; }) code(bytes, one.place);
    if constexpr (requires { one.budget; }) code(bytes, one.budget);
    if constexpr (requires { one.reviewer; }) code(bytes, one.reviewer);
    if constexpr (requires { one.verdicts; }) {
      code(bytes, one.verdicts);
      code_drawn(bytes, one.verdicts);
    }
    if constexpr (requires { one.beliefs; }) code(bytes, one.beliefs);
    if constexpr (requires { one.plan; }) code(bytes, one);
    if constexpr (requires { one.link; }) code(bytes, one.link);
    if constexpr (requires { one.terms; }) {
      code(bytes, one.terms);
      code_incomplete(bytes, one.terms.codes);
    }
    if constexpr (requires { one.session; }) code_all(bytes, one.session, one.parameters);
    if constexpr (requires { one.passed; }) code(bytes, one.passed);
    if constexpr (requires { one.outcome; }) code(bytes, one.outcome);
    if constexpr (requires { one.standing; }) code(bytes, one.standing);
    if constexpr (requires { one.page; }) code(bytes, one.page);
    if constexpr (requires { one.archived; }) code(bytes, one.archived);
    if constexpr (requires { one.group; }) code(bytes, one.group);
    if constexpr (requires { one.inherited; }) {
      code(bytes, one.version);
      code_flags(bytes, one.follows);
      code(bytes, one.inherited);
    }
    if constexpr (requires { one.remark; }) {
      bool is_last = true;
      if constexpr (requires { one.confidence; }) is_last = !one.confidence;
      if constexpr (requires { one.paid; }) is_last = one.paid == Money();
      code_remark(bytes, one.remark, is_last);
    }
    if constexpr (requires { one.confidence; }) code_confidence(bytes, one.confidence);
    if constexpr (requires { one.paid; }) code_paid(bytes, one.paid);
  };
  std::visit(code_values, event);
}

}  // namespace

template <typename Bytes, typename Of>
requires std::same_as<std::remove_const_t<Of>, NewItem>
void code(Bytes& bytes, Of& item) {
  code(bytes, item.id);
  code_flags(bytes, item.price, item.gold, item.truth, item.checksum);
  code(bytes, item.features);
}

template <typename Bytes, typename Of>
requires std::same_as<std::remove_const_t<Of>, Verdict>
void code(Bytes& bytes, Of& verdict) {
  code_all(bytes, verdict.item, verdict.answer, verdict.reason, verdict.stated, verdict.labels);
}

std::uint8_t kind(const Event& event) { return static_cast<std::uint8_t>(event.index() + 1); }

std::string_view name(const Event& event) { return kNames[event.index()]; }

std::string_view name(LeaseReason reason) {
  static constexpr std::array<std::string_view, 4> kReasons{"chosen", "gold", "waiting", "sample"};
  return kReasons[static_cast<std::size_t>(reason)];
}

std::string_view name(AnswerOrigin origin) {
  static constexpr std::array<std::string_view, 4> kOrigins{"leased", "late", "imported",
                                                            "collected"};
  return kOrigins[static_cast<std::size_t>(origin)];
}

std::string_view name(Standing standing) {
  static constexpr std::array<std::string_view, 3> kStandings{"active", "blocked", "excluded"};
  return kStandings[static_cast<std::size_t>(standing)];
}

std::string encode(const Event& event) {
  ByteWriter to;
  to.byte(version_of(event));
  code_event(to, event);
  return std::move(to).take();
}

Result<Event> decode(std::uint8_t kind, std::string_view payload) {
  if (kind == 0 || kind > std::variant_size_v<Event>) {
    return fail(ErrorCode::store_failure,
                "an event of kind {}; expected 1 to {} (is the file from a newer allot?)", kind,
                std::variant_size_v<Event>);
  }
  ByteReader from(payload);
  const std::uint8_t version = from.byte();
  if (version > newest(kind)) {
    return fail(ErrorCode::store_failure,
                "an event of version {}, written by a newer allot; expected at most {}", version,
                newest(kind));
  }
  Event event = of_kind(kind - 1U);
  code_event(from, event);
  const bool marked = !tells_version(event) || version == version_of(event);
  if (version == 0 || !from.done() || !marked) {
    return fail(ErrorCode::store_failure, "an event '{}' whose bytes make no sense", name(event));
  }
  return event;
}

}  // namespace allot::campaign
