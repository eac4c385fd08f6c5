// Language models as workers: a campaign leases items to a model, an OpenAI-compatible chat
// endpoint labels them.
//
// Each model is a worker with its own name and price, and so is each version of it that replies
// name (bridge/model_versions.hpp). A label counts for the version that gave it, also if the item
// was leased to another one. Any number of requests run at once, one
// thread each; a thread records its label and leases its next item in one commit. A reply that is
// not exactly one class (a refusal, a filter, too long, chatter) is an abstention: it costs the
// price of a label, and the model is not asked about the item again. A request that keeps failing
// gives its item back. The model skips an item that lacks a field of the prompt, for nothing.
// While somebody has paused the campaign, the models wait.
//
// A label can carry a confidence. With log-probabilities it is the probability of the reply, the
// product of those of its tokens. With several asks per item the label is the class that most
// replies name, and the confidence their share; each ask lists the classes in another order.
//
// Everything that counts is in the ledger. A program that was killed resumes with the items that
// its models have leased, so no item is labelled twice and the budget holds to the last unit. Only
// requests that were under way are sent again.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "allot/campaign/campaign.hpp"
#include "bridge/chat_progress.hpp"
#include "bridge/chat_prompt.hpp"
#include "bridge/model_versions.hpp"
#include "bridge/web_api.hpp"

namespace allot::bridge {

/// Longest reply of an endpoint, in bytes.
inline constexpr std::size_t kLargestReply = 4 << 20;

struct ChatOptions {
  std::vector<std::string> models;
  PromptTemplate prompt;
  /// Requests at a time, all models together.
  std::uint32_t at_once = 8;
  /// Sent as "Authorization: Bearer"; empty for endpoints without one.
  std::string key = {};
  /// Path of the chat endpoint after the base of the API.
  std::string path = "/chat/completions";
  std::uint64_t seed = 1;
  /// Sent only if set: some models refuse them.
  std::optional<double> temperature = {};
  std::optional<std::uint32_t> most_tokens = {};
  /// Whether to ask for log-probabilities, and to read them where the endpoint sends them.
  bool log_probabilities = false;
  /// Requests per label, at least 1.
  std::uint32_t asks = 1;
  /// Whether to ignore the versions that replies name.
  bool one_version = false;
  /// Most money for labels of this run; not set for the budget of the campaign alone.
  std::optional<Money> cost_cap = {};
  /// What the run had spent before it was interrupted; counts for the cap.
  Money spent_before = {};
  /// Requests in a row that may fail before the run gives up.
  std::uint32_t most_failures = 20;
  /// Time of leases and labels.
  std::function<campaign::Time()> clock = campaign::now;
  /// Called with a line about what happened.
  std::function<void(const std::string&)> say = [](const std::string&) {};
  /// Least time between two lines about progress.
  std::chrono::milliseconds between_lines{5'000};
  /// Time between two looks at a campaign that is paused.
  std::chrono::milliseconds between_looks{1'000};
};

class ChatWorkers {
 public:
  /// API and flag must outlive the workers.
  ChatWorkers(CampaignCommit commit, WebApi& web, ChatOptions options, const StopFlag& stop)
      : commit_(std::move(commit)),
        web_(web),
        options_(std::move(options)),
        stop_(stop),
        progress_(options_.models, options_.say),
        versions_(commit_, options_.clock, options_.say) {}
  /// So must the campaign.
  ChatWorkers(campaign::Campaign& campaign, WebApi& web, ChatOptions options, const StopFlag& stop)
      : ChatWorkers([&campaign](const auto& request) { return campaign.commit(request); }, web,
                    std::move(options), stop) {}

  /// Works until no model can get an item, the cap is reached, or the flag is raised, which cancels
  /// requests under way. Items that are still leased then are given back. Fails if no item has the
  /// fields of the prompt, the key is refused, or too many requests fail.
  Result<ChatReport> run();

  /// What happened so far; any thread may call.
  ChatReport report() const { return progress_.report(); }

 private:
  struct Job {
    std::string model, worker, item, fields;  // `worker` has leased the item
    Money price;
  };
  /// What became of a job.
  struct Done {
    Job job;
    std::optional<std::string> label = {};  // none: abstained
    std::string why = {};                   // of an abstention, or the field that is missing
    std::optional<float> confidence = {};   // of a label
    std::string worker = {};                // the version that replied
    bool lacks_field = false;               // nothing was asked
  };
  /// What a commit did with a job.
  enum class Kept { recorded, given_back };

  Result<void> resume_leases();
  void start_thread(const std::string& model);
  /// Until all threads are done: says what goes on, and cancels requests once the flag is raised.
  void watch();
  void work(const std::string& model);
  void take_failure(const Job& job, const Error& error);
  std::optional<Job> next_job(const std::string& model, std::optional<Done> done);
  /// Records what became of the last job and leases the next item, in one commit.
  enum class Leasing { over, leased, paused };
  Leasing lease(const std::string& model, const std::optional<Done>& done, std::optional<Job>& job);
  std::optional<Job> take_waiting(const std::string& model);
  /// Waits until the campaign goes on; false if the run is over first.
  bool outlast_pause();
  Result<Done> ask(const Job& job);
  /// One request; its prompt lists the classes in the order of the seed.
  Result<Done> ask_once(const Job& job, std::uint64_t seed);
  std::string request_body(const std::string& model, const std::string& prompt) const;
  /// Records what became of a job. A reply of another version than the one that has leased the item
  /// counts for that version; if it is no label, or a second one, the item is given back.
  Result<Kept> keep(campaign::Batch& batch, const Done& done);
  void give_back(const Job& job);
  /// Reserves the price under the cap; false if it does not fit.
  bool reserve(Money price);
  void unreserve(Money price);
  void count(const Done& done, const Result<Kept>& kept);
  void fail_with(const Error& error);
  bool is_over() const;

  const CampaignCommit commit_;
  WebApi& web_;
  const ChatOptions options_;
  const StopFlag& stop_;
  ChatProgress progress_;
  ModelVersions versions_;
  std::vector<std::string> classes_;
  std::vector<std::thread> threads_;
  std::mutex pause_mutex_;  // one thread looks at a paused campaign

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t working_ = 0;                          // threads that have something to do
  std::map<std::string, std::vector<Job>> waiting_;  // leased before this run, by model
  Money reserved_ = {}, spent_ = {};
  std::uint32_t failures_ = 0;  // in a row
  std::optional<Error> error_;
};

}  // namespace allot::bridge
