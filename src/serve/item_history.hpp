// Index of a campaign's ledger: which events are about which item.
//
// Built when a client first asks for an item's history, by one pass over the ledger. The pass reads
// one piece per turn, so that other requests go on in between; after that only new events are read.
// Memory: 4 bytes per event and per item. Used by one thread at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "allot/campaign/campaign.hpp"

namespace allot::serve {

class ItemHistory {
 public:
  /// Reads the next piece; true once the end of the ledger is reached.
  Result<bool> read_on(campaign::Campaign& campaign);

  /// Sequence numbers of the last `most` events of the item, in order.
  std::vector<std::uint64_t> events_of(ItemId item, std::size_t most) const;

 private:
  std::uint64_t read_ = 0;
  std::vector<std::uint32_t> last_;    // per item, its last event; 0 for none
  std::vector<std::uint32_t> before_;  // per event, the previous one of the same item
};

}  // namespace allot::serve
