// Parts of an item's JSON that lists and single items share.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "allot/campaign/campaign.hpp"
#include "io/json_object.hpp"

namespace allot::serve {

inline std::string class_or_null(const campaign::Options& options,
                                 const std::optional<ClassId>& label) {
  return label ? io::json_string(options.classes[position(*label)]) : "null";
}

/// "gold", "settled", "asked" (leased to a worker) or "open".
inline std::string_view state_of(const campaign::State& state, ItemId item) {
  if (state.items().gold(item)) return "gold";
  if (!state.items().finish_reason(item).empty()) return "settled";
  return state.items().pending(item) > 0 ? "asked" : "open";
}

}  // namespace allot::serve
