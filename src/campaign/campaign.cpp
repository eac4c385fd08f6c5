#include "allot/campaign/campaign.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>

#include "allot/base/text.hpp"
#include "base/errors.hpp"
#include "campaign/decisions.hpp"

namespace allot::campaign {
namespace {

/// Records since the last snapshot that make another one worth its time; a tenth of all records if
/// that is more.
constexpr std::uint64_t kSnapshotEvery = 50'000;

/// Times that a round is decided before the engine gives up because others are always faster.
constexpr int kMostDecisions = 5;

std::string text_or_none(std::optional<std::string> text) { return std::move(text).value_or(""); }

}  // namespace

/// A campaign as all its callers share it: the one place that catches up with the ledger, decides
/// and commits.
///
/// Group commit: a commit costs one write to the disk however many events it has, so requests that
/// wait are decided together. The thread that finds no other at work takes all waiting requests,
/// decides them in order within one turn of the store, commits, and wakes their threads. Requests
/// that arrive meanwhile wait for the next round. The server hands over a whole mailbox at once
/// (serve/hub.hpp); those requests go through the same queue.
///
/// The campaign in memory (`core_`) runs ahead of the disk while requests are decided. If the
/// commit fails, or a request throws, the core is dropped and the next use folds it again from the
/// ledger, so memory never shows an event that is not on disk. If another process was faster, the
/// round is decided again on what that process appended.
class Engine final : public Source {
 public:
  Engine(store::Store& store, std::string name) : store_(store), name_(std::move(name)) {}

  /// Refuses a campaign that does not exist.
  Result<void> open() {
    const std::scoped_lock lock(core_mutex_);
    TRY(catch_up(*this));
    if (core_->state().sequence() > 0) return {};
    return fail(ErrorCode::not_found, "there is no campaign {}", in_quotes(name_));
  }

  const std::string& name() const { return name_; }
  std::uint64_t refits() const { return refits_; }

  Result<void> command(Time now, bool chooses, const std::function<void(Work&)>& decide) override {
    Request request{[&](Source& round) { static_cast<void>(round.command(now, chooses, decide)); },
                    chooses};
    run({&request, 1});
    return std::move(request.result);
  }

  Result<void> look(const std::function<void(Core&)>& look) override {
    const std::scoped_lock lock(core_mutex_);
    return or_dropped([&]() -> Result<void> {
      TRY(catch_up(*this));
      look(*core_);
      refits_ = core_->refits();
      save_if_due();
      return {};
    });
  }

  Result<std::vector<store::Record>> read(std::uint64_t after, std::size_t most) override {
    return store_.read(name_, after, most);
  }
  Result<std::optional<store::Record>> find(std::string_view key) override {
    return store_.find(name_, key);
  }
  Result<std::string> content(ItemId item) override {
    return store_.content(name_, position(item)).map(text_or_none);
  }
  Result<std::vector<store::Content>> contents(std::uint32_t from, std::size_t most) {
    return store_.contents(name_, from, most);
  }

  std::vector<Result<void>> commit(std::span<const BatchRequest> requests,
                                   std::span<const std::string> keys) {
    std::vector<Request> mine;
    mine.reserve(requests.size());
    for (const BatchRequest& request : requests) {
      mine.push_back({[&request](Source& round) {
                        Batch batch(round);
                        request(batch);
                      },
                      true});
    }
    if (!mine.empty()) mine.front().keys = keys;
    run(mine);
    std::vector<Result<void>> results;
    for (Request& request : mine) results.push_back(std::move(request.result));
    return results;
  }

  void fit_ahead(bool ahead) {
    const std::scoped_lock lock(core_mutex_);
    ahead_ = ahead;
    if (core_) core_->fit_ahead(ahead);
  }

  Result<void> save_snapshot() {
    const std::scoped_lock lock(core_mutex_);
    return or_dropped([&]() -> Result<void> {
      TRY(catch_up(*this));
      return save();
    });
  }

 private:
  /// use(), which may throw: the core may then have changed halfway, and is dropped.
  template <typename Use>
  Result<void> or_dropped(Use use) {
    try {
      return use();
    } catch (...) {
      core_.reset();
      throw;
    }
  }

  /// A request on its way through the queue.
  struct Request {
    std::function<void(Source& round)> decide;
    bool chooses;                            // whether it needs beliefs
    std::span<const std::string> keys = {};  // that it and those after it look for
    Result<void> result = {};
    bool done = false;
  };

  /// A round of requests while it is decided: commands only add to what waits for the commit.
  class Round final : public Source {
   public:
    Round(Core& core, store::Turn& turn, const std::string& name)
        : core_(core), turn_(turn), name_(name), pending_{.first = core.state().sequence() + 1} {}

