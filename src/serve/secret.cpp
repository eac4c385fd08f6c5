#include "serve/secret.hpp"

#include <sodium.h>

#include <stdexcept>

namespace allot::serve {
namespace {

void prepare() {
  static const bool ready = sodium_init() >= 0;
  if (!ready) throw std::runtime_error("the system has no random numbers");
}

const unsigned char* raw(std::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}
unsigned char* raw(std::string& bytes) { return reinterpret_cast<unsigned char*>(bytes.data()); }

}  // namespace

std::string hex(std::string_view bytes) {
  std::string text(2 * bytes.size() + 1, '\0');
  sodium_bin2hex(text.data(), text.size(), raw(bytes), bytes.size());
  text.pop_back();
  return text;
}

std::string random_bytes(std::size_t bytes) {
  prepare();
  std::string raw(bytes, '\0');
  randombytes_buf(raw.data(), raw.size());
  return raw;
}

std::string random_hex(std::size_t bytes) { return hex(random_bytes(bytes)); }

std::string base64(std::string_view bytes) {
  constexpr int kVariant = sodium_base64_VARIANT_ORIGINAL;
  std::string text(sodium_base64_encoded_len(bytes.size(), kVariant), '\0');
  sodium_bin2base64(text.data(), text.size(), raw(bytes), bytes.size(), kVariant);
  text.pop_back();
  return text;
}

std::string authentication_code(std::string_view key, std::string_view text) {
  prepare();
  crypto_auth_hmacsha256_state state;
  crypto_auth_hmacsha256_init(&state, raw(key), key.size());
  crypto_auth_hmacsha256_update(&state, raw(text), text.size());
  std::string code(crypto_auth_hmacsha256_BYTES, '\0');
  crypto_auth_hmacsha256_final(&state, raw(code));
  return code;
}

std::string digest_of(std::string_view text) {
  prepare();
  std::string digest(crypto_generichash_BYTES, '\0');
  crypto_generichash(raw(digest), digest.size(), raw(text), text.size(), nullptr, 0);
  return digest;
}

bool same_secret(std::string_view left, std::string_view right) {
  return left.size() == right.size() && sodium_memcmp(left.data(), right.data(), left.size()) == 0;
}

}  // namespace allot::serve
