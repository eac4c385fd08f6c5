#include "store/postgres_pool.hpp"

#include <fmt/format.h>

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
  auto made = connect();
  if (made) return Loan(*this, *std::move(made));
  give_back(nullptr);
  return tl::unexpected(std::move(made).error());
}

PostgresResult<std::unique_ptr<PostgresConnection>> PostgresPool::connect() {
  std::string trouble;
  for (const PostgresHost& host : hosts_of(location_)) {
    auto made = PostgresConnection::open(location_, options_.mode, host);
    auto failure = made ? check(**made) : std::optional(std::move(made).error());
    if (!failure) return made;
    if (!failure->is_passing()) return tl::unexpected(*std::move(failure));
    trouble += (trouble.empty() ? "" : "; ") + failure->message;
  }
  return tl::unexpected(PostgresFailure{PostgresFailure::Kind::unreachable, std::move(trouble)});
}

std::optional<PostgresFailure> PostgresPool::check(PostgresConnection& connection) const {
  using Kind = PostgresFailure::Kind;
  using Verdict = PostgresWitness::Verdict;
  constexpr std::chrono::seconds kCheckTime{3};
  const auto rows = connection.run(
      std::chrono::steady_clock::now() + kCheckTime,
      "SELECT (SELECT system_identifier::text FROM pg_control_system()),"
      " CASE WHEN pg_is_in_recovery() THEN 0 ELSE"
      " ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::bigint END");
  if (!rows && rows.error().kind == Kind::refused) return std::nullopt;  // no right to ask
  if (!rows) return PostgresFailure{Kind::unreachable, rows.error().message};
  const PostgresWitness::Server server{rows->text(0, 0), rows->number(0, 1)};
  const Verdict verdict = witness_->see(server);
  if (verdict == Verdict::other_cluster) {
    return PostgresFailure{
        Kind::refused,
        fmt::format("the database now belongs to another PostgreSQL cluster (system {}); expected "
                    "the one that was there before (system {})",
                    server.system, witness_->seen().system)};
  }
  if (verdict == Verdict::old_primary) {
    return PostgresFailure{
        Kind::unreachable,
        fmt::format("the server is an old primary (timeline {}); expected the promoted one "
                    "(timeline {})",
                    server.timeline, witness_->seen().timeline)};
  }
  return std::nullopt;
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
