#include "store/postgres_pool.hpp"

#include <algorithm>

#include "allot/base/text.hpp"
#include "base/errors.hpp"

namespace allot::store {

PostgresResult<PostgresPool::Loan> PostgresPool::borrow(Deadline deadline) {
  std::unique_lock lock(mutex_);
  const bool free =
      freed_.wait_until(lock, deadline, [&] { return borrowed_ < options_.connections; });
  if (!free) {
    return tl::unexpected(
        PostgresFailure{PostgresFailure::Kind::unreachable, "all connections are in use"});
  }
  ++borrowed_;
  while (!idle_.empty()) {
    auto connection = std::move(idle_.back());
    idle_.pop_back();
    if (connection->is_usable()) return Loan(*this, std::move(connection));
  }
  lock.unlock();
  auto made = PostgresConnection::open(location_, options_.mode);
  if (made) return Loan(*this, *std::move(made));
  give_back(nullptr);
  return tl::unexpected(std::move(made).error());
}

void PostgresPool::give_back(std::unique_ptr<PostgresConnection> connection) {
  {
    const std::scoped_lock lock(mutex_);
    --borrowed_;
    if (connection && connection->is_usable()) idle_.push_back(std::move(connection));
  }
  freed_.notify_one();
}

void PostgresPool::drop_idle() {
  std::vector<std::unique_ptr<PostgresConnection>> ended;
  const std::scoped_lock lock(mutex_);
  ended.swap(idle_);
}

void PostgresPool::Pause::wait() {
  std::this_thread::sleep_for(next_);
  next_ = std::min(2 * next_, std::chrono::milliseconds(1000));
}

tl::unexpected<Error> PostgresPool::refusal(const PostgresFailure& failure) const {
  return fail(ErrorCode::store_failure, "{}: {}", in_quotes(shown_), failure.message);
}

}  // namespace allot::store
