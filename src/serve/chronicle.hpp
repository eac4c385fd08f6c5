// Which events of a campaign's ledger are about which item, and how many labels each minute
// brought.
//
// Made when somebody first asks for an item's history, by one pass over the ledger, a piece at a
// time so that other requests go on between them; after that only what happened since is read.
// Memory: 4 bytes an event and an item. Used by one thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "allot/campaign/campaign.hpp"

namespace allot::serve {

class Chronicle {
 public:
  /// Reads on. True once it has come to the end.
  Result<bool> read_on(campaign::Campaign& campaign);

  /// Numbers of the last `most` events about the item, in order.
  std::vector<std::uint64_t> events_of(ItemId item, std::size_t most) const;

 private:
  std::uint64_t read_ = 0;
  std::vector<std::uint32_t> last_;    // by item, the number of its last event; 0 for none
  std::vector<std::uint32_t> before_;  // by event, that of the one before about the same item
};

/// Labels of the last hour, by minutes since 1970 began. Made by finding where the hour begins in
/// the ledger and reading on from there; then what happened since is read.
class LabelRate {
 public:
  Result<void> read_on(campaign::Campaign& campaign, campaign::Time now);
  std::uint64_t labels(std::int64_t minute) const;
  static std::int64_t minute_of(campaign::Time time);

 private:
  std::uint64_t read_ = 0;
  bool begun_ = false;
  std::map<std::int64_t, std::uint64_t> labels_;
};

}  // namespace allot::serve
