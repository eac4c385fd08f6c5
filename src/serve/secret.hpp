// Random names and secrets, and their digests (libsodium).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace allot::serve {

/// Random bytes from the system, as hexadecimal digits.
std::string random_hex(std::size_t bytes);

std::string hex(std::string_view bytes);

/// BLAKE2b, 32 bytes.
std::string digest_of(std::string_view text);

/// Random bytes from the system.
std::string random_bytes(std::size_t bytes);

/// Base64 of RFC 4648, with padding.
std::string base64(std::string_view bytes);

/// HMAC-SHA256, 32 bytes.
std::string authentication_code(std::string_view key, std::string_view text);

/// Compares two texts in constant time.
bool same_secret(std::string_view left, std::string_view right);

}  // namespace allot::serve
