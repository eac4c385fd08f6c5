// Header fields of a webhook message, as Standard Webhooks specifies them: an id, a timestamp, and
// a signature per key.
#pragma once

#include <string>
#include <vector>

#include "http/message.hpp"
#include "serve/webhook_store.hpp"

namespace allot::serve {

/// `keys` from the newest on; `agent` is the User-Agent.
http::Fields signed_fields(const Delivery& delivery, const std::vector<std::string>& keys,
                           const std::string& agent, Time now);

}  // namespace allot::serve
