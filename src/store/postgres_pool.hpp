// Connections to one database, which threads borrow for a statement or a transaction.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "allot/store/postgres_store.hpp"
#include "store/postgres_connection.hpp"
#include "store/postgres_witness.hpp"

namespace allot::store {

class PostgresPool {
 public:
  /// A borrowed connection; goes back to the pool, or ends if it cannot be used again.
  class Loan {
   public:
    Loan(PostgresPool& pool, std::unique_ptr<PostgresConnection> connection)
        : pool_(&pool), connection_(std::move(connection)) {}
    Loan(Loan&&) noexcept = default;
    ~Loan() {
      if (connection_) pool_->give_back(std::move(connection_));
    }
    PostgresConnection* operator->() const { return connection_.get(); }
    PostgresConnection& operator*() const { return *connection_; }

   private:
    PostgresPool* pool_;
    std::unique_ptr<PostgresConnection> connection_;
  };

  /// `shown` names the database in messages.
  PostgresPool(std::string location, std::string shown, const PostgresOptions& options)
      : location_(std::move(location)),
        shown_(std::move(shown)),
        options_(options),
        witness_(options.witness ? options.witness : std::make_shared<PostgresWitness>()) {}

  const std::string& shown() const { return shown_; }
  const PostgresOptions& options() const { return options_; }
  PostgresWitness& witness() const { return *witness_; }
  Deadline deadline() const { return std::chrono::steady_clock::now() + options_.timeout; }

  /// Waits for a connection that is free, or makes one.
  PostgresResult<Loan> borrow(Deadline deadline);

  /// run(connection, deadline), repeated on other connections while the failure may pass, until the
  /// deadline. Only for statements that may run more than once.
  template <typename Run>
  auto repeat(Run run) {
    const Deadline end = deadline();
    return repeat_until(end, [&](PostgresConnection& connection) { return run(connection, end); });
  }
  template <typename Run>
  auto repeat_until(Deadline end, Run run) -> decltype(run(std::declval<PostgresConnection&>())) {
    for (Pause pause;; pause.wait()) {
      auto loan = borrow(end);
      auto done = loan ? run(**loan) : tl::unexpected(std::move(loan).error());
      if (done || !done.error().is_passing() || pause.would_pass(end)) return done;
      drop_idle();
    }
  }

  /// The failure as a refusal that names the database.
  tl::unexpected<Error> refusal(const PostgresFailure& failure) const;

 private:
  /// Pauses between attempts: 50 ms, then twice as long each time, up to a second.
  class Pause {
   public:
    bool would_pass(Deadline end) const { return std::chrono::steady_clock::now() + next_ >= end; }
    void wait();

   private:
    std::chrono::milliseconds next_{50};
  };

  /// Connects to the first host that fits and that the witness accepts.
  PostgresResult<std::unique_ptr<PostgresConnection>> connect();
  std::optional<PostgresFailure> check(PostgresConnection& connection) const;
  void give_back(std::unique_ptr<PostgresConnection> connection);
  /// Ends free connections: when one breaks, the others are likely to be broken too.
  void drop_idle();

  const std::string location_, shown_;
  const PostgresOptions options_;
  const std::shared_ptr<PostgresWitness> witness_;
  std::mutex mutex_;
  std::condition_variable freed_;
  std::vector<std::unique_ptr<PostgresConnection>> idle_;
  std::size_t borrowed_ = 0;
};

}  // namespace allot::store
