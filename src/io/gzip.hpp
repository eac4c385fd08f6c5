// Texts compressed by gzip (RFC 1952).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "allot/base/result.hpp"

namespace allot::io {

/// True if the bytes begin like gzip.
bool is_gzip(std::string_view bytes);

/// The texts of all members joined; zeros may follow the last. Refuses input that is damaged,
/// truncated, followed by other bytes, or expands to more than `most` bytes.
Result<std::string> gunzip(std::string_view bytes, std::uint64_t most);

}  // namespace allot::io
