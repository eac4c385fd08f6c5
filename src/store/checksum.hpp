// CRC-32 of a record with its sequence number, as stores keep it beside the record.
#pragma once

#include <cstdint>

#include "allot/store/store.hpp"

namespace allot::store {

std::uint32_t checksum(const Draft& draft, std::uint64_t sequence);

}  // namespace allot::store
