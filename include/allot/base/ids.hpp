// Identifiers as types of their own, so that they cannot be swapped by accident.
#pragma once

#include <cstdint>

namespace allot {

/// Position of an item in its campaign, from 0.
enum class ItemId : std::uint32_t {};

/// Position of a worker in its campaign, from 0.
enum class WorkerId : std::uint32_t {};

/// Position of a class among the classes of a campaign, from 0. With two classes, 0 is negative and
/// 1 is positive.
enum class ClassId : std::uint32_t {};

/// The label a worker gives to a binary item. The result for an item is an answer; gold data is
/// truth.
enum class Label : std::int8_t { negative = -1, positive = +1 };

/// The identifier as a plain number, to index an array.
constexpr std::uint32_t position(ItemId item) { return static_cast<std::uint32_t>(item); }
/// The identifier as a plain number, to index an array.
constexpr std::uint32_t position(WorkerId worker) { return static_cast<std::uint32_t>(worker); }
/// The identifier as a plain number, to index an array.
constexpr std::uint32_t position(ClassId label) { return static_cast<std::uint32_t>(label); }

}  // namespace allot
