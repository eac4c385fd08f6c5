// State that the connections of one I/O thread share, and how other threads reach them. Only
// server.cpp, tls.cpp and their private headers see Asio.
#pragma once

#include <algorithm>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <condition_variable>
#include <cstdint>
#include <ctime>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "http/answer.hpp"
#include "http/message.hpp"
#include "http/server.hpp"

namespace allot::http {

namespace asio = boost::asio;

/// Lets other threads into an I/O thread, as long as that exists.
class Gate {
 public:
  explicit Gate(asio::io_context& context) : context_(&context) {}

  /// Runs `work` on the I/O thread: at once if called there, never if the thread has ended.
  template <typename Work>
  void enter(Work work) {
    {
      const std::lock_guard lock(mutex_);
      if (!context_) return;
      if (!context_->get_executor().running_in_this_thread()) {
        asio::post(*context_, std::move(work));
        return;
      }
    }
    work();
  }
  void shut() {
    const std::lock_guard lock(mutex_);
    context_ = nullptr;
  }

 private:
  std::mutex mutex_;
  asio::io_context* context_;
};

/// A connection as its I/O thread sees it.
class Live {
 public:
  virtual ~Live() = default;
  /// Wakes the connection: something that it waits for has happened.
  virtual void notify() = 0;
  /// Closes as soon as there is no request under way.
  virtual void wind_down() = 0;
  /// Ends at once.
  virtual void cut() = 0;
};

/// A place where any thread leaves values that a connection waits for. Values are numbered in
/// order; a value that comes twice, or after the connection has left, is dropped.
template <typename Value>
class Slot : public std::enable_shared_from_this<Slot<Value>> {
 public:
  Slot(std::shared_ptr<Gate> gate, Live& owner) : gate_(std::move(gate)), owner_(&owner) {}

  // Any thread may call:
  void give(std::uint64_t number, Value value) {
    gate_->enter([self = this->shared_from_this(), number, value = std::move(value)]() mutable {
      if (!self->owner_ || number != self->next_) return;
      ++self->next_;
      self->value_ = std::move(value);
      self->owner_->notify();
    });
  }
  void wake() {
    gate_->enter([self = this->shared_from_this()] {
      if (self->owner_) self->owner_->notify();
    });
  }

  // Only the I/O thread may call:
  bool has() const { return value_.has_value(); }
  std::uint64_t next() const { return next_; }
  Value take() {
    Value value = std::move(*value_);
    value_.reset();
    return value;
  }
  void leave() { owner_ = nullptr; }

 private:
  const std::shared_ptr<Gate> gate_;
  Live* owner_;
  std::uint64_t next_ = 0;
  std::optional<Value> value_;
};

/// Uploads at once, of which each caller has at most half, so that others get in. Any number of
/// threads.
class UploadSlots {
 public:
  explicit UploadSlots(std::size_t most)
      : most_(most), share_(std::max<std::size_t>(1, most / 2)) {}

  /// False if there are too many, or too many of this caller.
  bool take(const std::string& caller) {
    const std::lock_guard lock(mutex_);
    if (taken_ == most_) return false;
    std::size_t& own = by_caller_[caller];
    if (own == share_) return false;
    ++own;
    ++taken_;
    return true;
  }
  void give_back(const std::string& caller) {
    const std::lock_guard lock(mutex_);
    const auto own = by_caller_.find(caller);
    if (--own->second == 0) by_caller_.erase(own);
    --taken_;
  }
  std::size_t taken() const {
    const std::lock_guard lock(mutex_);
    return taken_;
  }

 private:
  const std::size_t most_, share_;
  mutable std::mutex mutex_;
  std::size_t taken_ = 0;
  std::unordered_map<std::string, std::size_t> by_caller_;
};

/// State that all I/O threads share.
struct Core {
  Core(ServerOptions given, Service& served);

  const ServerOptions options;
  Service& service;
  /// Bytes of bodies: all, and those of unknown callers.
  std::atomic<std::size_t> body_memory{0}, unknown_memory{0};
  std::atomic<std::size_t> connections{0};
  UploadSlots uploads;

  /// A new request id, unique on this server.
  std::string new_id();
  /// Called when a connection is gone.
  void left() {
    if (--connections > 0) return;
    const std::lock_guard lock(mutex_);
    gone_.notify_all();
  }
  /// Waits until the last connection is gone, at most for `stop_time`.
  void wait_for_the_last() {
    std::unique_lock lock(mutex_);
    gone_.wait_for(lock, options.stop_time, [&] { return connections == 0; });
  }

 private:
  const std::uint64_t first_id_;
  std::atomic<std::uint64_t> ids_{0};
  std::mutex mutex_;
  std::condition_variable gone_;
};

struct Shard {
  explicit Shard(Core& all) : core(all), gate(std::make_shared<Gate>(context)) {}

  /// The current time as the field Date has it.
  const std::string& date() {
    const std::time_t now = std::time(nullptr);
    if (now != second_) date_ = date_text(second_ = now);
    return date_;
  }

  Core& core;
  bool stopping = false;
  std::unordered_set<Live*> live;

 private:
  std::time_t second_ = -1;
  std::string date_;

 public:
  // Last: connections that end with the context remove themselves from `live`.
  asio::io_context context{1};
  const std::shared_ptr<Gate> gate;
};

}  // namespace allot::http
