// Answers to requests that make campaigns.
#pragma once

#include <string>

#include "serve/route.hpp"

namespace allot::serve {

/// A campaign as lists have it.
std::string entry_json(const Entry& entry);
http::Response made(const Entry& entry);
/// Whether the request made a campaign before, and was answered with that.
bool is_made_before(const Call& call, const std::string& digest);

}  // namespace allot::serve
