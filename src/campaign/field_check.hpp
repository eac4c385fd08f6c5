// Whether the store has the fields of items as they were added.
//
// The ledger has a checksum for the fields of each item; older versions of allot wrote none. Cost:
// 2 us per item.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "allot/campaign/event.hpp"
#include "allot/store/store.hpp"

namespace allot::store {
class LedgerSource;
}

namespace allot::campaign {

/// Up to `most` contents, from that item on.
using ContentReader =
    std::function<Result<std::vector<store::Content>>(std::uint32_t from, std::size_t most)>;

/// Ids of the added items whose fields have changed. The first one has the number `first`.
Result<std::vector<std::string>> changed_fields(const ItemsAdded& event, std::uint32_t first,
                                                const ContentReader& contents);

/// Refuses a campaign file in which the fields of an item have changed.
Result<void> check_fields(const store::LedgerSource& ledger);

}  // namespace allot::campaign
