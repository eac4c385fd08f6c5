// A campaign as all its callers share it: requests that wait are decided and committed together, by
// whoever finds nobody at work.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "allot/campaign/campaign.hpp"
#include "base/try.hpp"
#include "campaign/work.hpp"

namespace allot::campaign {

inline constexpr std::size_t kRecordsAtOnce = 10'000;
/// Records since the last snapshot before another is worth its while; a tenth of all if that is
/// more.
inline constexpr std::uint64_t kSnapshotEvery = 50'000;

inline Result<void> follow(Core& core, store::Store& store, const std::string& name) {
  while (true) {
    const auto records = TRY(store.read(name, core.state().sequence(), kRecordsAtOnce));
    for (const store::Record& record : records) {
      TRY(core.apply(record));
    }
    if (records.size() < kRecordsAtOnce) return {};
  }
}

class Campaign::Impl {
 public:
  Impl(store::Store& store, std::string name) : store_(store), name_(std::move(name)) {}

  const std::string& name() const { return name_; }

  Result<void> open() {
    const std::scoped_lock lock(state_);
    return reload().and_then([&]() -> Result<void> {
      if (core_->state().sequence() > 0) return {};
      return fail(ErrorCode::not_found, fmt::format("there is no campaign {}", in_quotes(name_)));
    });
  }

  /// decide(work) appends events by work.emit; its result is returned once they are on disk. Of
  /// several results there are `count`.
  template <typename Decide>
  auto command(Time now, Decide decide, std::size_t count = 1, bool chooses = false)
      -> std::invoke_result_t<Decide, Work&> {
    using Reply = std::invoke_result_t<Decide, Work&>;
    if (is_together()) {
      Work work(*core_, store_, name_, now, *together_);
      return decide(work);
    }
    std::optional<Reply> result;
    Request request{now, [&](Work& work) { result.emplace(decide(work)); }, chooses};
    run(request);
    return request.trouble ? refused<Reply>(*request.trouble, count) : std::move(*result);
  }

  Result<void> together(const std::function<void()>& commands) {
    if (is_together()) return fail(ErrorCode::invalid_argument, "commands are together already");
    const std::scoped_lock lock(state_);
    try {
      return decide(true, [&](Batch& batch) {
        together_ = &batch;
        together_by_ = std::this_thread::get_id();
        const Over over(*this);
        commands();
      });
    } catch (const std::exception& broken) {
      core_.reset();
      return fail(ErrorCode::store_failure, broken.what());
    }
  }

  void fit_ahead(bool ahead) {
    const std::scoped_lock lock(state_);
    ahead_ = ahead;
    if (core_) core_->fit_ahead(ahead);
  }

  /// look(core) once all that others appended was taken in.
  template <typename Look>
  auto look(Look what) -> std::invoke_result_t<Look, Core&> {
    if (is_together()) return what(*core_);
    const std::scoped_lock lock(state_);
    TRY(catch_up());
    auto seen = what(*core_);
    if (core_) save_if_due();
    return seen;
  }

  Result<void> save_snapshot() {
    return look([&](Core& core) -> Result<void> { return save(core); });
  }

  std::uint64_t refits() const { return refits_; }
  store::Store& store() { return store_; }
  /// What is to be shown of an item.
  Result<std::string> content(ItemId item) {
    if (is_together()) {
      const auto fresh =
          std::ranges::find(together_->contents, position(item), &store::Content::item);
      if (fresh != together_->contents.end()) return fresh->fields;
    }
    return store_.content(name_, position(item)).map([](auto fields) {
      return std::move(fields).value_or("");
    });
  }

 private:
  /// Ends the commands that one thread gives together.
  class Over {
   public:
    explicit Over(Impl& impl) : impl_(impl) {}
    ~Over() {
      impl_.together_by_ = std::thread::id();
      impl_.together_ = nullptr;
    }
    Over(const Over&) = delete;

   private:
    Impl& impl_;
  };

  bool is_together() const { return together_by_ == std::this_thread::get_id(); }

  struct Request {
    Time now;
    std::function<void(Work&)> decide;
    bool chooses;  // whether it needs beliefs
    std::optional<Error> trouble = {};
    bool done = false;
  };

  template <typename Reply>
  static Reply refused(const Error& error, std::size_t count) {
    if constexpr (requires { typename Reply::error_type; }) {
      return tl::unexpected(error);
    } else {
      return Reply(count, tl::unexpected(error));
    }
  }

