// Items handed out to a worker, as JSON: assignments, or why there are none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "serve/call.hpp"

namespace allot::serve {

/// Most items per request.
inline constexpr std::uint64_t kMostAssignments = 100;
/// Part of the key for items that are asked for along with a label. Keys of clients have no spaces,
/// so no client can send this one.
inline constexpr std::string_view kNextPart = " next";

/// Having no item for a worker is not an error: the shortfall says why.
struct Handout {
  std::string assignments = "[]", shortfall = "null";

  std::string json() const;
};

/// Leaves out fields that the page hides, if a worker asks.
std::string assignment_json(const Call& call, const campaign::Assignment& assignment);
/// A worker is not told why there is nothing.
std::string shortfall_json(const Call& call, std::string_view code, std::string_view detail);

/// Leases up to `count` items to the worker.
Result<Handout> hand_out(const Call& call, OpenBatch& room, const std::string& worker,
                         std::uint64_t count, std::string_view key_part = {});

}  // namespace allot::serve
