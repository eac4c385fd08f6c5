// Texts compressed by gzip (RFC 1952).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "allot/base/result.hpp"

namespace allot::io {

bool is_gzip(std::string_view bytes);

/// The texts of all members, one after the other; zeros may follow the last. Refuses what is
/// damaged, cut short, followed by something else, or holds more than `most` bytes.
Result<std::string> gunzip(std::string_view bytes, std::uint64_t most);

}  // namespace allot::io
