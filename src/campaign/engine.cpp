#include "campaign/engine.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "allot/base/text.hpp"
#include "base/try.hpp"

namespace allot::campaign {
namespace {

/// Records since the last snapshot that make another one worth its time; a tenth of all records if
/// that is more.
constexpr std::uint64_t kSnapshotEvery = 50'000;

}  // namespace

/// A round of requests while it is decided: commands only add to what waits for the commit.
class Engine::Deciding final : public Source {
 public:
  Deciding(Engine& engine, PendingCommit& pending) : engine_(engine), pending_(pending) {}

  const std::string& name() const override { return engine_.name_; }
  store::Store& store() override { return engine_.store_; }
  Result<void> command(Time now, bool, const std::function<void(Work&)>& decide) override {
    Work work(*engine_.core_, engine_.store_, engine_.name_, now, pending_);
    decide(work);
    return {};
  }
  Result<void> look(const std::function<void(Core&)>& look) override {
    look(*engine_.core_);
    return {};
  }
  Result<std::optional<store::Record>> find(std::string_view key) override {
    if (auto waiting = pending_.find(key)) return waiting;
    return engine_.store_.find(engine_.name_, key);
  }
  Result<std::string> content(ItemId item) override {
    const auto waiting =
        std::ranges::find(pending_.contents, position(item), &store::Content::item);
    if (waiting != pending_.contents.end()) return waiting->fields;
    return engine_.content(item);
  }

 private:
  Engine& engine_;
  PendingCommit& pending_;
};

Result<void> Engine::open() {
  const std::scoped_lock lock(core_mutex_);
  TRY(reload());
  if (core_->state().sequence() > 0) return {};
  return fail(ErrorCode::not_found, fmt::format("there is no campaign {}", in_quotes(name_)));
}

Result<void> Engine::command(Time now, bool chooses, const std::function<void(Work&)>& decide) {
  Request request{[&](Deciding& round) { static_cast<void>(round.command(now, chooses, decide)); },
                  chooses};
  run({&request, 1});
  return std::move(request.result);
}

std::vector<Result<void>> Engine::commit(std::span<const BatchRequest> requests) {
  std::vector<Request> mine;
  mine.reserve(requests.size());
  for (const BatchRequest& request : requests) {
    mine.push_back({[&request](Deciding& round) {
                      Batch batch(round);
                      request(batch);
                    },
                    true});
  }
  run(mine);
  std::vector<Result<void>> results;
  results.reserve(mine.size());
  for (Request& request : mine) results.push_back(std::move(request.result));
  return results;
}

Result<void> Engine::look(const std::function<void(Core&)>& look) {
  const std::scoped_lock lock(core_mutex_);
  TRY(catch_up());
  look(*core_);
  save_if_due();
  return {};
}

Result<std::optional<store::Record>> Engine::find(std::string_view key) {
  return store_.find(name_, key);
}

Result<std::string> Engine::content(ItemId item) {
  return store_.content(name_, position(item)).map([](std::optional<std::string> fields) {
    return std::move(fields).value_or("");
  });
}

void Engine::fit_ahead(bool ahead) {
  const std::scoped_lock lock(core_mutex_);
  ahead_ = ahead;
  if (core_) core_->fit_ahead(ahead);
}

Result<void> Engine::save_snapshot() {
  const std::scoped_lock lock(core_mutex_);
  TRY(catch_up());
  return save(*core_);
}

void Engine::run(std::span<Request> mine) {
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

void Engine::process(std::span<Request* const> requests) {
  const std::scoped_lock lock(core_mutex_);
  if (attempt(requests) || requests.size() == 1) return;
  // A request threw, and all of the round was undone with it. Each gets a commit of its own, so
  // that only the one at fault fails.
  for (Request* const& request : requests) attempt({&request, 1});
}

/// Sets the results of the requests. False if one threw; nothing of them happened then.
bool Engine::attempt(std::span<Request* const> requests) {
  const auto set = [&](const Result<void>& result) {
    for (Request* request : requests) request->result = result;
  };
  try {
    set(decide(requests));
    return true;
  } catch (const std::exception& exception) {
    // Stores refuse by values, so this is a fault of allot and not of the disk.
    core_.reset();
    set(fail(ErrorCode::internal, exception.what()));
    return false;
  }
}

Result<void> Engine::decide(std::span<Request* const> requests) {
  const bool chooses = std::ranges::any_of(requests, &Request::chooses);
  if (chooses || (core_ && core_->state().options().stop.any())) {
    // Refits and searches can take long. They are done before the turn begins, so that other
    // processes can append meanwhile; what those appended is then cheap to take in.
    TRY(catch_up());
    if (core_->state().sequence() > 0) chooses ? core_->prepare() : core_->look();
  }
  // From here to the commit nobody else can append, so decisions rest on the end of the ledger.
  auto turn = TRY(store_.begin(name_));
  TRY(catch_up());
  PendingCommit pending{.first = core_->state().sequence() + 1};
  Deciding round(*this, pending);
  for (Request* request : requests) request->decide(round);
  refits_ = core_->refits();
  if (pending.records.empty()) return {};
  const auto written = write(*turn, pending);
  turn.reset();
  if (!written) {
    core_.reset();  // it is ahead of the ledger: go back to what did happen
    return written;
  }
  save_if_due();
  return {};
}

Result<void> Engine::write(store::Turn& turn, const PendingCommit& pending) {
  TRY(turn.append(pending.records));
  TRY(turn.add(pending.contents));
  return turn.commit();
}

/// A snapshot only saves time, so nothing is computed for it, and a failure is ignored.
void Engine::save_if_due() {
  const std::uint64_t last = core_->state().sequence();
  if (last - snapshot_ < std::max(kSnapshotEvery, last / 10) || core_->is_behind()) return;
  snapshot_ = last;  // not again soon, even if it fails
  static_cast<void>(save(*core_));
}

Result<void> Engine::save(Core& core) {
  return store_.save(name_, core.snapshot()).map([&] { snapshot_ = core.state().sequence(); });
}

/// Takes in what was appended since the last look, by this process or another.
Result<void> Engine::catch_up() { return core_ ? follow_ledger() : reload(); }

/// Reads the campaign again: the snapshot, if there is a good one, and the records after it.
Result<void> Engine::reload() {
  core_ = fresh_core();
  snapshot_ = 0;
  auto snapshot = TRY(store_.snapshot(name_));
  if (snapshot) {
    const std::uint64_t sequence = snapshot->sequence;
    if (core_->load(std::move(*snapshot))) {
      snapshot_ = sequence;
    } else {
      core_ = fresh_core();  // damaged or of another version: the ledger says the same
    }
    snapshot.reset();
  }
  return follow_ledger();
}

Result<void> Engine::follow_ledger() {
  const auto follow = [&]() -> Result<void> {
    while (true) {
      const auto records = TRY(store_.read(name_, core_->state().sequence(), kRecordsAtOnce));
      for (const store::Record& record : records) TRY(core_->apply(record));
      if (records.size() < kRecordsAtOnce) return {};
    }
  };
  return follow().map_error([&](Error error) {
    core_.reset();  // half of a record may have been taken in
    return error;
  });
}

std::unique_ptr<Core> Engine::fresh_core() const {
  auto core = std::make_unique<Core>();
  core->fit_ahead(ahead_);
  return core;
}

}  // namespace allot::campaign