    Result<void> command(Time now, bool, const std::function<void(Work&)>& decide) override {
      Work work(core_, *this, name_, now, pending_);
      work.follow_clock();
      decide(work);
      return {};
    }
    Result<void> look(const std::function<void(Core&)>& look) override {
      look(core_);
      return {};
    }
    Result<std::vector<store::Record>> read(std::uint64_t after, std::size_t most) override {
      return turn_.read(after, most);
    }
    Result<std::optional<store::Record>> find(std::string_view key) override {
      if (auto waiting = pending_.find(key)) return waiting;
      return turn_.find(key);
    }
    Result<std::string> content(ItemId item) override {
      const auto& waiting = pending_.contents;
      const auto here = std::ranges::find(waiting, position(item), &store::Content::item);
      if (here != waiting.end()) return here->fields;
      return turn_.content(position(item)).map(text_or_none);
    }

    bool changes_nothing() const { return pending_.records.empty(); }
    Result<void> write() {
      TRY(turn_.append(pending_.records));
      TRY(turn_.add(pending_.contents));
      return turn_.commit();
    }

   private:
    Core& core_;
    store::Turn& turn_;
    const std::string& name_;
    PendingCommit pending_;
  };

  /// Returns when all of these are done; they are never split between two commits.
  void run(std::span<Request> mine) {
    if (mine.empty()) return;
    std::unique_lock lock(queue_mutex_);
    for (Request& request : mine) queue_.push_back(&request);
    finished_.wait(lock, [&] { return mine.back().done || !working_; });
    if (mine.back().done) return;  // another thread took them into its round
    working_ = true;
    std::vector<Request*> round;
    round.swap(queue_);
    lock.unlock();
    process(round);
    lock.lock();
    for (Request* request : round) request->done = true;
    working_ = false;
    finished_.notify_all();
  }

  void process(std::span<Request* const> requests) {
    const std::scoped_lock lock(core_mutex_);
    if (attempt(requests) || requests.size() == 1) return;
    // A request threw, and all of the round was undone with it. Each gets a commit of its own, so
    // that only the one at fault fails.
    for (Request* const& request : requests) attempt({&request, 1});
  }

  /// Sets the results of the requests. False if one threw; nothing of them happened then.
  bool attempt(std::span<Request* const> requests) {
    const auto set = [&](const Result<void>& result) {
      for (Request* request : requests) request->result = result;
    };
    try {
      auto decided = decide(requests);
      for (int n = 1; n < kMostDecisions && was_overtaken(decided); ++n) decided = decide(requests);
      // Nothing was recorded, and nothing contradicts the request: it may be repeated as it is.
      if (was_overtaken(decided)) decided.error().code = ErrorCode::store_failure;
      set(decided);
      return true;
    } catch (const std::exception& exception) {
      // Stores refuse by values, so this is a fault of allot and not of the disk.
      core_.reset();
      set(fail(ErrorCode::internal, exception.what()));
      return false;
    }
  }

  /// The only conflict of a commit: each decision has looked for its keys in the same turn.
  static bool was_overtaken(const Result<void>& decided) {
    return !decided && decided.error().code == ErrorCode::conflict;
  }

  Result<void> decide(std::span<Request* const> requests) {
    const bool chooses = std::ranges::any_of(requests, &Request::chooses);
    if (chooses || (core_ && core_->state().options().stop.any())) {
      // Refits and searches can take long. They are done before the turn begins, so that other
      // processes can append meanwhile; what those appended is then cheap to take in. A process
      // that is alone need not look for it twice.
      if (!core_ || has_company_) TRY(catch_up(*this));
      if (core_->state().sequence() > 0) chooses ? core_->prepare() : core_->look();
    }
    // The turn ends in a conflict if anybody else appends before its commit, so decisions rest on
    // the end of the ledger.
    auto turn = TRY(store_.begin(name_));
    for (const Request* request : requests) TRY(turn->look_for(request->keys));
    const std::uint64_t known = core_ ? core_->state().sequence() : 0;
    TRY(catch_up(*turn));
    TRY(check_end(*turn));
    has_company_ = core_->state().sequence() > known;
    Round round(*core_, *turn, name_);
    for (Request* request : requests) request->decide(round);
    refits_ = core_->refits();
    if (round.changes_nothing()) return {};
    const auto written = round.write();
    turn.reset();
    if (!written) {
      core_.reset();  // it is ahead of the ledger: go back to what did happen
      return written;
    }
    save_if_due();
    return {};
  }

