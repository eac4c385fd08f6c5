// Language models that label campaigns of the server (bridge/chat_worker.hpp), as the settings
// offer them.
//
// The admin names endpoints with their models, prices and keys; requesters choose among them and
// can reach no other address. A campaign has at most one run at a time, with models of one
// endpoint. A run has threads of its own. They lease and record through the mailbox of the
// campaign, like any client, so one commit takes in the labels of many.
//
// What counts is in the ledger, and the run itself in the tables of the server
// (model_run_store.hpp). A server that was killed goes on with its runs: models keep the items that
// they had leased, and the cost cap counts what the ledger says was paid. Keys are in memory only.
// They are struck out of whatever an endpoint says, before anything is made of it.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "allot/base/money.hpp"
#include "bridge/chat_worker.hpp"
#include "bridge/prompt_check.hpp"
#include "serve/model_run_store.hpp"

namespace allot::serve {

class Hub;
class Log;
class OpenCampaign;

/// An OpenAI-compatible API.
struct ModelEndpoint {
  std::string name = {};
  std::string url = {};
  /// Sent with every request; empty for none.
  std::string key = {};
  /// PEM file with certificates to trust instead of the system's; empty for those.
  std::string roots = {};
  /// Requests at a time per campaign.
  std::uint32_t at_once = 8;
  /// Whether to ask for log-probabilities.
  bool log_probabilities = false;
  /// Models with the price of a label.
  std::vector<std::pair<std::string, Money>> models = {};
  /// Groups of models that err together, empty for a model alone; others have that of their name.
  std::map<std::string, std::string> families = {};
};

struct ModelOptions {
  /// No name of a model is in two of them.
  std::vector<ModelEndpoint> endpoints = {};
  /// Runs at a time, of all campaigns.
  std::size_t most_runs = 16;
  /// Times of requests; base, roots and secret come from the endpoint.
  bridge::WebApiOptions web = {.base = {}, .answer_time = std::chrono::seconds(120)};
};

class ModelRuns {
 public:
  /// Hub and log must outlive this object.
  ModelRuns(Hub& hub, ModelOptions options, const Log& log);
  /// Calls stop().
  ~ModelRuns();

  const std::vector<ModelEndpoint>& endpoints() const { return options_.endpoints; }
  /// Refuses a worker's name if a model that the settings offer labels under it.
  Result<void> check_name(const std::string& worker) const;

  /// Goes on with the runs that the last server had.
  Result<void> resume();

  /// Starts models in a campaign: sets their prices, and families of new ones as groups. `draft`
  /// has campaign, models, prompt and cap. Refuses models that are not offered or of several
  /// endpoints, a prompt that fits no item, a campaign that is paused or in the archive, a person's
  /// name, and a second run. For a thread that has the mailbox of the campaign.
  Result<ModelRun> start(OpenCampaign& open, ModelRun draft);
  /// Asks for nothing more and cancels requests under way, whose items are given back. Refuses
  /// unless a run is going.
  Result<ModelRun> stop(const std::string& campaign);

  /// Stops the run of a campaign that takes no more labels, if there is one.
  void end(const std::string& campaign);

  struct Found {
    ModelRun run;
    /// Whether it was stopped, but its last items are still being given back.
    bool is_stopping = false;
    /// What the run waits for; empty if it works or has ended.
    std::string waits = {};
    /// Time for which its oldest request has waited.
    std::chrono::seconds oldest_request{0};
    /// The last abstentions and skipped items, since the server started.
    std::vector<bridge::ItemRemark> remarks = {};
  };
  /// The last run of the campaign, as it is now.
  Result<std::optional<Found>> find(const std::string& campaign);

  /// Ends all runs for now; the next server goes on with them.
  void stop();

 private:
  struct Active;
  /// Refuses models with the name of a person in the campaign.
  Result<void> check_names(const OpenCampaign& open, const ModelRun& draft) const;
  Result<const ModelEndpoint*> endpoint_of(const std::vector<std::string>& models) const;
  Result<void> launch(const ModelRun& run, const ModelEndpoint& endpoint);
  /// Notes on disk that a run could not be launched.
  Result<void> end_failed(ModelRun run, const Error& why);
  void work(Active& active);
  Result<bridge::ChatReport> label(Active& active);
  void finish(Active& active, const Result<bridge::ChatReport>& report);
  /// The run that goes on in the campaign, or null; with the mutex held.
  Active* active_in(const std::string& campaign);
  /// Forgets runs that are over; with the mutex held.
  void reap();

  Hub& hub_;
  const ModelOptions options_;
  const Log& log_;
  std::mutex mutex_;
  bool closing_ = false;
  std::map<std::string, std::unique_ptr<Active>> active_;           // by campaign
  std::map<std::string, std::vector<bridge::ItemRemark>> remarks_;  // of the last run that ended
};

/// The prompt of the campaign's first item that has its fields.
struct PromptPreview {
  std::string item = {}, prompt = {};
  /// Items that lack a field of the prompt; models skip them.
  bridge::UnfitItems unfit = {};
};
/// Refuses a text that is no template, and fields that no item has. Without items, the preview is
/// empty.
Result<PromptPreview> preview_prompt(const OpenCampaign& open, const std::string& prompt);

}  // namespace allot::serve
