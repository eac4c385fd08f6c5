// Times as text (RFC 3339, UTC).
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace allot {

/// Parses "2026-03-01", "2026-03-01T12:00:00Z" or "2026-03-01T12:00:00.5Z"; nothing for any other
/// text.
std::optional<std::chrono::sys_time<std::chrono::microseconds>> parse_time(std::string_view text);

/// The time as "2026-03-01T12:00:00Z", with microseconds if it has any.
std::string time_text(std::chrono::sys_time<std::chrono::microseconds> time);
/// The date "2026-03-01" of a day counted from 1970-01-01.
std::string day_text(std::int64_t days);

}  // namespace allot
