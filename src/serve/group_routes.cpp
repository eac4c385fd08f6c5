// Groups of workers who err together: who belongs to which, and how far they err together.
#include "allot/aggregate/group_errors.hpp"
#include "base/try.hpp"
#include "serve/call.hpp"
#include "serve/replies.hpp"
#include "serve/schema.hpp"

namespace allot::serve {
namespace {

using campaign::State;
using http::Response;

Result<void> set_group(const CallPtr& call) {
  Body body = Body::parse(call->request.body);
  const std::string worker = body.text("worker");
  const std::string group = body.text_if("group").value_or("");
  TRY(body.done());
  return call->command([call, worker, group](OpenBatch& batch) -> Result<Response> {
    TRY(batch->set_groups(std::vector{std::pair(worker, group)}, call->now()));
    return json_response(JsonObject().text("worker", worker).text_or_null("group", group));
  });
}

std::string group_json(const std::string& name, const aggregate::GroupErrors& errors) {
  const auto bound = [&](double aggregate::Interval::*end) {
    return errors.bounds ? std::optional(*errors.bounds.*end) : std::nullopt;
  };
  return JsonObject()
      .text("group", name)
      .whole("members", errors.members)
      .whole("items", errors.items)
      .whole("checked", errors.outside)
      .number("error_correlation", errors.correlation)
      .number("low", bound(&aggregate::Interval::low))
      .number("high", bound(&aggregate::Interval::high))
      .number("effective_votes", errors.effective_votes);
}

std::string kind_json(const campaign::KindRow& row) {
  return JsonObject()
      .text_or_null("kind", row.kind)
      .whole("workers", row.workers)
      .whole("labels", row.labels)
      .whole("abstained", row.abstained)
      .money("spent", row.spent)
      .whole("known", row.known)
      .whole("known_right", row.known_right)
      .number("accuracy", row.accuracy())
      .whole("shared", row.shared)
      .number("agreement", row.agreement())
      .number("cost_per_right", row.cost_per_right());
}

Result<void> list_groups(const CallPtr& call) {
  return call->report([](OpenCampaign& open) -> Result<Response> {
    const auto found = TRY(open->view().group_labels());
    const aggregate::ClassAnswers answers{found.labels.class_count, {}, found.probabilities};
    const auto errors =
        aggregate::group_errors(found.labels, found.groups.of_worker, answers, found.known);
    std::vector<std::string> rows;
    for (std::size_t g = 0; g < errors.size(); ++g)
      rows.push_back(group_json(found.groups.names[g], errors[g]));
    return json_response(JsonObject()
                             .list("groups", rows, [](const std::string& row) { return row; })
                             .list("kinds", TRY(open->view().kinds()), kind_json));
  });
}

}  // namespace

void add_group_routes(std::vector<Route>& routes) {
  using namespace schema;
  using enum http::Method;
  RouteGroup owner(routes, kCampaignPath, Access::owner);
  owner.add(put, "/groups", "set_group", set_group,
            "Say that a worker errs together with others of a group, or with nobody",
            object({{"worker", text()}, {"group", or_null(text())}}),
            {.request = object({{"worker", text("Joins if unknown")},
                                maybe("group", text("Not given for a worker alone"))})});
  owner.add(
      get, "/groups", "list_groups", list_groups,
      "List groups of workers with the correlation of their errors, and compare kinds of workers",
      object({{"kinds",
               list(object({{"kind", or_null(text("A group; null for workers outside groups"))},
                            {"workers", whole("Workers who are not excluded")},
                            {"labels", whole()},
                            {"abstained", whole()},
                            {"spent", money()},
                            {"known", whole("Labels of items whose class is known")},
                            {"known_right", whole()},
                            {"accuracy", or_null(share("Of these labels, right ones"))},
                            {"shared", whole("Items on which both this kind and the others "
                                             "have a most frequent label")},
                            {"agreement", or_null(share("Of these items, same labels"))},
                            {"cost_per_right",
                             or_null(number("Pay by label, divided by the accuracy"))}}))},
              {"groups",
               list(object({{"group", text()},
                            {"members", whole()},
                            {"items", whole("Items that a member labelled")},
                            {"checked", whole("Of these, items that somebody outside the "
                                              "group labelled too, or that are known")},
                            {"error_correlation",
                             or_null(number("Mean correlation of errors of two members"))},
                            {"low", or_null(number())},
                            {"high", or_null(number())},
                            {"effective_votes",
                             or_null(number("Independent votes that one label of each member "
                                            "is worth"))}}))}}),
      {.tagged = true});
}

}  // namespace allot::serve
