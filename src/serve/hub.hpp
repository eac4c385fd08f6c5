// The campaigns of a server (serve/server_store.hpp), at work for many requests at once.
//
// Each campaign has a mailbox and is opened when its first letter comes. A thread of the pool takes
// all letters of a mailbox, hands the commands among them to the campaign as one commit, and
// replies when they are on disk. One thread works on a mailbox at a time, and campaigns do not wait
// for each other. Callers never wait: replies come later, from threads of the pool.
//
// Cost: one entry in a queue per request; memory for at most `most_waiting` requests per campaign
// and for `most_open` campaigns, beyond which the hub closes the campaign that was idle longest. A
// hub that knows more campaigns looks at each of them after every batch.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "http/message.hpp"
#include "serve/cluster.hpp"
#include "serve/model_run_store.hpp"
#include "serve/open_campaign.hpp"
#include "serve/server_store.hpp"
#include "serve/task_pool.hpp"
#include "serve/vault.hpp"
#include "serve/watchers.hpp"
#include "serve/webhook_store.hpp"

namespace allot::serve {

struct HubOptions {
  /// The data folder, unless there is a database.
  std::string folder = {};
  /// Location of a PostgreSQL database; empty for none.
  std::string database = {};
  DatabaseOptions in_database = {};
  /// Leases of several servers on that database.
  ClusterOptions cluster = {};
  /// Threads for short tasks; 0 for two per processor, and four at least.
  unsigned threads = 0;
  /// Threads for tasks that wait for clients: uploads at once.
  unsigned blocking_threads = 4;
  /// Letters that can wait in one mailbox.
  std::size_t most_waiting = 10'000;
  /// Slow tasks that can wait, for all campaigns together.
  std::size_t most_slow = 8;
  std::size_t most_open = 64;
  /// How often the hub looks for leases that are over.
  std::chrono::milliseconds expire_every{1000};
  /// Opens every campaign once after the start, so that monitoring knows all of them.
  bool visit_all = false;
  /// Called from another thread for each of them that cannot be opened, with the cause.
  std::function<void(const std::string& campaign, const std::string& cause)> unopened = {};
  std::function<Time()> clock = {};  // the system's
};

class Hub {
 public:
  /// Makes the folder, or the tables of the database, if there are none.
  static Result<std::unique_ptr<Hub>> open(HubOptions options);
  /// Stops.
  ~Hub();

  Vault& vault() { return *vault_; }
  WebhookStore& webhooks() { return *webhooks_; }
  ModelRunStore& model_runs() { return *model_runs_; }
  Time now() const { return options_.clock(); }
  /// The data folder; empty for a server on a database.
  std::string folder() const { return options_.database.empty() ? options_.folder : std::string(); }
  ServerStore& store() { return *store_; }

  /// The servers on a database; null for a folder.
  Cluster* cluster() { return cluster_.get(); }
  /// Called from another thread when this server takes a campaign, and when another server is gone.
  struct ClusterListener {
    std::function<void()> gained;
    std::function<void(const std::string& address)> gone;
  };
  /// Joins the servers on the database under that address; does nothing for a folder.
  Result<void> join(const std::string& address, ClusterListener listener);
  /// Whether this server does what no request asks for: sends webhooks of the campaign.
  bool owns(const std::string& campaign) const { return !cluster_ || cluster_->owns(campaign); }
  /// Whether another server took the campaign from this one; live streams then end.
  bool has_moved(const std::string& campaign) const;

  using Command = std::function<http::Response(OpenBatch&)>;
  using Look = std::function<http::Response(OpenCampaign&)>;
  /// Decided with other waiting commands, and answered when all of them are on disk. The command is
  /// called again if another one of its batch threw. `keys` are those that it will look for, if
  /// any.
  void command(const std::string& campaign, Command command, http::Reply reply,
               std::vector<std::string> keys = {});
  /// For requests that change nothing, or whose changes must not share a commit.
  void look(const std::string& campaign, Look look, http::Reply reply);

  /// Tasks that concern no campaign (TaskPool). False if the hub stops; slow tasks also if too many
  /// wait.
  bool work(std::function<void()> task) { return pool_->run(std::move(task)); }
  bool run_blocking(std::function<void()> task) { return pool_->run_blocking(std::move(task)); }
  bool run_slow(std::function<void()> task) { return pool_->run_slow(std::move(task)); }

  /// Makes a campaign, which is on disk when this returns. `draft` has no id and time. Threads that
  /// serve connections must not call it.
  Result<CampaignEntry> create(CampaignEntry draft, const campaign::Options& options,
                               const campaign::Setup& setup = {}, const CreationRequest& by = {});

  /// Deletes an archived campaign for good, with its ledger, tokens and webhooks; replies 204 when
  /// it is gone. Requests that wait for it are told that it does not exist. If the server dies
  /// meanwhile, the campaign is whole, or the next start finishes the deletion.
  void remove(const std::string& campaign, http::Reply reply);

