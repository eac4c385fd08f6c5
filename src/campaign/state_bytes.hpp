// Amounts and times in the bytes of snapshots and events.
#pragma once

#include "allot/base/bytes.hpp"
#include "allot/base/money.hpp"
#include "allot/campaign/time.hpp"

namespace allot::campaign {

inline void put(ByteWriter& to, Money amount) { to.signed_number(amount.in_billionths()); }
inline void put(ByteWriter& to, Time time) { to.signed_number(time.time_since_epoch().count()); }
inline Money get_money(ByteReader& from) { return Money::billionths(from.signed_number()); }
inline Time get_time(ByteReader& from) {
  return Time(std::chrono::microseconds(from.signed_number()));
}

}  // namespace allot::campaign
