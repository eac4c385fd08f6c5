// What reviewers do: see which items to look at, decide them, take verdicts back. Audits.
#include <fmt/format.h>

#include <array>

#include "allot/base/text.hpp"
#include "allot/model/best_class.hpp"
#include "base/try.hpp"
#include "serve/problem.hpp"
#include "serve/replies.hpp"
#include "serve/schema.hpp"

namespace allot::serve {
namespace {

using campaign::Options;
using campaign::ReviewItem;
using campaign::ReviewOrder;
using campaign::State;
using campaign::VerdictDraft;
using http::Response;

constexpr std::array<std::pair<std::string_view, ReviewOrder>, 3> kOrders{
    {{"uncertain", ReviewOrder::uncertain},
     {"disputed", ReviewOrder::disputed},
     {"skipped", ReviewOrder::skipped}}};

Result<ReviewOrder> order_of(const Call& call) {
  const std::string text = call.query("by").value_or("uncertain");
  for (const auto& [name, order] : kOrders) {
    if (name == text) return order;
  }
  return fail(ErrorCode::invalid_argument,
              fmt::format("by is {}; expected uncertain, disputed or skipped", in_quotes(text)));
}

/// Checks of an audit are blind: a reviewer does not see what workers said.
JsonObject blind_row(const ReviewItem& one, const std::string& fields) {
  JsonObject row;
  row.text("item", one.item)
      .text("why", campaign::name(one.reason))
      .json("fields", fields.empty() ? "{}" : fields);
  for (const char* hidden :
       {"answer", "probability", "probabilities", "labels", "disagreement", "skips"}) {
    row.json(hidden, "null");
  }
  return row;
}

std::string queue_row(const ReviewItem& one, const Options& options, const std::string& fields) {
  return JsonObject()
      .text("item", one.item)
      .text("why", campaign::name(one.reason))
      .json("fields", fields.empty() ? "{}" : fields)
      .text("answer", options.classes[position(one.answer)])
      .number("probability", one.probabilities[position(one.answer)])
      .json("probabilities", by_class(options, one.probabilities))
      .list("labels", one.labels,
            [&](const auto& label) {
              return JsonObject()
                  .text("worker", label.first)
                  .text("label", options.classes[position(label.second)]);
            })
      .number("disagreement", one.disagreement)
      .whole("skips", one.skips);
}

Result<void> list_queue(const CallPtr& call) {
  const auto limit = static_cast<std::uint32_t>(TRY(call->limit()));
  const ReviewOrder order = TRY(order_of(*call));
  const bool is_reviewer = call->is_reviewer();
  const auto entry = call->hub().vault().campaign(call->campaign()).value_or(CampaignEntry{});
  return call->report(
      [limit, order, is_reviewer, page = entry.shown()](OpenCampaign& open) -> Result<Response> {
        const auto queue = TRY(open->view().review_queue(limit, order));
        const Options options = TRY(open.read([](const State& state) { return state.options(); }));
        JsonList rows;
        for (const ReviewItem& one : queue) {
          const auto item =
              TRY(open.read([&](const State& state) { return state.find_item(one.item); }));
          std::string fields = TRY(open.view().content(item.value()));
          // Fields that workers do not see would make a check less independent.
          if (is_reviewer) fields = shown(page, std::move(fields));
          const bool blind = is_reviewer && one.reason == campaign::ReviewReason::audit;
          rows.json(blind ? std::string(blind_row(one, fields)) : queue_row(one, options, fields));
        }
        return json_response(JsonObject().json("items", rows));
      });
}

Result<void> list_verdicts(const CallPtr& call) {
  const std::uint64_t limit = TRY(call->limit());
  const std::uint64_t from = TRY(call->whole("cursor", 0, 0, UINT32_MAX));
  return call->report([limit, from](OpenCampaign& open) -> Result<Response> {
    return open.read([&](const State& state) {
      const Options& options = state.options();
      const auto& all = state.verdicts().all();
      JsonList rows;
      std::uint64_t count = 0;
      auto one = all.lower_bound(static_cast<std::uint32_t>(from));
      for (; one != all.end() && count < limit; ++one, ++count) {
        const auto& [item, verdict] = *one;
        const std::vector<double>& stated = verdict.stated;
        const std::size_t best = stated.empty() ? 0 : position(model::best_class(stated));
        rows.json(
            JsonObject()
                .text("item", state.id(ItemId{item}))
                .text("answer", options.classes[position(verdict.answer)])
                .text("reviewer", verdict.reviewer)
                .text("reason", verdict.reason)
                .time("time", verdict.time)
                .text_or_null("believed", stated.empty() ? "" : options.classes[best])
                .number("stated", stated.empty() ? std::nullopt : std::optional(stated[best])));
      }
      return json_response(
          JsonObject()
              .json("verdicts", rows)
              .text_or_null("next", one == all.end() ? "" : fmt::format("{}", one->first)));
    });
  });
}

VerdictDraft read_verdict(Body& body) {
  return {body.text("item"), body.text("answer"), body.text_if("reason").value_or("")};
}

/// One verdict ({item, answer}) or many ({verdicts: [...]}).
struct VerdictRequest {
  std::string reviewer;
  std::vector<VerdictDraft> verdicts;
  bool single = false;
};

Result<VerdictRequest> read_verdicts(const Call& call) {
  Body body = Body::parse(call.request.body);
  VerdictRequest request;
  const auto named = body.text_if("reviewer");
  request.single = body.has("item");
  if (request.single) {
    request.verdicts.push_back(read_verdict(body));
  } else {
    for (Body& one : body.objects("verdicts", call.service.options().largest_batch)) {
      request.verdicts.push_back(read_verdict(one));
      static_cast<void>(one.done());
    }
    if (request.verdicts.empty()) {
      body.refuse("verdicts is missing or empty; expected item and answer, or a list of verdicts");
    }
  }
  TRY(body.done());
  request.reviewer = TRY(call.reviewer(named));
  return request;
}

Result<Response> record(const Call& call, OpenBatch& batch, const VerdictRequest& request) {
  const auto outcomes = batch->review(request.reviewer, request.verdicts, call.now(), call.key());
  JsonList rows;
  for (std::size_t n = 0; n < outcomes.size(); ++n) {
    JsonObject row;
    row.text("item", request.verdicts[n].item);
    if (outcomes[n]) {
      rows.json(row.text("outcome", "recorded"));
      continue;
    }
    const Error error = call.for_caller(outcomes[n].error());
    if (request.single || error.code == ErrorCode::key_reused || status_of(error.code) >= 500) {
      return tl::unexpected(error);
    }
    rows.json(row.text("outcome", "refused")
                  .text("code", code_of(error.code))
                  .text("detail", error.message));
  }
  return json_response(JsonObject().json("verdicts", rows));
}

Result<void> give_verdicts(const CallPtr& call) {
  VerdictRequest request = TRY(read_verdicts(*call));
  return call->command([call, request = std::move(request)](OpenBatch& batch) {
    return record(*call, batch, request);
  });
}

Result<void> undo_verdict(const CallPtr& call) {
  Body body = Body::parse(call->request.body);
  const std::string item = body.text("item");
  const auto named = body.text_if("reviewer");
  TRY(body.done());
  const std::string reviewer = TRY(call->reviewer(named));
  return call->command([call, item, reviewer](OpenBatch& batch) -> Result<Response> {
    TRY(batch->undo_review(item, reviewer, call->now(), call->key()));
    return json_response(JsonObject().text("item", item));
  });
}

/// Adds the members of bounds, which are null while no check tells anything.
JsonObject& add_bounds(JsonObject& to, const audit::Bounds& bounds, std::uint64_t checked) {
  const auto if_any = [&](double value) {
    return checked > 0 ? std::optional(value) : std::nullopt;
  };
  return to.number("estimate", if_any(bounds.estimate))
      .number("lower", if_any(bounds.lower))
      .number("low", if_any(bounds.low))
      .number("high", if_any(bounds.high));
}

std::string audit_json(const campaign::AuditReport& found, const State& state) {
  const campaign::AuditPlan& plan = found.plan;
  const Options& options = state.options();
  JsonList shares, strata;
  for (std::size_t k = 0; k < found.shares.size(); ++k) {
    JsonObject share;
    shares.json(add_bounds(share, found.shares[k], found.checked)
                    .text("class", options.classes[k])
                    .whole("found", found.found[k]));
  }
  for (std::size_t n = 0; n < found.strata.size(); ++n) {
    const auto& [checked, right, accuracy] = found.per_stratum[n];
    JsonObject stratum;
    strata.json(add_bounds(stratum, accuracy, checked)
                    .number("from", found.strata[n].from)
                    .number("to", found.strata[n].to)
                    .whole("answers", found.strata[n].answers)
                    .whole("checked", checked)
                    .whole("right", right));
  }
  JsonObject audit;
  audit.whole("number", found.number)
      .time("started", found.started)
      .text("kind", plan.checks > 0 ? "fixed" : "sequential")
      .whole("checks", plan.checks > 0 ? std::optional<std::uint64_t>(plan.checks) : std::nullopt)
      .number("target", plan.target > 0 ? std::optional(plan.target) : std::nullopt)
      .number("confidence", plan.confidence)
      .whole("answers", found.answers)
      .whole("drawn", found.drawn)
      .whole("checked", found.checked)
      .whole("right", found.right)
      .whole("waiting", found.waiting)
      .whole("missing", found.missing())
      .text_or_null("next", found.next ? state.id(*found.next) : "")
      .flag("contradiction", found.contradiction);
  return add_bounds(audit, found.accuracy, found.checked)
      .json("certified", plan.target == 0        ? "null"
                         : found.certified_after ? "true"
                                                 : "false")
      .whole("checks_to_prove",
             plan.target > 0 ? found.checks_to_prove : std::optional<std::uint64_t>())
      .json("shares", shares)
      .json("strata", strata);
}

Result<void> read_audit(const CallPtr& call) {
  return call->report([](OpenCampaign& open) -> Result<Response> {
    const auto found = TRY(open->view().audit());
    return open.read([&](const State& state) {
      return json_response(
          JsonObject().json("audit", found ? audit_json(*found, state) : std::string("null")));
    });
  });
}

std::optional<double> share_in(Body& body, std::string_view name) {
  const auto text = body.scalar_if(name);
  if (!text) return {};
  const auto number = parse_number(*text);
  if (!number) body.refuse(fmt::format("{} is {}; expected a number", name, in_quotes(*text)));
  return number;
}

Result<void> start_audit(const CallPtr& call) {
  Body body = Body::parse(call->request.body);
  campaign::AuditDraft draft;
  if (const auto text = body.scalar_if("checks")) {
    const auto checks = parse_whole(*text);
    if (!checks || *checks == 0 || *checks > UINT32_MAX) {
      body.refuse(fmt::format("checks is {}; expected a whole number from 1", in_quotes(*text)));
    } else {
      draft.checks = static_cast<std::uint32_t>(*checks);
    }
  }
  draft.target = share_in(body, "until");
  draft.confidence = share_in(body, "confidence").value_or(draft.confidence);
  draft.replace = body.flag("replace");
  TRY(body.done());
  return call->command([call, draft](OpenBatch& batch) -> Result<Response> {
    const auto found = TRY(batch->start_audit(draft, call->now(), call->key()));
    return batch.read([&](const State& state) {
      return json_response(JsonObject().json("audit", audit_json(found, state)), 201);
    });
  });
}

}  // namespace

void add_review_routes(std::vector<Route>& routes) {
  using namespace schema;
  using enum http::Method;
  RouteGroup reviewers(routes, kCampaignPath, Access::reviewer);
  const Member reviewer = maybe("reviewer", text("Not needed with a reviewer's token"));
  const Member reason = maybe("reason", text("Shown beside the answer"));
  const std::string said = object({{"worker", text()}, {"label", text()}});
  const std::string queued =
      object({{"item", text()},
              {"why", word({"audit", "uncertain", "disputed", "skipped"})},
              {"fields", anything()},
              {"answer", or_null(text("The answer by its labels. Null, as all that follows, for "
                                      "checks of an audit that a reviewer asks for"))},
              {"probability", or_null(share("Posterior probability of the answer"))},
              {"probabilities", or_null(table(share()))},
              {"labels", or_null(list(said))},
              {"disagreement", or_null(share("Share of the labels against the answer"))},
              {"skips", or_null(whole("Workers who skipped the item"))}});
  reviewers.add(
      get, "/review", "review_queue", list_queue,
      "List labelled items to look at next: draws of the audit, then others without a verdict",
      object({{"items", list(queued)}}),
      {.query = {{"by", word({"uncertain", "disputed", "skipped"}),
                  "Order: least certain, most disputed or most skipped first"},
                 {"limit", whole_from(1, Call::kMostRows), "Most items; default: 100"}},
       .tagged = true});
  reviewers.add(
      get, "/verdicts", "list_verdicts", list_verdicts,
      "List verdicts, with what the labels said before each",
      object({{"verdicts", list(object({{"item", text()},
                                        {"answer", text()},
                                        {"reviewer", text()},
                                        {"reason", text()},
                                        {"time", time()},
                                        {"believed", or_null(text("The answer before"))},
                                        {"stated", or_null(share("Its probability then"))}}))},
              {"next", or_null(text("Cursor of the next page"))}}),
      {.query = page_parameters(), .tagged = true});
  reviewers.add(
      post, "/verdicts", "give_verdicts", give_verdicts,
      "Decide items: a verdict is the answer of its item from then on",
      object({{"verdicts", list(ref("Outcome"))}}),
      {.request = object(
           {maybe("item", text()), maybe("answer", text()), reason, reviewer,
            maybe("verdicts", list(object({{"item", text()}, {"answer", text()}, reason})))}),
       .keyed = true});
  reviewers.add(post, "/verdicts/undo", "undo_verdict", undo_verdict,
                "Take a verdict back: labels answer the item again", object({{"item", text()}}),
                {.request = object({{"item", text()}, reviewer}), .keyed = true});
  const Member estimate{"estimate", or_null(number("Null without a check, like the bounds"))};
  const Member low{"low", or_null(number())}, high{"high", or_null(number())};
  const Member lower{"lower", or_null(number("One-sided bound"))};
  const std::string audit =
      object({{"number", whole("Audits so far")},
              {"started", time()},
              {"kind", word({"fixed", "sequential"})},
              {"checks", or_null(whole("A number fixed at the start"))},
              {"target", or_null(share("Accuracy to prove"))},
              {"confidence", share()},
              {"answers", whole("Answers that are judged, as they stood at the start")},
              {"drawn", whole("If sequential: up to the last draw with a verdict")},
              {"checked", whole("Checks that count")},
              {"right", whole()},
              {"waiting", whole("Verdicts after a draw without one, which do not count yet")},
              {"missing", whole("Drawn answers without a verdict")},
              {"next", or_null(text("First draw without a verdict; null once proven"))},
              {"contradiction", flag("No accuracy fits the verdicts in their order")},
              {"estimate", or_null(number("Accuracy, estimated from the checks"))},
              {"lower", or_null(number("The accuracy is at least this, with the confidence"))},
              {"low", or_null(number())},
              {"high", or_null(number())},
              {"certified", or_null(flag("Whether the target is proven"))},
              {"checks_to_prove", or_null(whole("Checks that are expected to prove the target"))},
              {"shares",
               list(object({{"class", text()}, {"found", whole()}, estimate, lower, low, high}))},
              {"strata", list(object({{"from", share()},
                                      {"to", share()},
                                      {"answers", whole()},
                                      {"checked", whole()},
                                      {"right", whole()},
                                      estimate,
                                      lower,
                                      low,
                                      high}))}});
  const std::string audited = object({{"audit", or_null(audit)}});
  reviewers.add(get, "/audit", "read_audit", read_audit,
                "Read what the checks of the latest audit prove", audited, {.tagged = true});
  RouteGroup(routes, kCampaignPath, Access::owner)
      .add(post, "/audits", "start_audit", start_audit,
           "Start an audit: freeze the answers and draw those to check", audited,
           {.request = object({maybe("checks", scalar("Number of checks, at most one per answer")),
                               maybe("until", scalar("Check until this accuracy is proven")),
                               maybe("confidence", scalar("Default: 0.95")),
                               maybe("replace", flag("Give up an unfinished audit that has "
                                                     "verdicts; otherwise this is refused"))}),
            .success = 201,
            .keyed = true});
}

}  // namespace allot::serve
