// Copies a campaign from one store to another, for example from a file to a database.
//
// The copy has the same records, contents and snapshot. It is committed as a whole, and then
// compared with the original: every record with its checksum, every content, and the state that
// both ledgers add up to.
#pragma once

#include <cstdint>
#include <string>

#include "allot/base/result.hpp"
#include "allot/store/store.hpp"

namespace allot::campaign {

/// Contents of a copy.
struct CopyReport {
  std::uint64_t records = 0;   ///< records that were copied
  std::uint64_t contents = 0;  ///< items whose fields were copied
  /// Records that were appended to the original during the copy, and are missing in it.
  std::uint64_t missed = 0;
};

/// Copies the campaign as it is at the start of the call. Refuses a target that has the campaign,
/// and a campaign that does not exist. Cost: three readings of the ledger, and the memory of two
/// campaigns.
Result<CopyReport> copy(store::Store& from, const std::string& name, store::Store& to);

}  // namespace allot::campaign