  /// Whoever finds no one at work does the work of all who wait; the others wait.
  void run(Request& mine) {
    std::unique_lock lock(waiting_);
    requests_.push_back(&mine);
    arrived_.wait(lock, [&] { return mine.done || !working_; });
    if (mine.done) return;
    working_ = true;
    std::vector<Request*> batch;
    batch.swap(requests_);
    lock.unlock();
    try {
      process(batch);
    } catch (const std::exception& broken) {
      // Nobody may be left waiting, and what was half done did not happen.
      const std::scoped_lock state(state_);
      core_.reset();
      fail_all(batch, {ErrorCode::store_failure, broken.what()});
    }
    lock.lock();
    for (Request* one : batch) one->done = true;
    working_ = false;
    arrived_.notify_all();
  }

  static void fail_all(const std::vector<Request*>& batch, const Error& error) {
    for (Request* one : batch) one->trouble = error;
  }

  void process(const std::vector<Request*>& requests) {
    const std::scoped_lock lock(state_);
    const auto kept = decide(std::ranges::any_of(requests, &Request::chooses), [&](Batch& batch) {
      for (Request* one : requests) {
        Work work(*core_, store_, name_, one->now, batch);
        one->decide(work);
      }
    });
    if (!kept) fail_all(requests, kept.error());
  }

  /// body(batch) with all that was appended taken in and nobody else appending; then what it
  /// drafted is put on disk. If that fails nothing of it happened.
  template <typename Body>
  Result<void> decide(bool chooses, Body body) {
    if (chooses || (core_ && core_->state().options().stop.any())) {
      // What takes long is done while others may still append.
      TRY(catch_up());
      if (core_->state().sequence() > 0) chooses ? core_->prepare() : core_->look();
    }
    auto turn = TRY(store_.begin(name_));
    TRY(catch_up());
    Batch batch{core_->state().sequence() + 1};
    body(batch);
    refits_ = core_->refits();
    if (batch.drafts.empty()) return {};
    const auto kept = (turn)
                          ->append(batch.drafts)
                          .and_then([&] { return turn->add(batch.contents); })
                          .and_then([&] { return turn->commit(); });
    turn.reset();
    if (!kept) {
      core_.reset();  // back to what did happen
      return kept;
    }
    save_if_due();
    return {};
  }

  /// It saves time and nothing else, so nothing is worked out for it, and a campaign goes on
  /// without.
  void save_if_due() {
    const std::uint64_t last = core_->state().sequence();
    if (last - snapshot_ < std::max(kSnapshotEvery, last / 10) || core_->is_behind()) return;
    snapshot_ = last;  // not again soon, even if it fails
    static_cast<void>(save(*core_));
  }

  Result<void> catch_up() {
    if (!core_) return reload();
    return follow(*core_, store_, name_).map_error([&](Error error) {
      core_.reset();
      return error;
    });
  }

  std::unique_ptr<Core> fresh_core() const {
    auto core = std::make_unique<Core>();
    core->fit_ahead(ahead_);
    return core;
  }

  Result<void> reload() {
    core_ = fresh_core();
    auto snapshot = TRY(store_.snapshot(name_));
    snapshot_ = 0;
    if (snapshot) {
      const std::uint64_t sequence = snapshot->sequence;
      if (core_->load(std::move(*snapshot))) {
        snapshot_ = sequence;
      } else {
        core_ = fresh_core();
      }
      snapshot.reset();
    }
    return follow(*core_, store_, name_).map_error([&](Error error) {
      core_.reset();
      return error;
    });
  }

  Result<void> save(Core& core) {
    return store_.save(name_, core.snapshot()).map([&] { snapshot_ = core.state().sequence(); });
  }

  store::Store& store_;
  const std::string name_;

  std::mutex waiting_;
  std::condition_variable arrived_;
  std::vector<Request*> requests_;
  bool working_ = false;

  std::mutex state_;
  Batch* together_ = nullptr;  // that one thread fills, and which thread
  std::atomic<std::thread::id> together_by_ = {};
  std::unique_ptr<Core> core_;  // none if it must be read again
  bool ahead_ = false;
  std::atomic<std::uint64_t> refits_ = 0;
  std::uint64_t snapshot_ = 0;  // the last one that is known of
};

}  // namespace allot::campaign
