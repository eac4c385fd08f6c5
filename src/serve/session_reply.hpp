// What a participant's page learns about the session (campaign/session.hpp).
#pragma once

#include <string>
#include <string_view>

#include "allot/campaign/state.hpp"

namespace allot::serve {

/// Progress of the worker's latest session and, once it is over, its code and the way back; null
/// for a worker who is no participant.
std::string session_json(const campaign::State& state, std::string_view worker);
/// The schema of that object.
std::string session_schema();

}  // namespace allot::serve
