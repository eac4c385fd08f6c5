#include "serve/model_runs.hpp"

#include <algorithm>
#include <future>

#include "allot/base/text.hpp"
#include "base/errors.hpp"
#include "base/signals_blocked.hpp"
#include "bridge/model_family.hpp"
#include "bridge/prompt_check.hpp"
#include "serve/hub.hpp"
#include "serve/log.hpp"
#include "serve/problem.hpp"

namespace allot::serve {
namespace {

using bridge::ChatReport;
using campaign::State;

/// Puts the request into the mailbox and waits for its commit.
Result<void> commit_by_mail(Hub& hub, const std::string& campaign,
                            const campaign::BatchRequest& request) {
  const auto told = std::make_shared<std::promise<http::Response>>();
  hub.command(
      campaign,
      [&request](OpenBatch& batch) {
        request(*batch.operator->());
        return http::Response{.status = 204};
      },
      [told](http::Response response) { told->set_value(std::move(response)); });
  const http::Response response = told->get_future().get();
  if (response.status < 400) return {};
  return tl::unexpected(logged_error(response));
}

Money spent_by(const State& state, const std::vector<std::string>& models) {
  Money sum;
  for (const std::string& model : models) {
    for (const std::string& worker : bridge::version_workers(state, model))
      sum += state[*state.find_worker(worker)].spent;
  }
  return sum;
}

bool has_model(const ModelEndpoint& endpoint, const std::string& model) {
  return std::ranges::any_of(endpoint.models,
                             [&](const auto& offer) { return offer.first == model; });
}

std::uint64_t failed_items(const ChatReport& report) {
  std::uint64_t sum = 0;
  for (const auto& [model, one] : report.models) sum += one.failed;
  return sum;
}

}  // namespace

/// A run with its threads.
struct ModelRuns::Active {
  ModelRun run;
  const ModelEndpoint& endpoint;
  bridge::StopFlag stop = {};
  std::unique_ptr<bridge::WebApi> web = {};
  std::unique_ptr<bridge::ChatWorkers> workers = {};  // once the run knows what is left of its cap
  bool is_stopped = false;                            // by a requester
  bool is_over = false;
  std::thread thread = {};
};

ModelRuns::ModelRuns(Hub& hub, ModelOptions options, const Log& log)
    : hub_(hub), options_(std::move(options)), log_(log) {}

ModelRuns::~ModelRuns() { stop(); }

void ModelRuns::stop() {
  std::map<std::string, std::unique_ptr<Active>> all;
  {
    const std::scoped_lock lock(mutex_);
    closing_ = true;
    for (const auto& [campaign, active] : active_) active->stop.raise();
    all.swap(active_);
  }
  for (const auto& [campaign, active] : all) active->thread.join();
}

void ModelRuns::reap() {
  std::erase_if(active_, [](const auto& one) {
    if (!one.second->is_over) return false;
    one.second->thread.join();
    return true;
  });
}

ModelRuns::Active* ModelRuns::active_in(const std::string& campaign) {
  const auto found = active_.find(campaign);
  return found == active_.end() || found->second->is_over ? nullptr : found->second.get();
}

Result<void> ModelRuns::check_name(const std::string& worker) const {
  const bool is_taken = std::ranges::any_of(
      options_.endpoints, [&](const ModelEndpoint& one) { return has_model(one, worker); });
  if (!is_taken) return {};
  return fail(ErrorCode::conflict, "the name {} is that of a language model; expected another name",
              in_quotes(worker));
}

Result<void> ModelRuns::check_names(const OpenCampaign& open, const ModelRun& draft) const {
  for (const Token& token : hub_.vault().tokens()) {
    if (token.campaign != draft.campaign || !token.is_worker() || token.revoked) continue;
    if (std::ranges::find(draft.models, token.person) == draft.models.end()) continue;
    return fail(ErrorCode::conflict,
                "worker {} is a person with a link; expected a model whose name no person has",
                in_quotes(token.person));
  }
  return TRY(
      open.read([&](const State& state) { return bridge::check_no_person(state, draft.models); }));
}

Result<const ModelEndpoint*> ModelRuns::endpoint_of(const std::vector<std::string>& models) const {
  const ModelEndpoint* chosen = nullptr;
  for (const std::string& model : models) {
    if (std::ranges::count(models, model) > 1)
      return invalid("model {} is named twice; expected it once", in_quotes(model));
    const auto endpoint = std::ranges::find_if(
        options_.endpoints, [&](const ModelEndpoint& one) { return has_model(one, model); });
    if (endpoint == options_.endpoints.end())
      return invalid("model {} is not offered; expected one that the settings of the server name",
                     in_quotes(model));
    if (chosen && chosen != &*endpoint)
      return invalid("model {} is at endpoint {}; expected models of {} alone in this run",
                     in_quotes(model), in_quotes(endpoint->name), in_quotes(chosen->name));
    chosen = &*endpoint;
  }
  if (!chosen) return invalid("models is empty; expected at least one");
  return chosen;
}

Result<ModelRun> ModelRuns::start(OpenCampaign& open, ModelRun draft) {
  const ModelEndpoint* const endpoint = TRY(endpoint_of(draft.models));
  TRY(preview_prompt(open, draft.prompt));
  TRY(check_names(open, draft));
  const auto waits = TRY(open.read([](const State& state) {
    return state.archived() ? "archived" : state.phase() == campaign::Phase::paused ? "paused" : "";
  }));
  if (*waits)
    return fail(ErrorCode::conflict, "campaign {} is {}; expected one that is running",
                in_quotes(draft.campaign), waits);
  {
    const std::scoped_lock lock(mutex_);
    reap();
    if (active_in(draft.campaign))
      return fail(ErrorCode::conflict,
                  "models label this campaign already; expected it to be "
                  "stopped before another start");
    if (active_.size() >= options_.most_runs)
      return fail(ErrorCode::conflict, "models label {} campaigns already; expected fewer than {}",
                  active_.size(), options_.most_runs);
  }
  std::vector<std::pair<std::string, Money>> prices;
  for (const auto& offer : endpoint->models)
    if (std::ranges::find(draft.models, offer.first) != draft.models.end()) prices.push_back(offer);
  Result<void> prepared;
  TRY(open->commit([&](campaign::Batch& batch) {
    prepared = [&]() -> Result<void> {
      std::vector<std::pair<std::string, std::string>> families;
      std::vector<std::pair<std::string, Money>> all_prices;  // of versions too
      TRY(batch.view().read([&](const State& state) {
        families = bridge::families_of_new(state, draft.models);
        for (auto& [model, family] : families)
          if (const auto set = endpoint->families.find(model); set != endpoint->families.end())
            family = set->second;
        draft.spent_before = spent_by(state, draft.models);
        all_prices = bridge::for_versions(state, prices);
      }));
      if (!families.empty()) TRY(batch.set_groups(families, hub_.now()));
      return batch.set_prices(all_prices, hub_.now());
    }();
  }));
  TRY(std::move(prepared));
  draft.started = hub_.now();
  TRY(hub_.model_runs().begin(draft));
  if (auto launched = launch(draft, *endpoint); !launched) {
    TRY(end_failed(draft, launched.error()));
    return tl::unexpected(std::move(launched.error()));
  }
  log_.note({.what = "models started", .campaign = draft.campaign}, hub_.now());
  return draft;
}

Result<void> ModelRuns::launch(const ModelRun& run, const ModelEndpoint& endpoint) {
  std::unique_ptr<Active> active(new Active{run, endpoint});
  auto web = options_.web;
  web.base = endpoint.url;
  web.roots = endpoint.roots;
  web.secret = endpoint.key;
  web.largest_answer = bridge::kLargestReply;
  active->web = TRY(bridge::WebApi::open(std::move(web), active->stop));
  const std::scoped_lock lock(mutex_);
  if (closing_) return {};
  Active& kept = *(active_[run.campaign] = std::move(active));
  const SignalsBlocked signals_blocked;
  kept.thread = std::thread([this, &kept] { work(kept); });
  return {};
}

void ModelRuns::work(Active& active) {
  Result<ChatReport> report;
  try {
    report = label(active);
  } catch (const std::exception& exception) {
    report = fail(ErrorCode::internal, exception.what());
  }
  finish(active, report);
}

Result<ChatReport> ModelRuns::label(Active& active) {
  const ModelRun& run = active.run;
  const bridge::CampaignCommit commit = [this, &run](const campaign::BatchRequest& request) {
    return commit_by_mail(hub_, run.campaign, request);
  };
  Result<Money> spent;
  TRY(commit([&](campaign::Batch& batch) {
    spent = batch.view().read([&](const State& state) { return spent_by(state, run.models); });
  }));
  const Money used = TRY(spent) - std::min(*spent, run.spent_before);
  auto prompt = TRY(bridge::PromptTemplate::parse(run.prompt));
  bridge::ChatOptions options{
      .models = run.models,
      .prompt = std::move(prompt),
      .at_once = active.endpoint.at_once,
      .key = active.endpoint.key,
      .log_probabilities = active.endpoint.log_probabilities,
      .clock = [this] { return hub_.now(); },
  };
  options.cost_cap = run.cost_cap;
  options.spent_before = used;
  auto workers =
      std::make_unique<bridge::ChatWorkers>(commit, *active.web, std::move(options), active.stop);
  bridge::ChatWorkers& mine = *workers;
  {
    const std::scoped_lock lock(mutex_);
    active.workers = std::move(workers);
  }
  return mine.run();
}

void ModelRuns::finish(Active& active, const Result<ChatReport>& report) {
  ModelRun run = active.run;
  const std::scoped_lock lock(mutex_);
  if (active.workers) {
    const ChatReport sums = active.workers->report();
    run.failed += failed_items(sums);
    remarks_[run.campaign] = sums.remarks;
    run.trouble = sums.trouble;
  }
  active.is_over = true;
  // The next server goes on with a run that this one ends because it stops.
  if (!active.is_stopped && (closing_ || hub_.stopped())) return;
  run.ended = hub_.now();
  if (active.is_stopped) {
    run.state = RunState::stopped;
  } else if (report) {
    run.state = RunState::finished;
    run.reason = report->reason;
  } else {
    run.state = RunState::failed;
    run.reason = report.error().message;
  }
  static_cast<void>(hub_.model_runs().end(run));
  log_.note({.level = run.state == RunState::failed ? Level::warning : Level::info,
             .what = "models ended",
             .campaign = run.campaign,
             .cause = run.reason},
            hub_.now());
}

Result<void> ModelRuns::resume() {
  for (ModelRun& run : TRY(hub_.model_runs().running())) {
    const auto launched = endpoint_of(run.models).and_then([&](const ModelEndpoint* endpoint) {
      return launch(run, *endpoint);
    });
    if (!launched) TRY(end_failed(run, launched.error()));
  }
  return {};
}

Result<void> ModelRuns::end_failed(ModelRun run, const Error& why) {
  run.state = RunState::failed;
  run.reason = why.message;
  run.ended = hub_.now();
  return hub_.model_runs().end(run);
}

Result<ModelRun> ModelRuns::stop(const std::string& campaign) {
  const std::scoped_lock lock(mutex_);
  Active* const active = active_in(campaign);
  if (!active)
    return fail(ErrorCode::conflict, "no models label this campaign; expected a run to stop");
  ModelRun run = active->run;
  run.state = RunState::stopped;
  run.ended = hub_.now();
  // On disk first: a server that is killed now must not go on.
  TRY(hub_.model_runs().end(run));
  active->is_stopped = true;
  active->stop.raise();
  return run;
}

void ModelRuns::end(const std::string& campaign) { static_cast<void>(stop(campaign)); }

Result<std::optional<ModelRuns::Found>> ModelRuns::find(const std::string& campaign) {
  auto run = TRY(hub_.model_runs().find(campaign));
  if (!run) return std::nullopt;
  Found found{*std::move(run)};
  const std::scoped_lock lock(mutex_);
  Active* const active = active_in(campaign);
  if (!active) {
    if (const auto last = remarks_.find(campaign); last != remarks_.end())
      found.remarks = last->second;
    return found;
  }
  const ChatReport sums = active->workers ? active->workers->report() : ChatReport();
  found.remarks = sums.remarks;
  found.is_stopping = active->is_stopped;
  found.waits = sums.waits;
  found.oldest_request = sums.oldest;
  found.run.failed = failed_items(sums);
  found.run.trouble = sums.trouble;
  return found;
}

Result<PromptPreview> preview_prompt(const OpenCampaign& open, const std::string& prompt) {
  const auto parsed = TRY(bridge::PromptTemplate::parse(prompt));
  const auto item = TRY(bridge::find_fitting_item(open.view(), parsed));
  if (!item) return PromptPreview();
  PromptPreview preview{.unfit = TRY(bridge::count_unfit_items(open.view(), parsed))};
  std::vector<std::string> classes;
  TRY(open.read([&](const State& state) {
    classes = state.options().classes;
    preview.item = state.id(*item);
  }));
  preview.prompt = TRY(parsed.fill(preview.item, TRY(open.view().content(*item)), classes, 1));
  return preview;
}

}  // namespace allot::serve
