// What a campaign's events add up to, except beliefs: who has what, who said what, what it cost.
//
//   for every record in order:  state.apply(event, time).
// A fold and nothing else: the same events make the same state, and an event that cannot happen in
// a state (an item leased twice, more spent than there is) is refused, so a ledger that folds is a
// sound one. At every event spent + reserved <= budget.
//
// Cost: O(log leases + labels of its item) per event. Memory: about 100 bytes per item, its id
// included, and 4 to 8 per label.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "allot/base/bytes.hpp"
#include "allot/campaign/event.hpp"
#include "allot/campaign/item_table.hpp"
#include "allot/campaign/lease_table.hpp"
#include "allot/campaign/pair_table.hpp"

namespace allot::io {
class NameTable;
}

namespace allot::campaign {

enum class Phase : std::uint8_t { running, paused, closed };
std::string_view name(Phase phase);

/// The money of a campaign.
struct Account {
  Money budget, spent, reserved;
  Money left() const { return budget - spent - reserved; }
};

struct LabelCounts {
  std::uint64_t all = 0, gold = 0, imported = 0;
  /// Labels by day; days count from 1970-01-01, UTC.
  std::map<std::int64_t, std::uint64_t> by_day = {};
};

struct WorkerFacts {
  std::uint32_t labels = 0;  // of all items
  std::uint32_t leases = 0;  // that have not ended
  std::uint32_t skips = 0;
  std::uint32_t gold = 0, gold_right = 0;  // labels of gold items
  Money spent;
  std::optional<Money> price = {};
  /// The item of the last label and the end of its lease, if the label came in time.
  std::optional<std::pair<ItemId, Time>> last = {};
};

/// Texts numbered in the order in which they came.
class NameList {
 public:
  NameList();
  NameList(NameList&&) noexcept;
  NameList& operator=(NameList&&) noexcept;
  ~NameList();

  std::uint32_t count() const;
  std::optional<std::uint32_t> find(std::string_view name) const;
  const std::string& operator[](std::uint32_t number) const;
  void add(std::string_view name);
  void save(ByteWriter& to) const;
  void load(ByteReader& from);

 private:
  std::unique_ptr<io::NameTable> table_;
};

class State {
 public:
  /// Refuses what cannot happen now, and is then unchanged. Time never goes back: an event is at
  /// least as late as the one before.
  Result<void> apply(const Event& event, Time time);

  const Options& options() const { return options_; }
  /// Events so far.
  std::uint64_t sequence() const { return sequence_; }
  Time time() const { return time_; }
  Time started() const { return started_; }
  Phase phase() const { return phase_; }
  /// Why it was closed, or which stop rule paused it; empty if a caller paused it.
  const std::string& reason() const { return reason_; }
  const Account& account() const { return account_; }
  const LabelCounts& label_counts() const { return counts_; }

  std::uint32_t item_count() const { return items_.count(); }
  std::optional<ItemId> find_item(std::string_view id) const;
  const std::string& id(ItemId item) const { return item_ids_[position(item)]; }
  const ItemTable& items() const { return items_; }

  std::uint32_t worker_count() const { return static_cast<std::uint32_t>(workers_.size()); }
  std::optional<WorkerId> find_worker(std::string_view name) const;
  const std::string& name(WorkerId worker) const { return worker_names_[position(worker)]; }
  const WorkerFacts& operator[](WorkerId worker) const { return workers_[position(worker)]; }

  const PairTable& pairs() const { return pairs_; }
  const LeaseTable& leases() const { return leases_; }

  /// Whether the worker's labels and leases are below the limit.
  bool may_label(WorkerId worker) const;
  /// The worker's price, else the item's, else that of the campaign.
  Money price(ItemId item, WorkerId worker) const;
  /// The lowest price of a label by a worker without a price of their own.
  Money lowest_price() const { return std::min(options_.price, items_.lowest_price()); }

  void save(ByteWriter& to) const;
  /// False, and useless, if the bytes are not those of a state.
  bool load(ByteReader& from);

 private:
  Result<void> take(const Created& event, Time time);
  Result<void> take(const ItemsAdded& event, Time time);
  Result<void> take(const WorkerJoined& event, Time time);
  Result<void> take(const WorkerPriced& event, Time time);
  Result<void> take(const Leased& event, Time time);
  Result<void> take(const Answered& event, Time time);
  Result<void> take(const Revised& event, Time time);
  Result<void> take(const Skipped& event, Time time);
  Result<void> take(const Released& event, Time time);
  Result<void> take(const Expired& event, Time time);
  Result<void> take(const Settled& event, Time time);
  Result<void> take(const Paused& event, Time time);
  Result<void> take(const Resumed& event, Time time);
  Result<void> take(const BudgetChanged& event, Time time);
  Result<void> take(const Closed& event, Time time);

  Result<void> check_item(const NewItem& item) const;
  Result<void> check_pair(ItemId item, WorkerId worker) const;
  Result<void> check_class(ClassId label) const;
  Result<void> check_origin(const Answered& event, Time time) const;
  Result<void> end_lease(ItemId item, WorkerId worker, PairStatus status);
  void drop_lease(ItemId item, WorkerId worker);
  WorkerFacts& facts(WorkerId worker) { return workers_[position(worker)]; }

  Options options_;
  std::uint64_t sequence_ = 0;
  Time time_, started_;
  Phase phase_ = Phase::running;
  std::string reason_;
  Account account_;
  LabelCounts counts_;
  NameList item_ids_, worker_names_;
  ItemTable items_;
  PairTable pairs_;
  std::vector<WorkerFacts> workers_;
  LeaseTable leases_;
};

}  // namespace allot::campaign
