#include "serve/label_request.hpp"

#include <fmt/format.h>

#include "allot/base/text.hpp"
#include "allot/campaign/state.hpp"
#include "base/try.hpp"

namespace allot::serve {
namespace {

using campaign::Answer;
using campaign::State;

/// The longest time in view that a page can tell: a day.
constexpr double kLongestView = 86'400;

/// Reads the label and how sure the worker is of it, or a probability per class instead.
void read_opinion(Body& body, Answer& answer, LabelRequest& request) {
  if (!body.has("probabilities")) {
    answer.label = body.text("label");
    answer.confidence = body.probability_if("confidence");
    return;
  }
  if (body.has("label") || body.has("confidence"))
    body.refuse("probabilities and a label or its confidence; expected one of them");
  NamedProbabilities given;
  if (auto by_class = body.object("probabilities")) {
    for (const std::string& name : by_class->members()) {
      if (const auto number = by_class->probability_if(name)) given.emplace_back(name, *number);
    }
    static_cast<void>(by_class->done());
  }
  request.probabilities.resize(request.answers.size());
  request.probabilities.push_back(std::move(given));
}

}  // namespace

campaign::Remark read_remark(Body& body, bool skips) {
  campaign::Remark remark;
  if (const auto text = body.scalar_if("seconds")) {
    const auto seconds = parse_number(*text);
    if (seconds && *seconds >= 0 && *seconds <= kLongestView) {
      remark.milliseconds = static_cast<std::uint32_t>(*seconds * 1000);
    } else {
      body.refuse(fmt::format("seconds is {}; expected a number from 0 to {}", in_quotes(*text),
                              kLongestView));
    }
  }
  // A character takes up to four bytes.
  remark.note = body.text_if("note", 4 * campaign::kLongestNote).value_or("");
  if (skips) remark.reason = body.text_if("reason").value_or("");
  return remark;
}

LabelRequest read_labels(const Call& call, Body& body) {
  LabelRequest request;
  request.revise = body.flag("revise");
  request.next = body.whole("next", 0, 0, kMostAssignments);
  request.single = body.has("item");
  if (request.revise && call.is_worker() && !request.single) {
    body.refuse("a worker's token revises one label; expected item and label",
                ErrorCode::forbidden);
  }
  if (request.single) {
    Answer answer;
    answer.worker = call.worker(body);
    answer.item = body.text("item");
    read_opinion(body, answer, request);
    answer.remark = read_remark(body, false);
    request.answers.push_back(std::move(answer));
    return request;
  }
  const std::optional<std::string> worker_of_all =
      call.is_worker() || body.has("worker") ? std::optional(call.worker(body)) : std::nullopt;
  for (Body& label : body.objects("labels", call.service.options().largest_batch)) {
    Answer answer;
    answer.item = label.text("item");
    read_opinion(label, answer, request);
    answer.worker = worker_of_all ? *worker_of_all : label.text("worker");
    answer.remark = read_remark(label, false);
    static_cast<void>(label.done());
    request.answers.push_back(std::move(answer));
  }
  if (request.answers.empty()) {
    body.refuse("labels is missing or empty; expected item and label, or a list of labels");
  }
  return request;
}

Result<void> name_labels(OpenBatch& batch, LabelRequest& request) {
  return TRY(batch.read([&](const State& state) -> Result<void> {
    for (std::size_t n = 0; n < request.answers.size(); ++n) {
      Answer& answer = request.answers[n];
      if (n < request.probabilities.size() && answer.label.empty()) {
        const auto best = TRY(campaign::most_probable(state.options(), request.probabilities[n]));
        answer.label = best.label;
        answer.confidence = best.confidence;
      }
      TRY(campaign::class_named(state.options(), answer.label));
    }
    return {};
  }));
}

}  // namespace allot::serve
