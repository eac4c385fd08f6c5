// Times as people and programs write them (RFC 3339, UTC).
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace allot {

/// "2026-03-01", and "T12:00:00Z" or "T12:00:00.5Z" behind it; nothing if it is anything else.
std::optional<std::chrono::sys_time<std::chrono::microseconds>> parse_time(std::string_view text);

/// "2026-03-01T12:00:00Z", with microseconds if it has any.
std::string time_text(std::chrono::sys_time<std::chrono::microseconds> time);
/// "2026-03-01" of days since 1970 began.
std::string day_text(std::int64_t days);

}  // namespace allot
