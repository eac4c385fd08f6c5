// Random names and secrets, and their digests (libsodium).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace allot::serve {

/// So many bytes of the system's random numbers, in hexadecimal digits.
std::string random_hex(std::size_t bytes);

std::string hex(std::string_view bytes);

/// BLAKE2b, 32 bytes.
std::string digest_of(std::string_view text);

/// So many bytes of the system's random numbers.
std::string random_bytes(std::size_t bytes);

/// As RFC 4648 has it, with "=" at the end.
std::string base64(std::string_view bytes);

/// HMAC-SHA256, 32 bytes.
std::string authentication_code(std::string_view key, std::string_view text);

/// Whether two texts are the same, in a time that tells nothing of where they differ.
bool same_secret(std::string_view one, std::string_view other);

}  // namespace allot::serve