  /// Calls wake() once the campaign has an event after that one, after the timeout, or when the hub
  /// stops; from any thread, even before this returns.
  void wait_for_event(const std::string& campaign, std::uint64_t after,
                      std::chrono::milliseconds timeout, std::function<void()> wake);

  /// Sums over campaigns, each as it was when its mailbox was last emptied.
  struct Sums {
    std::uint64_t items = 0, workers = 0, leases = 0, labels = 0;
    double spent = 0, left = 0;

    static Sums of(const campaign::State& state);
    Sums& operator+=(const Sums& other);
  };
  /// Numbers for monitoring. They are read at once: the hub opens nothing and waits for nothing.
  struct Figures {
    std::size_t open = 0, waiting = 0, watchers = 0;
    std::uint64_t batches = 0, commands = 0, expired = 0, commits = 0, refits = 0;
    double commit_seconds = 0;
    /// Size of the files of open campaigns.
    std::uint64_t bytes = 0;
    /// Campaigns that `sums` has: those that were opened since the start.
    std::size_t known = 0;
    /// Campaigns that could not be opened at the start.
    std::size_t unopened = 0;
    Sums sums = {};
    std::optional<Cluster::Figures> cluster = {};
  };
  Figures figures() const;

  bool stopped() const { return stopping_; }
  /// Takes no more requests, finishes those that wait, and closes all campaigns.
  void stop();

 private:
  /// A request on its way: a command, a look, or without either the deletion of the campaign.
  struct Letter {
    Command command;
    Look look;
    http::Reply reply;
    std::vector<std::string> keys = {};

    bool removes() const { return !command && !look; }
  };
  struct Mailbox {
    explicit Mailbox(std::string id) : campaign(std::move(id)) {}
    const std::string campaign;
    std::vector<Letter> letters;
    bool at_work = false;         // a thread has it, or will take it
    bool moved = false;           // another server took it
    bool removed = false;         // it was deleted
    std::optional<Sums> sums;     // once it was opened
    bool lacks_point = false;     // of the accuracy history
    std::uint64_t refits = 0;     // of the open campaign, as far as they are counted
    std::uint64_t last_used = 0;  // the hub's count of uses then
    std::unique_ptr<OpenCampaign> open;
  };
  /// A response that waits to be sent.
  struct Delivery {
    http::Reply reply;
    http::Response response;
  };

  explicit Hub(HubOptions options) : options_(std::move(options)) {}
  Result<void> prepare();
  /// Removes what is left of a campaign that was never finished.
  Result<void> discard(const std::string& campaign);

  Mailbox& mailbox(const std::string& campaign);
  void post(const std::string& campaign, Letter letter);
  void serve(Mailbox& box);
  void answer(Mailbox& box, std::vector<Letter>& letters);
  /// Deletes the campaign, or says why not.
  http::Response remove(Mailbox& box);
  /// Removes the ledger of a campaign that is off the list.
  Result<void> finish_removal(const std::string& campaign);
  void decide(Mailbox& box, std::span<Letter> commands);
  void publish(Mailbox& box);
  /// Where a campaign stands.
  struct Standing {
    std::uint64_t sequence = 0;
    Sums sums = {};
    bool lacks_point = false;
  };
  static Standing standing_of(OpenCampaign& open, const campaign::State& state);
  void note(Mailbox& box, const Standing& now);
  void deliver(std::vector<Delivery> deliveries);
  Result<void> open_campaign(Mailbox& box);
  /// Corrects the list if the server died between the ledger and the list.
  Result<void> note_archived(const OpenCampaign& open, const std::string& campaign);
  std::vector<std::unique_ptr<OpenCampaign>> close_idle();

  /// Notes whether another server has the campaign, and then closes it.
  void move(const std::string& campaign, bool away);

  /// Opens the campaigns from this one on, one after the other.
  void visit(std::vector<std::string> campaigns, std::size_t next);
  void keep_time();
  void expire_leases();

  HubOptions options_;
  std::unique_ptr<ServerStore> store_;  // before what is in it, so that it is unlocked last
  std::unique_ptr<Vault> vault_;
  std::unique_ptr<WebhookStore> webhooks_;
  std::unique_ptr<ModelRunStore> model_runs_;
  std::unique_ptr<AccuracyStore> accuracy_;

  mutable std::mutex mutex_;
  std::condition_variable ticked_;
  std::map<std::string, std::unique_ptr<Mailbox>> boxes_;
  Watchers watchers_;
  std::uint64_t uses_ = 0, batches_ = 0, commands_ = 0, commits_ = 0, refits_ = 0;
  double commit_seconds_ = 0;
  std::atomic<std::uint64_t> expired_ = 0;
  std::atomic<bool> stopping_ = false;
  std::atomic<std::size_t> unopened_{0};
  std::unique_ptr<TaskPool> pool_;
  std::thread timer_;
  ClusterListener listener_;
  std::unique_ptr<Cluster> cluster_;
};

}  // namespace allot::serve
