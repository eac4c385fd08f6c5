// The conditional append: the one statement that makes records part of a ledger.
//
//   UPDATE campaign SET last = last + n WHERE id = ... AND last = expected AND epoch = mine
// and the records in the same statement, if that changed a row. If it changed none, others were
// faster and nothing happened. The row of the campaign is locked for as long as the statement runs,
// so of two appends after the same record one comes second and changes nothing.
//
// An append without an answer may have run, may run still or never arrive. `find_out` then takes a
// new epoch: that update waits for a statement that still runs, and one that arrives later no
// longer matches. So afterwards the answer is final: the first record after `last` has the number
// of the batch, or it does not. The update also waits for the standby, which then has the batch
// too.
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "store/postgres_reader.hpp"

namespace allot::store {

/// Records and contents of one statement, and the ledger that they follow.
struct PostgresBatch {
  std::int64_t campaign = 0;
  std::uint64_t last = 0;
  std::int64_t epoch = 0;
  std::vector<Draft> drafts = {};
  std::vector<Content> contents = {};
};

/// Columns are parameters: $1 campaign, $2 last, $3 epoch, $4 number of records, $5 number of the
/// batch, then arrays of times, kinds, keys, payloads, checksums, items and fields. One row if it
/// appended, else none.
extern const char* const kConditionalAppend;

/// How a store appends. Tests change it to show what the conditions and warnings prevent.
struct AppendRules {
  const char* statement = kConditionalAppend;
  /// Whether a commit with a warning is in doubt.
  bool heeds_warnings = true;
};
Result<std::unique_ptr<Store>> open_postgres_with(const std::string& location,
                                                  const PostgresOptions& options,
                                                  const AppendRules& rules);

/// The row of the campaign, which is added if it is missing. Nobody sees a campaign without
/// records.
Result<PostgresHead> enter(PostgresPool& pool, std::string_view campaign);

/// The appends of one turn: one statement, or a transaction of several if they are large.
class PostgresAppend {
 public:
  PostgresAppend(PostgresPool& pool, std::string campaign, const PostgresHead& head,
                 const AppendRules& rules = {})
      : pool_(pool),
        name_(std::move(campaign)),
        rules_(rules),
        head_(head),
        batch_{head.id, head.last, head.epoch} {}

  /// Notes records, or refuses a key that this turn has used.
  Result<void> add(std::span<const Draft> drafts);
  /// Notes contents, or refuses an item that has one in this turn.
  Result<void> add(std::span<const Content> contents);
  /// Appends everything or nothing, and returns when the fate of it is known or the timeout is
  /// over.
  Result<void> commit();

 private:
  enum class Fate { appended, absent, overtaken };
  /// An append on its way: appended, overtaken (false) or in doubt.
  struct Sent {
    std::optional<bool> appended;
    std::string doubt;
  };

  Result<void> enter_campaign();
  Result<void> commit_at_once();
  /// Sends what waits inside a transaction that `commit_transaction` ends.
  Result<void> send_ahead();
  Result<void> send_in_transaction();
  Result<void> commit_transaction();
  /// True if the statement appended, false if others were faster.
  PostgresResult<bool> run(PostgresConnection& connection, Deadline deadline);
  PostgresResult<Sent> send(PostgresConnection& connection, Deadline deadline);
  /// The fate of an append in doubt, or an outcome_unknown with the reason of the doubt.
  Result<Fate> find_out(const std::string& reason);
  PostgresResult<Fate> look_for_batch(PostgresConnection& connection, Deadline deadline);
  Result<void> result_of(Fate fate, const std::string& reason) const;
  tl::unexpected<Error> refusal(const PostgresFailure& failure);
  tl::unexpected<Error> unknown(const std::string& reason) const;

  PostgresPool& pool_;
  const std::string name_;
  const AppendRules rules_;
  PostgresHead head_;      // what the turn rests on
  PostgresBatch batch_;    // what waits
  std::size_t bytes_ = 0;  // of it
  const Uuid number_ = random_uuid();
  std::unordered_set<std::string> keys_;
  std::unordered_set<std::uint32_t> items_;
  std::optional<PostgresPool::Loan> transaction_;
  bool failed_ = false;  // a part of the transaction was refused
};

}  // namespace allot::store
