// Workers in a requester's hand: block, exclude, restore, versions of models, what a worker
// confuses, and labels that were given elsewhere.
#include <fmt/format.h>

#include <algorithm>

#include "allot/base/text.hpp"
#include "base/json_text.hpp"
#include "base/try.hpp"
#include "io/json_object.hpp"
#include "serve/call.hpp"
#include "serve/problem.hpp"
#include "serve/schema.hpp"

namespace allot::serve {
namespace {

using campaign::Board;
using campaign::Standing;
using campaign::State;
using http::Response;

std::optional<Standing> standing_named(std::string_view name) {
  for (const Standing one : {Standing::active, Standing::blocked, Standing::excluded}) {
    if (campaign::name(one) == name) return one;
  }
  return std::nullopt;
}

/// Items whose answer is another one on the second board, or gone, or new.
std::uint64_t changed_answers(const Board& before, const Board& after) {
  std::uint64_t changed = 0;
  for (std::size_t i = 0; i < after.items.size(); ++i) {
    changed += before.items[i].answer != after.items[i].answer;
  }
  return changed;
}

Result<Response> change_standing(const Call& call, OpenBatch& batch, const std::string& worker,
                                 Standing standing, const std::string& reason) {
  const Board before = TRY(batch.view().board());
  TRY(batch->set_standing(worker, standing, reason, call.now()));
  const Board after = TRY(batch.view().board());
  return batch.read([&](const State& state) {
    const auto& facts = state[state.find_worker(worker).value()];
    return json_response(JsonObject()
                             .text("worker", worker)
                             .text("standing", campaign::name(facts.standing))
                             .text_or_null("reason", facts.standing_reason)
                             .whole("labels", facts.labels)
                             .whole("changed_answers", changed_answers(before, after))
                             .money("left", state.account().left()));
  });
}

Result<void> set_standing(const CallPtr& call) {
  Body body = Body::parse(call->request.body);
  const std::string worker = body.text("worker"), word = body.text("standing");
  const std::string reason = body.text_if("reason").value_or("");
  const auto standing = standing_named(word);
  if (!word.empty() && !standing) {
    body.refuse(
        fmt::format("unknown standing {}; expected active, blocked or excluded", in_quotes(word)));
  }
  TRY(body.done());
  return call->command([call, worker, standing, reason](OpenBatch& batch) {
    return change_standing(*call, batch, worker, *standing, reason);
  });
}

Result<void> set_version(const CallPtr& call) {
  Body body = Body::parse(call->request.body);
  campaign::VersionDraft draft{body.text("worker"), body.text_if("version"),
                               body.text_if("follows")};
  TRY(body.done());
  return call->command([call, draft](OpenBatch& batch) -> Result<Response> {
    TRY(batch->set_version(draft, call->now()));
    return batch.read([&](const State& state) {
      const auto& facts = state[state.find_worker(draft.worker).value()];
      return json_response(
          JsonObject()
              .text("worker", draft.worker)
              .text_or_null("version", facts.version)
              .text_or_null("follows", facts.follows ? state.name(*facts.follows) : ""));
    });
  });
}

Result<void> confusion(const CallPtr& call) {
  const std::string worker = TRY(call->required("worker", "name of a worker"));
  return call->report([worker](OpenCampaign& open) -> Result<Response> {
    const auto counts = TRY(open->view().confusion(worker));
    return open.read([&](const State& state) {
      const auto row = [](const std::vector<std::uint32_t>& one) {
        return fmt::format("[{}]", fmt::join(one, ", "));
      };
      return json_response(JsonObject()
                               .text("worker", worker)
                               .list("classes", state.options().classes, json_string)
                               .list("counts", counts, row));
    });
  });
}

/// Sentences about refused labels that a response has.
constexpr std::size_t kMostProblems = 10;

Result<Response> import(const Call& call, OpenBatch& batch,
                        const std::vector<campaign::Answer>& labels) {
  std::uint64_t recorded = 0, already = 0;
  std::vector<std::string> problems;
  for (const auto& outcome : batch->import(labels, call.now())) {
    if (!outcome && status_of(outcome.error().code) >= 500) return tl::unexpected(outcome.error());
    if (!outcome) {
      problems.push_back(outcome.error().message);
    } else {
      ++(*outcome == campaign::Outcome::already ? already : recorded);
    }
  }
  const std::uint64_t refused = problems.size();
  problems.resize(std::min(problems.size(), kMostProblems));
  return json_response(JsonObject()
                           .whole("recorded", recorded)
                           .whole("already", already)
                           .whole("refused", refused)
                           .list("problems", problems, json_string));
}

Result<void> import_labels(const CallPtr& call) {
  Body body = Body::parse(call->request.body);
  std::vector<campaign::Answer> labels;
  for (Body& one : body.objects("labels", call->service.options().largest_batch)) {
    campaign::Answer label{one.text("item"), one.text("worker"), one.text("label")};
    label.confidence = one.probability_if("confidence");
    labels.push_back(std::move(label));
    static_cast<void>(one.done());
  }
  if (labels.empty()) body.refuse("labels is missing or empty; expected a list of labels");
  TRY(body.done());
  return call->command([call, labels = std::move(labels)](OpenBatch& batch) {
    return import(*call, batch, labels);
  });
}

}  // namespace

void add_worker_routes(std::vector<Route>& routes) {
  using namespace schema;
  using enum http::Method;
  RouteGroup owner(routes, kCampaignPath, Access::owner);
  const std::string standing = word({"active", "blocked", "excluded"});
  owner.add(put, "/standing", "set_standing", set_standing,
            "Block a worker, exclude a worker's labels from the answers, or restore the worker",
            object({{"worker", text()},
                    {"standing", standing},
                    {"reason", or_null(text())},
                    {"labels", whole("Labels of the worker")},
                    {"changed_answers", whole("Items whose answer changed by it")},
                    {"left", money("Money left to ask again")}}),
            {.request = object({{"worker", text()},
                                {"standing", standing},
                                maybe("reason", text("At most 500 bytes; for people to read"))})});
  owner.add(
      put, "/versions", "set_version", set_version,
      "Say which version of a model a worker is, and from which worker it starts",
      object({{"worker", text()}, {"version", or_null(text())}, {"follows", or_null(text())}}),
      {.request = object({{"worker", text("Joins if unknown")},
                          maybe("version", text("As the endpoint of the model names it")),
                          maybe("follows", text("The version before: the worker starts from "
                                                "what is believed of it. Empty for none"))})});
  owner.add(
      post, "/labels/import", "import_labels", import_labels,
      "Import labels that were given elsewhere: free, and without a lease",
      object({{"recorded", whole()},
              {"already", whole("The same label was there")},
              {"refused", whole()},
              {"problems", list(text(), "Why labels were refused, at most 10")}}),
      {.request = object(
           {{"labels",
             list(object({{"item", text()},
                          {"worker", text()},
                          {"label", text()},
                          maybe("confidence", share("How sure the worker is of the label"))}))}})});
  owner.add(get, "/confusion", "confusion", confusion,
            "Count a worker's labels by the answers of their items",
            object({{"worker", text()},
                    {"classes", list(text())},
                    {"counts", list(list(whole()), "By answer, then by label")}}),
            {.query = {{"worker", text(), "Name of the worker"}}, .tagged = true});
}

}  // namespace allot::serve
