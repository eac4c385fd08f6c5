// What a campaign's events add up to, but for beliefs: who has what, who said what, what it cost.
//
//   for every record in order:  state.apply(event, time).
// A fold and nothing else: the same events make the same state, and an event that cannot happen in
// a state (an item handed out twice, more spent than there is) is refused, so a ledger that folds
// is a sound one. At every event spent + reserved <= budget.
//
// Cost: an event O(log leases + labels of its item). Memory: about 100 bytes an item, its id
// included, and 4 to 8 a label.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "allot/base/bytes.hpp"
#include "allot/campaign/event.hpp"

namespace allot::io {
class NameTable;
}

namespace allot::campaign {

enum class Phase : std::uint8_t { running, paused, closed };
std::string_view name(Phase phase);

struct Lease {
  ItemId item;
  WorkerId worker;
  Money price;
  Time taken, expires;
};

/// What is between an item and a worker.
enum class Bond : std::uint8_t {
  none,
  leased,   // the worker has it
  lapsed,   // had it and let it go; an answer may still come
  skipped,  // will not label it
  labelled,
};

/// One worker's part in an item.
struct Share {
  WorkerId worker;
  Bond bond;
  ClassId label;  // if labelled
};

struct WorkerFacts {
  std::uint32_t labels = 0;  // of all items
  std::uint32_t leases = 0;  // live ones
  std::uint32_t skips = 0;
  std::uint32_t gold = 0, gold_right = 0;  // labels of items with a known answer
  Money spent;
  std::optional<Money> price = {};
  /// Of the last label, if it came in time: the item, and when its lease would have been over.
  std::optional<std::pair<ItemId, Time>> last = {};
};

class State {
 public:
  State();
  State(State&&) noexcept;
  State& operator=(State&&) noexcept;
  ~State();

  /// Refuses what cannot happen now, and is then unchanged. Time never goes back: an event is at
  /// least as late as the one before.
  Result<void> apply(const Event& event, Time time);

  const Options& options() const { return options_; }
  /// Events so far.
  std::uint64_t sequence() const { return sequence_; }
  Time time() const { return time_; }
  Time started() const { return started_; }
  Phase phase() const { return phase_; }
  /// Why it was closed, or which stop rule paused it; empty if somebody did.
  const std::string& reason() const { return reason_; }

  Money budget() const { return budget_; }
  Money spent() const { return spent_; }
  Money reserved() const { return reserved_; }
  Money left() const { return budget_ - spent_ - reserved_; }

  std::uint32_t item_count() const { return static_cast<std::uint32_t>(items_.size()); }
  std::optional<ItemId> find_item(std::string_view id) const;
  const std::string& id(ItemId item) const;
  /// In the order in which they first had to do with it.
  std::vector<Share> shares(ItemId item) const;
  Bond bond(ItemId item, WorkerId worker) const;
  std::optional<ClassId> label(ItemId item, WorkerId worker) const;
  std::uint32_t labels(ItemId item) const { return items_[position(item)].labels; }
  /// Live leases.
  std::uint32_t pending(ItemId item) const { return items_[position(item)].pending; }
  std::optional<ClassId> truth(ItemId item) const;
  std::span<const ItemId> gold() const { return gold_; }
  /// The class that answers are measured by, and of how many items it is known, gold apart.
  std::optional<ClassId> reference(ItemId item) const;
  std::uint32_t reference_count() const { return reference_count_; }
  /// Why nobody is asked about it any more: "full", or what settled it; empty if it goes on.
  std::string_view settled(ItemId item) const;
  /// Whether it may be handed out: no gold, not settled, labels and leases below the limit.
  bool has_room(ItemId item) const;
  std::span<const double> features() const { return features_; }

  std::uint32_t worker_count() const { return static_cast<std::uint32_t>(workers_.size()); }
  std::optional<WorkerId> find_worker(std::string_view name) const;
  const std::string& name(WorkerId worker) const;
  const WorkerFacts& operator[](WorkerId worker) const { return workers_[position(worker)]; }

  /// Whether the worker's labels and leases are below the limit.
  bool may_label(WorkerId worker) const;
  /// The worker's price, else the item's, else that of the campaign.
  Money price(ItemId item, WorkerId worker) const;
  /// The item's own.
  std::optional<Money> item_price(ItemId item) const;
  bool items_have_prices() const { return !item_prices_.empty(); }
  /// The lowest that anybody without a price of their own would be paid.
  Money lowest_price() const { return std::min(options_.price, lowest_item_price_); }

  std::uint64_t label_count() const { return label_count_; }
  std::uint64_t gold_label_count() const { return gold_label_count_; }
  std::uint64_t imported_count() const { return imported_count_; }
  /// By days since 1970 began, UTC.
  const std::map<std::int64_t, std::uint64_t>& labels_by_day() const { return by_day_; }

  std::uint32_t lease_count() const { return static_cast<std::uint32_t>(leases_.size()); }
  /// In order of their ends.
  std::vector<Lease> leases() const;
  std::vector<Lease> leases(WorkerId worker) const;
  /// Those that are over at that time, in order of their ends.
  std::vector<Lease> over(Time now) const;
  std::optional<Lease> lease(ItemId item, WorkerId worker) const;

  void save(ByteWriter& to) const;
  /// False, and good for nothing, if the bytes are not those of a state.
  bool load(ByteReader& from);

 private:
  /// A worker's part in 4 bytes: `what` is a class, or one of three bonds from kLeased on.
  struct Part {
    std::uint32_t worker : 24;
    std::uint32_t what : 8;
  };
  struct Item {
    std::vector<Part> parts;
    std::uint32_t labels = 0;
    std::uint16_t pending = 0;
    std::uint8_t reason = 0;  // for being settled
  };
  struct Terms {
    Money price;
    Time taken, expires;
  };
  using Place = std::pair<std::uint32_t, std::uint32_t>;  // worker, item
  static constexpr std::uint32_t kLapsed = 253, kSkipped = 254, kLeased = 255;
  static constexpr std::uint32_t kMostWorkers = (1U << 24) - 1;

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

  Result<void> check_pair(ItemId item, WorkerId worker) const;
  Result<void> check_class(ClassId one) const;
  static Bond bond_of(const Part& part);
  const Part* part(ItemId item, WorkerId worker) const;
  Part& part_of(ItemId item, WorkerId worker);
  Result<void> end_lease(ItemId item, WorkerId worker, std::uint32_t what);
  void drop_lease(ItemId item, WorkerId worker);

  Options options_;
  std::uint64_t sequence_ = 0;
  Time time_, started_;
  Phase phase_ = Phase::running;
  std::string reason_;
  Money budget_, spent_, reserved_;
  std::unique_ptr<io::NameTable> item_ids_, worker_names_;
  std::vector<Item> items_;
  std::vector<ItemId> gold_;
  std::map<std::uint32_t, std::uint32_t> truth_;
  std::vector<std::uint8_t> references_;  // class + 1; as long as the last item that has one
  std::uint32_t reference_count_ = 0;
  std::map<std::uint32_t, Money> item_prices_;
  Money lowest_item_price_ = Money::billionths(INT64_MAX);
  std::vector<std::string> reasons_;  // for settling items, by number from 1
  std::vector<double> features_;
  std::vector<WorkerFacts> workers_;
  std::map<Place, Terms> leases_;
  std::set<std::pair<Time, Place>> ends_;
  std::uint64_t label_count_ = 0, gold_label_count_ = 0, imported_count_ = 0;
  std::map<std::int64_t, std::uint64_t> by_day_;
};

}  // namespace allot::campaign
