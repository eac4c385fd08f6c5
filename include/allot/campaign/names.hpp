// Items, workers and classes by the names that people use.
//
// Each lookup either finds the name or refuses it with one sentence that says what is expected; the
// library, the command line and the server all give that sentence.
#pragma once

#include <string>
#include <string_view>

#include "allot/campaign/state.hpp"

namespace allot::campaign {

/// The item with that id.
Result<ItemId> item_named(const State& state, std::string_view id);
/// The worker with that name. Only workers who have joined are known.
Result<WorkerId> worker_named(const State& state, std::string_view name);
/// The class that a label names.
Result<ClassId> class_named(const Options& options, std::string_view label);

/// The name of a class, as in the options.
const std::string& class_name(const Options& options, ClassId id);

}  // namespace allot::campaign
