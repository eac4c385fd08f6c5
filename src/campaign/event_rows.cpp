// Events as rows of values.
#include <fmt/format.h>

#include "allot/base/text.hpp"
#include "allot/base/time_text.hpp"
#include "allot/campaign/export.hpp"
#include "allot/campaign/option_text.hpp"
#include "allot/io/stop_text.hpp"
#include "campaign/rows.hpp"

namespace allot::campaign {
namespace {

/// "100 checks, confidence 0.95, seed 7"
std::string plan_text(const AuditPlan& plan) {
  const std::string checks =
      plan.checks > 0 ? fmt::format("{} checks", plan.checks) : std::string("checks until proven");
  return fmt::format("{}{}, confidence {}, seed {}", checks,
                     plan.target > 0 ? fmt::format(", target {}", plan.target) : "",
                     plan.confidence, plan.seed);
}

/// "prolific, 20 labels per session, qualification of 5 items". Codes and secrets stay here.
std::string terms_text(const RecruitingTerms& terms) {
  return fmt::format("{}, {} labels per session{}{}", name(terms.platform), terms.labels,
                     terms.qualification.items == 0
                         ? ""
                         : fmt::format(", qualification of {} items", terms.qualification.items),
                     terms.open ? "" : ", closed");
}

/// "policy even-kg, lease 600 s, ..."
std::string terms_text(const Options& options) {
  const auto limit = [](std::uint32_t most) {
    return most > 0 ? fmt::format("{}", most) : std::string("any");
  };
  const std::vector<std::string> stop = io::stop_texts(options.stop);
  return fmt::format(
      "policy {}, lease {} s, labels per item {}, per worker {}, gold rate {}, stop {}",
      options.policy, options.lease.count(), limit(options.labels_per_item),
      limit(options.labels_per_worker), options.gold_rate,
      stop.empty() ? "never" : fmt::format("{}", fmt::join(stop, ",")));
}

}  // namespace

std::vector<EventRow> event_rows(const Event& event, const State& state) {
  const auto label_text = [&](ClassId id) { return class_name(state.options(), id); };
  if (const auto* const added = std::get_if<ItemsAdded>(&event)) {
    std::vector<EventRow> all;
    for (const NewItem& one : added->items) {
      all.push_back({.item = one.id,
                     .label = one.gold ? label_text(*one.gold) : "",
                     .price = one.price ? money_text(*one.price) : "",
                     .detail = fmt::format("{}", fmt::join(one.features, "|"))});
    }
    return all;
  }
  if (const auto* reviewed = std::get_if<Reviewed>(&event)) {
    std::vector<EventRow> all;
    for (const Verdict& one : reviewed->verdicts) {
      all.push_back({.item = state.id(one.item),
                     .worker = reviewed->reviewer,
                     .label = label_text(one.answer),
                     .detail = one.reason});
    }
    return all;
  }
  EventRow row;
  const auto fill = [&](const auto& one) {
    if constexpr (requires { one.item; }) row.item = state.id(one.item);
    if constexpr (requires { one.worker; }) row.worker = state.name(one.worker);
    if constexpr (requires { one.name; }) row.worker = one.name;
    if constexpr (requires { one.reviewer; }) row.worker = one.reviewer;
    if constexpr (requires { one.label; }) row.label = label_text(one.label);
    if constexpr (requires { one.price; }) row.price = money_text(one.price);
    if constexpr (requires { one.budget; }) row.price = money_text(one.budget);
    if constexpr (requires { one.expires; }) row.expires = time_text(one.expires);
    if constexpr (requires { name(one.reason); }) {
      row.detail = name(one.reason);
    } else if constexpr (requires { one.reason; }) {
      row.detail = one.reason;
    }
    if constexpr (requires { one.origin; }) {
      row.detail = name(one.origin);
    } else if constexpr (requires { one.remark; }) {
      row.detail = remark_text(one.remark);
    }
    if constexpr (requires { one.confidence; }) {
      if (one.confidence) {
        row.detail += fmt::format("{}confidence {}", row.detail.empty() ? "" : ", ",
                                  confidence_text(one.confidence));
      }
    }
    if constexpr (requires { one.paid; }) {
      if (one.paid != Money()) row.price = money_text(one.paid);
    }
    if constexpr (requires { one.page; }) row.detail = one.page;
    if constexpr (requires { one.standing; }) {
      row.detail = one.reason.empty() ? std::string(name(one.standing))
                                      : fmt::format("{}: {}", name(one.standing), one.reason);
    }
    if constexpr (requires { one.terms; }) row.detail = terms_text(one.terms);
    if constexpr (requires { one.session; }) row.detail = one.session;
    if constexpr (requires { one.archived; }) row.detail = one.archived ? "archived" : "unarchived";
    if constexpr (requires { one.group; }) row.detail = one.group.empty() ? "alone" : one.group;
    if constexpr (requires { one.inherited; }) {
      row.detail = one.version;
      if (one.follows) {
        row.detail += fmt::format("{}follows {}", one.version.empty() ? "" : ", ",
                                  in_quotes(state.name(*one.follows)));
      }
    }
    if constexpr (requires { one.passed; }) row.detail = one.passed ? "passed" : "failed";
    if constexpr (requires { one.outcome; }) row.detail = name(one.outcome);
    if constexpr (requires { one.plan; }) row.detail = plan_text(one.plan);
    if constexpr (std::same_as<std::decay_t<decltype(one)>, ModelChanged>) {
      row.detail = fmt::format("policy {}, {}", one.options.policy, model_text(one.options));
    } else if constexpr (std::same_as<std::decay_t<decltype(one)>, OptionsChanged>) {
      row.detail = terms_text(one.options);
    } else if constexpr (requires { one.options; }) {
      const Options& options = one.options;
      row.price = money_text(options.price);
      row.detail =
          fmt::format("classes {}, budget {}, policy {}, seed {}", fmt::join(options.classes, "|"),
                      money_text(options.budget), options.policy, options.seed);
    }
  };
  std::visit(fill, event);
  return {std::move(row)};
}

}  // namespace allot::campaign
