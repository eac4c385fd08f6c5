// Names of things that must not be swapped by accident.
#pragma once

#include <cstdint>

namespace allot {

/// Position of an item in its campaign, from 0.
enum class ItemId : std::uint32_t {};

/// Position of a worker in its campaign, from 0.
enum class WorkerId : std::uint32_t {};

/// Position of a class among those an item can belong to, from 0. With two classes, 0 is negative
/// and 1 positive.
enum class ClassId : std::uint32_t {};

/// What a worker said about a yes/no item. The result for an item is an answer, gold data is truth.
enum class Label : std::int8_t { negative = -1, positive = +1 };

constexpr std::uint32_t position(ItemId item) { return static_cast<std::uint32_t>(item); }
constexpr std::uint32_t position(WorkerId worker) { return static_cast<std::uint32_t>(worker); }
constexpr std::uint32_t position(ClassId one) { return static_cast<std::uint32_t>(one); }

}  // namespace allot
