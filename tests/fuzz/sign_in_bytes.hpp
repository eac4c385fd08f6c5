// Fuzz target for what browsers, proxies and providers send when a person signs in.
#pragma once

#include <string_view>

namespace allot::test {

/// Keys, ID tokens and their claims, base64url, documents of a provider, X-Forwarded-For, cookies,
/// networks. The first byte says which. Nobody gets in without a key.
void check_sign_in_bytes(std::string_view bytes);

}  // namespace allot::test