  /// A snapshot only saves time, so nothing is computed for it, and a failure is ignored.
  void save_if_due() {
    const std::uint64_t last = core_->state().sequence();
    if (last - snapshot_ < std::max(kSnapshotEvery, last / 10) || core_->is_behind()) return;
    snapshot_ = last;  // not again soon, even if it fails
    static_cast<void>(save());
  }

  Result<void> save() {
    return store_.save(name_, core_->snapshot()).map([&] {
      snapshot_ = core_->state().sequence();
    });
  }

  /// Takes in what was appended since the last look, by this process or another. `ledger` is the
  /// engine or its turn.
  template <typename Ledger>
  Result<void> catch_up(Ledger& ledger) {
    if (!core_) TRY(load());
    const auto follow = [&]() -> Result<void> {
      while (true) {
        const auto records = TRY(ledger.read(core_->state().sequence(), kRecordsAtOnce));
        for (const store::Record& record : records) TRY(core_->apply(record));
        if (records.size() < kRecordsAtOnce) return {};
      }
    };
    return follow().map_error([&](Error error) {
      core_.reset();  // half of a record may have been taken in
      return error;
    });
  }

  /// Refuses a ledger that ends before what was read of it: another process deleted the campaign.
  Result<void> check_end(store::Turn& turn) {
    const std::uint64_t known = core_->state().sequence(), last = TRY(turn.last());
    if (last >= known) return {};
    core_.reset();
    return fail(ErrorCode::not_found,
                "campaign {} ends at record {}, but record {} was read before; was it deleted?",
                in_quotes(name_), last, known);
  }

  /// Starts from the snapshot, if there is a good one.
  Result<void> load() {
    snapshot_ = 0;
    auto snapshot = TRY(store_.snapshot(name_));
    core_ = fresh_core();
    if (!snapshot) return {};
    const std::uint64_t sequence = snapshot->sequence;
    if (core_->load(*std::move(snapshot))) {
      snapshot_ = sequence;
    } else {
      core_ = fresh_core();  // damaged or of another version: the ledger says the same
    }
    return {};
  }

  std::unique_ptr<Core> fresh_core() const {
    auto core = std::make_unique<Core>();
    core->fit_ahead(ahead_);
    return core;
  }

  store::Store& store_;
  const std::string name_;

  std::mutex queue_mutex_;
  std::condition_variable finished_;
  std::vector<Request*> queue_;
  bool working_ = false;

  std::mutex core_mutex_;
  std::unique_ptr<Core> core_;  // none if it must be read again
  bool has_company_ = true;     // whether the last turn found records of others
  bool ahead_ = false;
  std::uint64_t snapshot_ = 0;  // the last event of the newest known snapshot
  std::atomic<std::uint64_t> refits_ = 0;
};

Campaign::Campaign(std::unique_ptr<Engine> engine)
    : Commands(*engine), engine_(std::move(engine)) {}
Campaign::~Campaign() = default;

Result<std::unique_ptr<Campaign>> Campaign::create(store::Store& store, std::string name,
                                                   const Options& options, Time now,
                                                   const Setup& setup) {
  if (name.empty()) return fail(ErrorCode::invalid_argument, "a campaign needs a name");
  TRY(check(options));
  auto engine = std::make_unique<Engine>(store, std::move(name));
  TRY(run_command(*engine, now, [&](Work& work) {
    // Refused half way, nothing is kept; the engine is then dropped.
    return begin(work, options, setup).map_error([&](Error error) {
      work.discard();
      return error;
    });
  }));
  return std::unique_ptr<Campaign>(new Campaign(std::move(engine)));
}

Result<std::unique_ptr<Campaign>> Campaign::open(store::Store& store, std::string name) {
  auto engine = std::make_unique<Engine>(store, std::move(name));
  TRY(engine->open());
  return std::unique_ptr<Campaign>(new Campaign(std::move(engine)));
}

const std::string& Campaign::name() const { return engine_->name(); }
std::uint64_t Campaign::refits() const { return engine_->refits(); }
void Campaign::fit_ahead(bool ahead) { engine_->fit_ahead(ahead); }
Result<void> Campaign::save_snapshot() { return engine_->save_snapshot(); }

Result<void> Campaign::commit(const BatchRequest& request) {
  return engine_->commit({&request, 1}, {}).front();
}

std::vector<Result<void>> Campaign::commit(std::span<const BatchRequest> requests,
                                           std::span<const std::string> keys) {
  return engine_->commit(requests, keys);
}

Result<Verification> Campaign::verify() {
  const auto contents = [&](std::uint32_t from, std::size_t most) {
    return engine_->contents(from, most);
  };
  return run_look(*engine_, [&](Core& core, const State&) {
    return campaign::verify(*engine_, contents, core);
  });
}

}  // namespace allot::campaign
