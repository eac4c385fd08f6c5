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
  ItemId item;
  WorkerId worker;
  Money price;
  Time taken, expires;
};

class LeaseTable {
 public:
  std::uint32_t count() const { return static_cast<std::uint32_t>(leases_.size()); }
  /// All leases in order of their ends.
  std::vector<Lease> all() const;
  /// A worker's leases in order of their ends.
  std::vector<Lease> of(WorkerId worker) const;
  /// Leases that are over at that time, in order of their ends.
  std::vector<Lease> over(Time now) const;
  std::optional<Lease> find(ItemId item, WorkerId worker) const;

  // For the state alone, which checks events first.

  void add(const Lease& lease);
  /// Returns the lease, which must exist.
  Lease remove(ItemId item, WorkerId worker);

  void save(ByteWriter& to) const;
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
