// The campaigns of a data folder, at work for many requests at once.
//
//   DIR/lock           held while a server runs: a second one refuses to start
//   DIR/server.db      tokens and the list of campaigns (vault.hpp), webhooks (webhook_store.hpp)
//   DIR/campaigns/ID.db  a campaign each, opened when it is first asked for
//
// Each campaign has a mailbox. A thread of the pool takes all that waits in one, decides the
// commands, puts them on disk in one commit, and only then replies. One thread works on a mailbox
// at a time, different campaigns go on side by side, so what takes long in one does not hold up
// another. Nobody who asks ever waits: replies come later, from threads of the pool.
//
// Cost: a request one entry in a queue; memory for at most `most_waiting` requests a campaign and
// for `most_open` campaigns, beyond which the one that rested longest is closed.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "allot/campaign/campaign.hpp"
#include "http/message.hpp"
#include "serve/chronicle.hpp"
#include "serve/course.hpp"
#include "serve/vault.hpp"
#include "serve/webhook_store.hpp"

namespace allot::serve {

struct HubOptions {
  std::string folder = {};
  /// 0 for two a processor, and four at least.
  unsigned threads = 0;
  /// For what waits for clients: uploads at once.
  unsigned threads_apart = 4;
  std::size_t most_waiting = 10'000;
  /// Of what takes long, for all campaigns together.
  std::size_t most_slow = 8;
  std::size_t most_open = 64;
  /// How often leases are looked at that may be over.
  std::chrono::milliseconds expire_every{1000};
  std::function<Time()> clock = {};  // the system's
};

/// A campaign that is open. Used by one thread at a time.
class Room {
 public:
  Room(std::string id, std::unique_ptr<store::Store> store,
       std::unique_ptr<campaign::Campaign> campaign, CourseStore& courses);
  ~Room();

  const std::string& id() const { return id_; }
  campaign::Campaign* operator->() const { return campaign_.get(); }
  campaign::Campaign& operator*() const { return *campaign_; }

  /// look(state) as a value.
  template <typename Look>
  auto seen(Look look) -> Result<std::invoke_result_t<Look, const campaign::State&>> {
    std::optional<std::invoke_result_t<Look, const campaign::State&>> value;
    return campaign_->read([&](const campaign::State& state) { value.emplace(look(state)); })
        .map([&] { return *std::move(value); });
  }
  /// What is to be shown of an item.
  Result<std::string> content(ItemId item);

  /// The answers and workers as of the last event; worked out again only if something happened.
  using Answers = std::shared_ptr<const std::vector<campaign::AnswerRow>>;
  using Workers = std::shared_ptr<const std::vector<campaign::WorkerRow>>;
  Result<Answers> answers();
  Result<Workers> workers();
  using Boards = std::shared_ptr<const campaign::Board>;
  Result<Boards> board();
  Course& course() { return course_; }
  Chronicle& chronicle() { return chronicle_; }
  LabelRate& label_rate() { return label_rate_; }
  /// How often a worker has revised the label of this item, if it is the last they revised, this
  /// time included.
  std::uint32_t count_revision(const std::string& worker, const std::string& item);

 private:
  Result<std::uint64_t> sequence();

  const std::string id_;
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<campaign::Campaign> campaign_;
  std::uint64_t answers_at_ = 0, workers_at_ = 0;
  Answers answers_;
  Workers workers_;
  Boards board_;
  Course course_;
  Chronicle chronicle_;
  LabelRate label_rate_;
  std::map<std::string, std::pair<std::string, std::uint32_t>> revised_;  // by worker
};

class Hub {
 public:
  /// Makes the folder if there is none. Refuses one that another server uses.
  static Result<std::unique_ptr<Hub>> open(HubOptions options);
  /// As stop().
  ~Hub();

  Vault& vault() { return *vault_; }
  WebhookStore& webhooks() { return *webhooks_; }
  Time now() const { return options_.clock(); }
  const std::string& folder() const { return options_.folder; }

  using Job = std::function<http::Response(Room&)>;
  /// Decided with others that wait, and answered when all of them are on disk.
  void command(const std::string& campaign, Job job, http::Reply reply);
  /// The same for what changes nothing, or must see its own changes at once: not part of a shared
  /// commit.
  void look(const std::string& campaign, Job job, http::Reply reply);
  /// Work for a thread of the pool that concerns no campaign. False if the hub has stopped.
  bool work(std::function<void()> task);

