// Events of a campaign as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "serve/hub.hpp"

namespace allot::serve {

struct EventText {
  std::uint64_t sequence;
  std::string name, json;
};
using EventTexts = std::vector<EventText>;

/// Up to `most` events after a sequence number. Items added together are one event with a count.
Result<EventTexts> events_json(OpenCampaign& room, std::uint64_t after, std::size_t most);

}  // namespace allot::serve
