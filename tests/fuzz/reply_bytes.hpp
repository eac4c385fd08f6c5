// Fuzz targets for what other servers send: responses, and the JSON in them.
#pragma once

#include <string_view>

namespace allot::test {

/// A response as HTTP. The first byte says whether it has a body. It says the same whole and in
/// pieces.
void check_response_bytes(std::string_view bytes);
/// Replies of chat endpoints and of Label Studio, webhooks, and texts with a secret. The first byte
/// says which.
void check_reply_bytes(std::string_view bytes);

}  // namespace allot::test
