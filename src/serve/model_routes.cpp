// Language models that the admin offers: start and stop them in a campaign.
#include "base/errors.hpp"
#include "base/json_text.hpp"
#include "io/json_object.hpp"
#include "serve/call.hpp"
#include "serve/model_runs.hpp"
#include "serve/replies.hpp"
#include "serve/schema.hpp"

namespace allot::serve {
namespace {

using campaign::State;
using http::Response;

constexpr std::size_t kLongestPrompt = 100'000, kMostModels = 100;

std::string_view state_name(const ModelRuns::Found& found) {
  if (found.is_stopping) return "stopping";
  switch (found.run.state) {
    case RunState::running:
      return "running";
    case RunState::stopped:
      return "stopped";
    case RunState::finished:
      return "finished";
    case RunState::failed:
      return "failed";
  }
  return "";
}

std::string run_json(const State& state, const ModelRuns::Found& found) {
  const ModelRun& run = found.run;
  Money spent;
  JsonList workers;
  for (const std::string& model : run.models) {
    campaign::WorkerFacts sum;  // of all its versions
    for (const std::string& worker : bridge::version_workers(state, model)) {
      const campaign::WorkerFacts& facts = state[*state.find_worker(worker)];
      sum.labels += facts.labels;
      sum.abstained += facts.abstained;
      sum.skips += facts.skips;
      sum.spent += facts.spent;
    }
    spent += sum.spent;
    workers.json(JsonObject()
                     .text("model", model)
                     .whole("labels", sum.labels)
                     .whole("abstained", sum.abstained)
                     .whole("skipped", sum.skips - sum.abstained)
                     .money("spent", sum.spent));
  }
  JsonList remarks;
  for (const bridge::ItemRemark& remark : found.remarks) {
    remarks.json(
        JsonObject().text("model", remark.model).text("item", remark.item).text("why", remark.why));
  }
  return JsonObject()
      .text("state", state_name(found))
      .text_or_null("waits", found.waits)
      .list("models", run.models, json_string)
      .text("prompt", run.prompt)
      .money("cost_cap", run.cost_cap)
      .money("cost", spent - std::min(spent, run.spent_before))
      .whole("failed", run.failed)
      .text_or_null("trouble", run.trouble)
      .whole("oldest_request_seconds", static_cast<std::uint64_t>(found.oldest_request.count()))
      .json("remarks", remarks)
      .text_or_null("reason", run.reason)
      .time("started", run.started)
      .time("ended", run.ended)
      .json("workers", workers);
}

Result<Response> run_response(const OpenCampaign& open, const ModelRuns::Found& found) {
  std::string text;
  TRY(open.read([&](const State& state) { text = run_json(state, found); }));
  return json_response(std::move(text));
}

/// Fields of the first item that a model can read: no pictures and sounds, nothing hidden.
Result<std::vector<std::string>> readable_fields(const OpenCampaign& open, const Page& page) {
  std::vector<std::string> names;
  if (TRY(open.read([](const State& state) { return state.item_count(); })) == 0) return names;
  const auto content = TRY(open.view().content(ItemId{0}));
  for (const io::JsonMember& member :
       TRY(io::parse_json_object(content.empty() ? "{}" : content))) {
    const auto kind = page.fields.find(member.name);
    if (kind == page.fields.end() || kind->second == Page::Kind::text ||
        kind->second == Page::Kind::html) {
      names.push_back(member.name);
    }
  }
  return names;
}

Result<void> show_models(const CallPtr& call) {
  return call->look([call](OpenCampaign& open) -> Result<Response> {
    ModelRuns& models = call->service.models();
    JsonList offers;
    for (const ModelEndpoint& endpoint : models.endpoints()) {
      for (const auto& [model, price] : endpoint.models)
        offers.json(JsonObject()
                        .text("model", model)
                        .text("endpoint", endpoint.name)
                        .money("price", price));
    }
    const auto entry = call->hub().vault().campaign(call->campaign());
    const Page& page = entry ? entry->shown() : Page{};
    const auto fields = TRY(readable_fields(open, page));
    const auto found = TRY(models.find(call->campaign()));
    std::string run = "null";
    bool counts_labels = false;
    TRY(open.read([&](const State& state) {
      counts_labels = !pays_money(*call, state);
      if (found) run = run_json(state, *found);
    }));
    return json_response(
        JsonObject()
            .json("models", offers)
            .text("prompt", bridge::usual_prompt(page.question, page.instructions, fields))
            .flag("counts_labels", counts_labels)
            .json("run", run));
  });
}

Result<void> preview_model_prompt(const CallPtr& call) {
  Body body = Body::parse(call->request.body);
  const std::string prompt = body.text("prompt", kLongestPrompt);
  TRY(body.done());
  return call->look([prompt](OpenCampaign& open) -> Result<Response> {
    const auto preview = TRY(preview_prompt(open, prompt));
    return json_response(JsonObject()
                             .text_or_null("item", preview.item)
                             .text("prompt", preview.prompt)
                             .whole("unfit", preview.unfit.count)
                             .whole("looked_at", preview.unfit.of));
  });
}

Result<void> start_models(const CallPtr& call) {
  Body body = Body::parse(call->request.body);
  ModelRun draft{.campaign = call->campaign(),
                 .models = body.texts("models", kMostModels),
                 .prompt = body.text("prompt", kLongestPrompt),
                 .cost_cap = body.money_if("cost_cap")};
  TRY(body.done());
  return call->look([call, draft](OpenCampaign& open) -> Result<Response> {
    return run_response(open, {TRY(call->service.models().start(open, draft))});
  });
}

Result<void> stop_models(const CallPtr& call) {
  return call->look([call](OpenCampaign& open) -> Result<Response> {
    return run_response(open, {TRY(call->service.models().stop(call->campaign())), true});
  });
}

}  // namespace

void add_model_routes(std::vector<Route>& routes) {
  using namespace schema;
  using enum http::Method;
  const std::string run =
      object({{"state", word({"running", "stopping", "stopped", "finished", "failed"})},
              {"waits", or_null(text("What a running run waits for"))},
              {"models", list(text())},
              {"prompt", text()},
              {"cost_cap", or_null(money("Most that labels of this run may cost"))},
              {"cost", money("Paid for labels and abstentions of this run")},
              {"failed", whole("Items given back because requests about them failed, since the "
                               "run began or the server started")},
              {"trouble", or_null(text("The last failure"))},
              {"oldest_request_seconds", whole("Time for which the oldest request has waited")},
              {"remarks", list(object({{"model", text()},
                                       {"item", text()},
                                       {"why", text("Such as \"has no field 'text'\"")}}),
                               "The last abstentions and skipped items since the server started")},
              {"reason", or_null(text("Why it ended"))},
              {"started", time()},
              {"ended", or_null(time())},
              {"workers", list(object({{"model", text()},
                                       {"labels", whole("In this campaign, of all runs")},
                                       {"abstained", whole()},
                                       {"skipped", whole("Items that lack a field of the prompt")},
                                       {"spent", money()}}))}});
  RouteGroup owner(routes, kCampaignPath, Access::owner);
  owner.add(get, "/models", "show_models", show_models,
            "Show the language models that the server offers, a prompt to start from, and the last "
            "run of models in the campaign",
            object({{"models", list(object({{"model", text("Name of model and worker")},
                                            {"endpoint", text()},
                                            {"price", money("Of a label")}}))},
                    {"prompt", text("Made from question, instructions and fields")},
                    {"counts_labels", flag("Whether the budget counts labels, while models have "
                                           "prices in money")},
                    {"run", or_null(run)}}));
  owner.add(
      post, "/models/preview", "preview_prompt", preview_model_prompt,
      "Fill a prompt with the first item that has its fields",
      object({{"item", or_null(text())},
              {"prompt", text()},
              {"unfit", whole("Items that lack a field of the prompt; models skip them")},
              {"looked_at", whole("Items among which they were counted: the first 1,000, or all if "
                                  "there are fewer")}}),
      {.request = object({{"prompt", text("With {{classes}} and fields such as {{text}}")}})});
  owner.add(
      post, "/models/start", "start_models", start_models,
      "Let language models of one endpoint label the campaign", run,
      {.request = object({{"models", list(text(), "Names of offered models")},
                          {"prompt", text()},
                          maybe("cost_cap", scalar("Most that labels of this run may cost"))})});
  owner.add(post, "/models/stop", "stop_models", stop_models,
            "Stop the language models; leased items are given back", run);
}

}  // namespace allot::serve
