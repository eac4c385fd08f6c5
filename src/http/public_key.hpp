// Public keys as JSON Web Key Sets have them (RFC 7517), and signatures made with them (RFC 7518).
//
// Two algorithms: RS256 with RSA keys of at least 2048 bits, and ES256 on the curve P-256. A key
// knows its algorithm, so a signature cannot choose another one.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "allot/base/result.hpp"

namespace allot::http {

/// Bytes of base64url without padding (RFC 4648); nothing for any other text.
std::optional<std::string> from_base64url(std::string_view text);
std::string to_base64url(std::string_view bytes);

/// SHA-256, 32 bytes.
std::string sha256(std::string_view text);

/// Can be copied; copies share the key. Any number of threads may call.
class PublicKey {
 public:
  /// Members n and e of an RSA key, in base64url.
  static Result<PublicKey> rsa(std::string_view modulus, std::string_view exponent);
  /// Members x and y of a key on P-256, in base64url.
  static Result<PublicKey> p256(std::string_view x, std::string_view y);

  /// "RS256" or "ES256".
  std::string_view algorithm() const;
  /// Whether the signature (raw bytes) was made over the text with this key's private half.
  bool verifies(std::string_view text, std::string_view signature) const;

 private:
  struct Impl;
  explicit PublicKey(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

}  // namespace allot::http
