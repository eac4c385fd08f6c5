// Language models that the admin offers: start and stop them in a campaign.
#include "base/errors.hpp"
#include "io/json_object.hpp"
#include "serve/call.hpp"
#include "serve/model_runs.hpp"
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
      sum.spent += facts.spent;
    }
    spent += sum.spent;
    workers.json(JsonObject()
                     .text("model", model)
                     .whole("labels", sum.labels)
                     .whole("abstained", sum.abstained)
                     .money("spent", sum.spent));
  }
  return JsonObject()
      .text("state", state_name(found))
      .list("models", run.models, io::json_string)
      .text("prompt", run.prompt)
      .money("cost_cap", run.cost_cap)
      .money("cost", spent - std::min(spent, run.spent_before))
      .whole("failed", run.failed)
      .text_or_null("trouble", run.trouble)
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
    if (found) TRY(open.read([&](const State& state) { run = run_json(state, *found); }));
    return json_response(
        JsonObject()
            .json("models", offers)
            .text("prompt", bridge::usual_prompt(page.question, page.instructions, fields))
            .json("run", run));
  });
}

Result<void> preview_model_prompt(const CallPtr& call) {
  Body body = Body::parse(call->request.body);
  const std::string prompt = body.text("prompt", kLongestPrompt);
  TRY(body.done());
  return call->look([prompt](OpenCampaign& open) -> Result<Response> {
    const auto preview = TRY(preview_prompt(open, prompt));
    return json_response(
        JsonObject().text_or_null("item", preview.item).text("prompt", preview.prompt));
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
              {"models", list(text())},
              {"prompt", text()},
              {"cost_cap", or_null(money("Most that labels of this run may cost"))},
              {"cost", money("Paid for labels and abstentions of this run")},
              {"failed", whole("Requests that failed since the run began or the server started")},
              {"trouble", or_null(text("The last failure"))},
              {"reason", or_null(text("Why it ended"))},
              {"started", time()},
              {"ended", or_null(time())},
              {"workers", list(object({{"model", text()},
                                       {"labels", whole("In this campaign, of all runs")},
                                       {"abstained", whole()},
                                       {"spent", money()}}))}});
  RouteGroup owner(routes, kCampaignPath, Access::owner);
  owner.add(get, "/models", "show_models", show_models,
            "Show the language models that the server offers, a prompt to start from, and the last "
            "run of models in the campaign",
            object({{"models", list(object({{"model", text("Name of model and worker")},
                                            {"endpoint", text()},
                                            {"price", money("Of a label")}}))},
                    {"prompt", text("Made from question, instructions and fields")},
                    {"run", or_null(run)}}));
  owner.add(
      post, "/models/preview", "preview_prompt", preview_model_prompt,
      "Fill a prompt with the first item", object({{"item", or_null(text())}, {"prompt", text()}}),
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
