// CRC-32 of a record with its sequence number, as stores keep it beside the record, and of a text.
#pragma once

#include <cstdint>
#include <string_view>

#include "allot/store/store.hpp"

namespace allot::store {

std::uint32_t checksum(const Draft& draft, std::uint64_t sequence);
std::uint32_t checksum(std::string_view text);

}  // namespace allot::store
