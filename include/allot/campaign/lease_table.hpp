// The leases of a campaign that have not ended.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "allot/base/bytes.hpp"
#include "allot/base/ids.hpp"
#include "allot/base/money.hpp"
#include "allot/campaign/time.hpp"

namespace allot::campaign {

/// An item that a worker has until it expires, with its price reserved.
struct Lease {
  ItemId item;      ///< the item leased
  WorkerId worker;  ///< the worker who has it
  Money price;      ///< amount reserved until the lease ends
  Time taken,       ///< start of the lease
      expires;      ///< end of the lease
};

/// Leases that have not ended, by worker and item and by their ends.
class LeaseTable {
 public:
  /// Leases in the table.
  std::uint32_t count() const { return static_cast<std::uint32_t>(leases_.size()); }
  /// All leases in order of their ends.
  std::vector<Lease> all() const;
  /// A worker's leases in order of their ends.
  std::vector<Lease> of(WorkerId worker) const;
  /// Leases that are over at the time `now`, in order of their ends.
  std::vector<Lease> over(Time now) const;
  /// The worker's lease of the item; nothing if there is none.
  std::optional<Lease> find(ItemId item, WorkerId worker) const;

  // For the state alone, which checks events first.

  /// Adds a lease; the worker must not have the item yet.
  void add(const Lease& lease);
  /// Removes the lease, which must exist, and returns it.
  Lease remove(ItemId item, WorkerId worker);

  /// Writes all leases.
  void save(ByteWriter& to) const;
  /// Adds the leases that `save` wrote. Numbers beyond `workers` or `items` make the reader fail.
  void load(ByteReader& from, std::size_t workers, std::size_t items);

 private:
  struct Terms {
    Money price;
    Time taken, expires;
  };
  using Place = std::pair<std::uint32_t, std::uint32_t>;  // worker, item

  static Lease lease_at(const Place& place, const Terms& terms);

  std::map<Place, Terms> leases_;
  std::set<std::pair<Time, Place>> ends_;
};

}  // namespace allot::campaign