  /// The same on one of a few threads of its own, for what waits for a client.
  bool apart(std::function<void()> task);
  /// The same on a thread of its own, one after the other, for what takes long. False also if too
  /// many wait.
  bool slowly(std::function<void()> task);

  /// A new campaign, on disk when it returns. Never to be called by a thread that serves
  /// connections.
  /// `draft` without id and time.
  Result<Entry> create(Entry draft, const campaign::Options& options,
                       const campaign::Beginning& beginning = {}, const Asked& by = {});

  /// wake() once the campaign has an event after that one, after so long, or when the hub stops;
  /// from any thread, even before this returns.
  void wait_for_event(const std::string& campaign, std::uint64_t after,
                      std::chrono::milliseconds patience, std::function<void()> wake);

  /// What open campaigns add up to, each as it was when its mailbox was last emptied.
  struct Sums {
    std::uint64_t items = 0, workers = 0, leases = 0, labels = 0, refits = 0;
    double spent = 0, left = 0;

    static Sums of(const campaign::State& state);
    Sums& operator+=(const Sums& other);
  };
  /// What can be told at once: nothing is opened, and nobody waited for.
  struct Figures {
    std::size_t open = 0, waiting = 0, watchers = 0;
    std::uint64_t batches = 0, commands = 0, expired = 0, commits = 0;
    double commit_seconds = 0;
    /// Of the files of open campaigns.
    std::uint64_t bytes = 0;
    Sums sums = {};
  };
  Figures figures() const;

  bool stopped() const { return stopping_; }
  /// Takes no more, finishes what waits, and closes all campaigns.
  void stop();

 private:
  struct Letter {
    Job job;
    http::Reply reply;
    bool is_command;
  };
  struct Watcher {
    std::uint64_t after;
    std::chrono::steady_clock::time_point until;
    std::function<void()> wake;
  };
  struct Mailbox {
    explicit Mailbox(std::string id) : campaign(std::move(id)) {}
    const std::string campaign;
    std::vector<Letter> letters;
    std::vector<Watcher> watchers;
    bool at_work = false;
    std::uint64_t last = 0;    // the last event that is known of
    Sums sums = {};            // as of that
    std::uint64_t rested = 0;  // the hub's count when it was last used
    std::unique_ptr<Room> room;
  };

  explicit Hub(HubOptions options) : options_(std::move(options)) {}
  Result<void> prepare();
  /// The file of a campaign that was never finished.
  Result<void> take_away(const std::string& campaign);
  void post(const std::string& campaign, Letter letter);
  using Tasks = std::deque<std::function<void()>>;
  void run(Tasks& tasks, std::condition_variable& arrived);
  void wake_all();
  void keep_time();
  /// visit(room) for every campaign that is open, each in its turn.
  void each_open(const std::function<void(Room&)>& visit);
  void serve(Mailbox& box);
  void answer(Mailbox& box, std::vector<Letter>& letters);
  /// In one commit, with replies; false, and nothing happened, if one of them threw.
  bool decide(Mailbox& box, std::span<Letter> commands);
  /// Tells others where the campaign stands.
  void publish(Mailbox& box);
  struct Answered {
    http::Reply reply;
    http::Response response;
  };
  void deliver(std::vector<Answered> answers);
  Result<void> open_room(Mailbox& box);
  std::vector<std::unique_ptr<Room>> resting();
  std::string file_of(const std::string& campaign) const;

  HubOptions options_;
  int lock_ = -1;
  std::unique_ptr<Vault> vault_;
  std::unique_ptr<WebhookStore> webhooks_;
  std::unique_ptr<CourseStore> courses_;

  mutable std::mutex mutex_;
  std::condition_variable arrived_, arrived_apart_, arrived_slow_, ticked_;
  Tasks tasks_, tasks_apart_, tasks_slow_;
  std::map<std::string, std::unique_ptr<Mailbox>> boxes_;
  std::uint64_t uses_ = 0, batches_ = 0, commands_ = 0, commits_ = 0;
  double commit_seconds_ = 0;
  std::atomic<std::uint64_t> expired_ = 0;
  std::size_t busy_ = 0;
  std::atomic<bool> stopping_ = false;
  std::vector<std::thread> threads_;
  std::thread timer_;
};

}  // namespace allot::serve
