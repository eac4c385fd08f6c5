// Reports: answers, workers, their agreement, status, explanations.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "allot/aggregate/agreement.hpp"
#include "allot/base/time_text.hpp"
#include "allot/model/best_class.hpp"
#include "base/try.hpp"
#include "campaign/rows.hpp"
#include "serve/replies.hpp"
#include "serve/schema.hpp"

namespace allot::serve {
namespace {

using campaign::Options;
using campaign::State;
using http::Response;

/// Most resamples of a request: each costs a pass over the labels.
constexpr std::uint64_t kMostResamples = 10'000;

/// A page of numbered rows: the cursor is the number of its first row.
struct Paging {
  std::uint64_t from, limit;

  static Result<Paging> of(const Call& call) {
    const std::uint64_t limit = TRY(call.limit());
    return Paging{TRY(call.whole("cursor", 0, 0, UINT32_MAX)), limit};
  }
  template <typename Row, typename Json>
  Response response(std::string_view name, const std::vector<Row>& rows, Json json) const {
    const std::uint64_t begin = std::min<std::uint64_t>(from, rows.size());
    const std::uint64_t end = std::min<std::uint64_t>(begin + limit, rows.size());
    return json_response(
        JsonObject()
            .list(name, std::span(rows).subspan(begin, end - begin), json)
            .text_or_null("next", end < rows.size() ? fmt::format("{}", end) : ""));
  }
};

Result<void> list_answers(const CallPtr& call) {
  const Paging page = TRY(Paging::of(*call));
  return call->report([page](OpenCampaign& open) -> Result<Response> {
    const auto options = TRY(open.read([](const State& state) { return state.options(); }));
    return page.response("answers", *TRY(open.answers()), [&](const campaign::AnswerRow& row) {
      const auto if_answered = [&](double value) {
        return row.answer ? std::optional(value) : std::nullopt;
      };
      const ClassId best = row.answer.value_or(ClassId{0});
      return JsonObject()
          .text("item", row.item)
          .text_or_null("answer", row.answer ? class_name(options, best) : "")
          .number("probability", if_answered(row.probabilities[position(best)]))
          .number("calibrated", row.calibrated)
          .whole("labels", row.labels)
          .number("entropy", row.entropy)
          .number("disagreement", if_answered(row.disagreement))
          .text_or_null("settled", row.finish_reason)
          .text_or_null("reviewer", row.reviewer)
          .text_or_null("reason", row.review_reason)
          .text("status", campaign::answer_status(row))
          .number("expected_rank", options.ordered
                                       ? if_answered(model::expected_rank(row.probabilities))
                                       : std::nullopt)
          .json("probabilities", by_class(options, row.probabilities));
    });
  });
}

Result<void> list_workers(const CallPtr& call) {
  const Paging page = TRY(Paging::of(*call));
  return call->report([page](OpenCampaign& open) -> Result<Response> {
    return page.response("workers", *TRY(open.workers()), [](const campaign::WorkerRow& row) {
      return JsonObject()
          .text("worker", row.worker)
          .whole("labels", row.facts.labels)
          .whole("at_hand", row.facts.leases)
          .whole("skips", row.facts.skips)
          .whole("abstained", row.facts.abstained)
          .number("reliability", row.reliability)
          .number("low", row.low)
          .number("high", row.high)
          .number("agreement", row.agreement)
          .whole("gold", row.facts.gold)
          .whole("gold_right", row.facts.gold_right)
          .whole("reviewed", row.facts.reviewed)
          .whole("reviewed_right", row.facts.reviewed_right)
          .money("price", row.price)
          .money("spent", row.facts.spent)
          .text("standing", campaign::name(row.facts.standing))
          .text_or_null("standing_reason", row.facts.standing_reason)
          .number("answer_agreement", row.answer_agreement)
          .number("seconds", row.seconds)
          .money("pay_per_hour", row.pay_per_hour)
          .flag("too_fast", row.too_fast)
          .time("seen", row.facts.seen)
          .text_or_null("group", row.facts.group)
          .text_or_null("version", row.facts.version)
          .text_or_null("follows", row.follows);
    });
  });
}

std::string estimate_json(const aggregate::AgreementEstimate& estimate) {
  const auto bound = [&](double aggregate::Interval::*end) {
    return estimate.bounds ? std::optional(*estimate.bounds.*end) : std::nullopt;
  };
  return JsonObject()
      .text("coefficient", aggregate::coefficient_name(estimate.coefficient))
      .text("title", aggregate::coefficient_title(estimate.coefficient))
      .number("value", estimate.value)
      .number("low", bound(&aggregate::Interval::low))
      .number("high", bound(&aggregate::Interval::high))
      .text_or_null("reason", estimate.reason);
}

Result<void> agreement(const CallPtr& call) {
  aggregate::AgreementOptions how;
  how.resamples =
      static_cast<std::uint32_t>(TRY(call->whole("resamples", how.resamples, 0, kMostResamples)));
  return call->report([how](OpenCampaign& open) mutable -> Result<Response> {
    const auto used = TRY(open->view().agreement_labels());
    how.ordered = used.ordered;
    how.seed = used.seed;
    const aggregate::Agreement found = aggregate::measure_agreement(used.labels, how);
    const auto sampled = [&](std::uint32_t count) {
      return used.sample ? std::optional<std::uint64_t>(count) : std::nullopt;
    };
    return json_response(JsonObject()
                             .whole("sampled", sampled(used.sampled))
                             .whole("complete", sampled(used.complete))
                             .whole("labels", found.labels)
                             .whole("items", found.items)
                             .whole("fewest_labels", found.fewest_labels)
                             .whole("most_labels", found.most_labels)
                             .flag("adaptive", !used.sample)
                             .number("confidence", how.confidence)
                             .whole("resamples", how.resamples)
                             .list("coefficients", found.estimates, estimate_json));
  });
}

std::string answers_json(const campaign::AnswerSummary& answers) {
  return JsonObject()
      .whole("count", answers.count)
      .whole("unlabelled", answers.unlabelled)
      .number("expected_accuracy", answers.expected_accuracy)
      .whole("truths", answers.truths)
      .number("accuracy", answers.accuracy)
      .flag("verified", answers.verified);
}

std::string sample_json(const std::optional<campaign::SampleProgress>& sample) {
  if (!sample) return "null";
  return JsonObject().whole("items", sample->items).whole("labelled", sample->labelled);
}

Result<void> status(const CallPtr& call) {
  return call->report([](OpenCampaign& open) -> Result<Response> {
    const campaign::Status now = TRY(open->view().status());
    JsonObject days, settled;
    for (const auto& [day, count] : now.labels_by_day) days.whole(day_text(day), count);
    for (const auto& [reason, count] : now.finished) settled.whole(reason, count);
    return json_response(JsonObject()
                             .text("phase", campaign::name(now.phase))
                             .text_or_null("reason", now.reason)
                             .flag("archived", now.archived)
                             .time("started", now.started)
                             .time("last_event", now.last_event)
                             .money("budget", now.budget)
                             .money("spent", now.spent)
                             .money("reserved", now.reserved)
                             .money("left", now.left)
                             .whole("items", now.items)
                             .whole("gold", now.gold)
                             .whole("workers", now.workers)
                             .whole("leases", now.leases)
                             .whole("labels", now.labels)
                             .whole("gold_labels", now.gold_labels)
                             .whole("imported", now.imported)
                             .whole("excluded", now.excluded)
                             .json("labels_a_day", days)
                             .json("settled", settled)
                             .json("answers", answers_json(now.answers))
                             .number("expected_accuracy", now.expected_accuracy)
                             .json("calibrated", range_json(now.calibrated))
                             .whole("known_answers", now.known_answers)
                             .number("bound", now.bound)
                             .json("people_sample", sample_json(now.people_sample))
                             .whole("reviewed", now.reviewed)
                             .whole("truths", now.truths)
                             .number("accuracy", now.accuracy)
                             .whole("events", now.events));
  });
}

std::string_view name_of(campaign::PairStatus status) {
  static constexpr std::array<std::string_view, 6> kNames{"none",    "leased",   "lapsed",
                                                          "skipped", "labelled", "excluded"};
  return kNames[static_cast<std::size_t>(status)];
}

Result<void> explain(const CallPtr& call) {
  const std::string item = TRY(call->required("item", "id of an item"));
  const std::string worker = call->query("worker").value_or("");
  return call->look([item, worker](OpenCampaign& open) -> Result<Response> {
    const auto why = TRY(open->view().explain(item, worker));
    const auto number = TRY(open.read([&](const State& state) { return state.find_item(item); }));
    const auto fields = TRY(open.view().content(number.value()));
    return open.read([&](const State& state) {
      const Options& options = state.options();
      const auto share_json = [&](const campaign::Share& share) {
        const bool labelled = share.status >= campaign::PairStatus::labelled;
        return JsonObject()
            .text("worker", state.name(share.worker))
            .text("bond", name_of(share.status))
            .text_or_null("label", labelled ? options.classes[position(share.label)] : "");
      };
      return json_response(
          JsonObject()
              .text("item", item)
              .json("fields", fields.empty() ? "{}" : fields)
              .json("probabilities", by_class(options, why.probabilities))
              .list("workers", why.shares, share_json)
              .whole("at_hand", why.pending)
              .text_or_null("settled", why.finish_reason)
              .text_or_null("gold", why.gold ? options.classes[position(*why.gold)] : "")
              .number("value", why.value)
              .json("outlook", outlook_json(options, why.outlook)));
    });
  });
}

}  // namespace

void add_report_routes(std::vector<Route>& routes) {
  using namespace schema;
  using enum http::Method;
  RouteGroup owner(routes, kCampaignPath, Access::owner);
  const RouteTraits paged{.query = page_parameters(), .tagged = true};
  owner.add(get, "/answers", "list_answers", list_answers,
            "List all items with their answers, from all labels so far; without a label there is "
            "no answer",
            page_schema("answers", "Answer"), paged);
  owner.add(get, "/workers", "list_workers", list_workers,
            "List workers with their estimated reliability", page_schema("workers", "Worker"),
            paged);
  owner.add(get, "/agreement", "agreement", agreement,
            "Measure how far workers agree, on the agreement sample or else on all items",
            ref("Agreement"),
            {.query = {{"resamples", whole_from(0, kMostResamples),
                        "Resamples behind each interval; 1000 if not given"}},
             .tagged = true});
  owner.add(get, "/status", "status", status,
            "Read the progress of a campaign: counts, budget, expected accuracy", ref("Status"),
            {.tagged = true});
  owner.add(
      get, "/explain", "explain", explain,
      "Explain an item: its posterior, its workers, and what one more label would change",
      object({{"item", text()},
              {"fields", anything()},
              {"probabilities", table(share())},
              {"workers",
               list(object({{"worker", text()}, {"bond", text()}, {"label", or_null(text())}}))},
              {"at_hand", whole("Workers who have the item now")},
              {"settled", or_null(text())},
              {"gold", or_null(text())},
              {"value", or_null(number("The policy's index for this item and worker"))},
              {"outlook",
               outlook_schema(
                   "Per class: the chance of that label, and the probabilities after it")}}),
      {.query = {{"item", text(), "Id of the item"},
                 {"worker", text(), "The worker who would give the label"}}});
}

}  // namespace allot::serve
