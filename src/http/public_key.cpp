#include "http/public_key.hpp"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>

#include <array>

#include "base/errors.hpp"

namespace allot::http {
namespace {

template <auto Free>
struct Freed {
  template <typename T>
  void operator()(T* object) const {
    Free(object);
  }
};
template <typename T, auto Free>
using Held = std::unique_ptr<T, Freed<Free>>;
using Number = Held<BIGNUM, BN_free>;
using KeyHolder = Held<EVP_PKEY, EVP_PKEY_free>;

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr int kLeastRsaBits = 2048, kMostRsaBits = 8192;
/// Bytes of a number on P-256.
constexpr std::size_t kP256Bytes = 32;

const unsigned char* raw(std::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

Number number_of(std::string_view bytes) {
  return Number(BN_bin2bn(raw(bytes), static_cast<int>(bytes.size()), nullptr));
}

/// A public key from its parameters; null if they make none.
KeyHolder key_from(const char* type, OSSL_PARAM_BLD* builder) {
  const Held<OSSL_PARAM, OSSL_PARAM_free> params(OSSL_PARAM_BLD_to_param(builder));
  const Held<EVP_PKEY_CTX, EVP_PKEY_CTX_free> context(
      EVP_PKEY_CTX_new_from_name(nullptr, type, nullptr));
  EVP_PKEY* key = nullptr;
  if (!params || !context || EVP_PKEY_fromdata_init(context.get()) <= 0 ||
      EVP_PKEY_fromdata(context.get(), &key, EVP_PKEY_PUBLIC_KEY, params.get()) <= 0) {
    return nullptr;
  }
  return KeyHolder(key);
}

/// A signature of RFC 7518, r and s of 32 bytes each, as OpenSSL reads it; empty if it is not one.
std::string der_of(std::string_view signature) {
  if (signature.size() != 2 * kP256Bytes) return "";
  Number r = number_of(signature.substr(0, kP256Bytes)),
         s = number_of(signature.substr(kP256Bytes));
  const Held<ECDSA_SIG, ECDSA_SIG_free> pair(ECDSA_SIG_new());
  if (!pair || ECDSA_SIG_set0(pair.get(), r.get(), s.get()) != 1) return "";
  static_cast<void>(r.release());  // the pair has them now
  static_cast<void>(s.release());
  unsigned char* bytes = nullptr;
  const int size = i2d_ECDSA_SIG(pair.get(), &bytes);
  if (size <= 0) return "";
  std::string der(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
  OPENSSL_free(bytes);
  return der;
}

}  // namespace

struct PublicKey::Impl {
  KeyHolder key;
  bool is_rsa;
};

std::optional<std::string> from_base64url(std::string_view text) {
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const std::size_t value = kAlphabet.find(c);
    if (value == std::string_view::npos) return std::nullopt;
    bits = (bits << 6 | static_cast<std::uint32_t>(value)) & 0xFFFF;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<char>(bits >> count & 0xFF));
  }
  // What is left over must be less than a character, and zero.
  const bool exact = count < 6 && (bits & ((1U << count) - 1)) == 0;
  return exact ? std::optional(bytes) : std::nullopt;
}

std::string to_base64url(std::string_view bytes) {
  std::string text;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : bytes) {
    bits = (bits << 8 | static_cast<unsigned char>(c)) & 0xFFFF;
    count += 8;
    while (count >= 6) {
      count -= 6;
      text.push_back(kAlphabet[bits >> count & 63]);
    }
  }
  if (count > 0) text.push_back(kAlphabet[bits << (6 - count) & 63]);
  return text;
}

std::string sha256(std::string_view text) {
  std::array<unsigned char, 32> digest{};
  EVP_Digest(text.data(), text.size(), digest.data(), nullptr, EVP_sha256(), nullptr);
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

Result<PublicKey> PublicKey::rsa(std::string_view modulus, std::string_view exponent) {
  const auto n = from_base64url(modulus), e = from_base64url(exponent);
  if (!n || !e) return invalid("an RSA key is not in base64url; expected the members n and e");
  const Number first = number_of(*n), second = number_of(*e);
  const int bits = BN_num_bits(first.get());
  if (bits < kLeastRsaBits || bits > kMostRsaBits) {
    return invalid("an RSA key has {} bits; expected {} to {}", bits, kLeastRsaBits, kMostRsaBits);
  }
  const Held<OSSL_PARAM_BLD, OSSL_PARAM_BLD_free> builder(OSSL_PARAM_BLD_new());
  OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_N, first.get());
  OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_E, second.get());
  KeyHolder key = key_from("RSA", builder.get());
  if (!key) return invalid("an RSA key is not one; expected the members n and e");
  return PublicKey(std::make_shared<const Impl>(Impl{std::move(key), true}));
}

Result<PublicKey> PublicKey::p256(std::string_view x, std::string_view y) {
  const auto first = from_base64url(x), second = from_base64url(y);
  if (!first || !second || first->size() != kP256Bytes || second->size() != kP256Bytes) {
    return invalid("a key on P-256 has other members; expected x and y of 32 bytes in base64url");
  }
  const std::string point = "\x04" + *first + *second;  // uncompressed
  const Held<OSSL_PARAM_BLD, OSSL_PARAM_BLD_free> builder(OSSL_PARAM_BLD_new());
  OSSL_PARAM_BLD_push_utf8_string(builder.get(), OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0);
  OSSL_PARAM_BLD_push_octet_string(builder.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(),
                                   point.size());
  KeyHolder key = key_from("EC", builder.get());
  if (!key) return invalid("a key on P-256 is no point of the curve; expected one");
  return PublicKey(std::make_shared<const Impl>(Impl{std::move(key), false}));
}

std::string_view PublicKey::algorithm() const { return impl_->is_rsa ? "RS256" : "ES256"; }

bool PublicKey::verifies(std::string_view text, std::string_view signature) const {
  const std::string bytes = impl_->is_rsa ? std::string(signature) : der_of(signature);
  if (bytes.empty()) return false;
  const Held<EVP_MD_CTX, EVP_MD_CTX_free> context(EVP_MD_CTX_new());
  return context &&
         EVP_DigestVerifyInit(context.get(), nullptr, EVP_sha256(), nullptr, impl_->key.get()) ==
             1 &&
         EVP_DigestVerify(context.get(), raw(bytes), bytes.size(), raw(text), text.size()) == 1;
}

}  // namespace allot::http
