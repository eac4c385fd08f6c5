// Names of things that must not be swapped by accident.
#pragma once

#include <cstdint>

namespace allot {

/// Position of an item in its campaign, from 0.
enum class ItemId : std::uint32_t {};

/// What a worker said about an item. The result for an item is an answer, gold data is truth.
enum class Label : std::int8_t { negative = -1, positive = +1 };

constexpr std::uint32_t position(ItemId item) { return static_cast<std::uint32_t>(item); }

}  // namespace allot
