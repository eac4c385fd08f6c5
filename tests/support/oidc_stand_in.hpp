// A stand-in for an OpenID Connect provider: keys, ID tokens, and the routes that a server calls.
#pragma once

#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>

#include <atomic>
#include <boost/json.hpp>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "http/public_key.hpp"
#include "support/http_client.hpp"

namespace allot::test {

/// A key pair that signs ID tokens.
class SigningKey {
 public:
  enum class Kind { rsa, p256 };
  explicit SigningKey(Kind kind, std::string its_id)
      : id(std::move(its_id)),
        kind_(kind),
        key_(kind == Kind::rsa ? EVP_RSA_gen(2048) : EVP_EC_gen("P-256"), EVP_PKEY_free) {}

  const std::string id;

  std::string algorithm() const { return kind_ == Kind::rsa ? "RS256" : "ES256"; }

  /// The public half as a JSON Web Key.
  boost::json::object public_key() const {
    boost::json::object key{{"kid", id}, {"use", "sig"}, {"alg", algorithm()}};
    if (kind_ == Kind::rsa) {
      key["kty"] = "RSA";
      key["n"] = http::to_base64url(number(OSSL_PKEY_PARAM_RSA_N, 0));
      key["e"] = http::to_base64url(number(OSSL_PKEY_PARAM_RSA_E, 0));
    } else {
      key["kty"] = "EC";
      key["crv"] = "P-256";
      key["x"] = http::to_base64url(number(OSSL_PKEY_PARAM_EC_PUB_X, 32));
      key["y"] = http::to_base64url(number(OSSL_PKEY_PARAM_EC_PUB_Y, 32));
    }
    return key;
  }

  /// The signature as JSON Web Signatures have it.
  std::string sign(const std::string& text) const {
    const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                          EVP_MD_CTX_free);
    EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key_.get());
    const auto* const bytes = reinterpret_cast<const unsigned char*>(text.data());
    std::size_t size = 0;
    EVP_DigestSign(context.get(), nullptr, &size, bytes, text.size());
    std::string signature(size, '\0');
    EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size, bytes,
                   text.size());
    signature.resize(size);
    return kind_ == Kind::rsa ? signature : raw_pair(signature);
  }

  /// A token with these claims; the header can name another algorithm.
  std::string token(const boost::json::object& claims, std::string algorithm_named = "") const {
    if (algorithm_named.empty()) algorithm_named = algorithm();
    const boost::json::object header{{"alg", algorithm_named}, {"typ", "JWT"}, {"kid", id}};
    const std::string text = http::to_base64url(boost::json::serialize(header)) + "." +
                             http::to_base64url(boost::json::serialize(claims));
    return text + "." + http::to_base64url(sign(text));
  }

 private:
  std::string number(const char* name, std::size_t size) const {
    BIGNUM* value = nullptr;
    EVP_PKEY_get_bn_param(key_.get(), name, &value);
    std::string bytes(size > 0 ? size : static_cast<std::size_t>(BN_num_bytes(value)), '\0');
    BN_bn2binpad(value, reinterpret_cast<unsigned char*>(bytes.data()),
                 static_cast<int>(bytes.size()));
    BN_free(value);
    return bytes;
  }
  /// r and s of 32 bytes each.
  static std::string raw_pair(const std::string& der) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(der.data());
    const std::unique_ptr<ECDSA_SIG, decltype(&ECDSA_SIG_free)> pair(
        d2i_ECDSA_SIG(nullptr, &bytes, static_cast<long>(der.size())), ECDSA_SIG_free);
    std::string raw(64, '\0');
    auto* const out = reinterpret_cast<unsigned char*>(raw.data());
    BN_bn2binpad(ECDSA_SIG_get0_r(pair.get()), out, 32);
    BN_bn2binpad(ECDSA_SIG_get0_s(pair.get()), out + 32, 32);
    return raw;
  }

  const Kind kind_;
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key_;
};

/// Serves discovery, keys and the token route at a port of this machine. The test plays the page
/// on which a person signs in, by `code_for`.
class StandInProvider {
 public:
  static constexpr const char *kClient = "allot client", *kSecret = "a secret: with/signs";

  /// `ending` is what the issuer has behind its host.
  explicit StandInProvider(std::string ending = "") : ending_(std::move(ending)) {
    routes_.handlers["/.well-known/openid-configuration"] = [this](http::Request,
                                                                   const http::Reply& reply) {
      reply(json({{"issuer", issuer()},
                  {"authorization_endpoint", base() + "/authorize"},
                  {"token_endpoint", base() + "/large/token"},
                  {"jwks_uri", base() + "/keys"}}));
    };
    routes_.handlers["/keys"] = [this](http::Request, const http::Reply& reply) {
      ++key_reads;
      const std::scoped_lock lock(mutex_);
      reply(json({{"keys", boost::json::array{key_->public_key()}}}));
    };
    routes_.handlers["/large/token"] = [this](const http::Request& request,
                                              const http::Reply& reply) { reply(redeem(request)); };
    http::ServerOptions options;
    options.listen = {"127.0.0.1:0"};
    server_ = http::Server::start(options, routes_).value();
  }

  std::string base() const { return "http://" + server_->addresses().front(); }
  std::string issuer() const { return base() + ending_; }

  /// The claims of a person who signs in now.
  boost::json::object claims(const std::string& nonce, std::int64_t now) const {
    return {{"iss", issuer()},        {"aud", kClient},
            {"sub", "person-7"},      {"iat", now},
            {"exp", now + 300},       {"nonce", nonce},
            {"name", "Ann"},          {"email", "ann@example.org"},
            {"email_verified", true}, {"groups", boost::json::array{"labelling", "lunch"}}};
  }
  /// A code that gives this ID token to the holder of the verifier.
  std::string code_for(const std::string& token, const std::string& challenge) {
    const std::scoped_lock lock(mutex_);
    const std::string code = "code-" + std::to_string(++codes_made_);
    codes_[code] = {token, challenge};
    return code;
  }
  const SigningKey& key() const { return *key_; }
  void change_key(std::unique_ptr<SigningKey> key) {
    const std::scoped_lock lock(mutex_);
    key_ = std::move(key);
  }

  std::atomic<int> key_reads = 0;

 private:
  struct Grant {
    std::string token, challenge;
  };

  static http::Response json(const boost::json::value& value, int status = 200) {
    http::Response response{.status = status, .body = boost::json::serialize(value)};
    response.fields.add("Content-Type", "application/json");
    return response;
  }
  static std::string member(const std::string& form, const std::string& name) {
    const std::size_t at = ("&" + form).find("&" + name + "=");
    if (at == std::string::npos) return "";
    const std::size_t begin = at + name.size() + 1;
    return form.substr(begin, form.find('&', begin) - begin);
  }

  /// A code counts once, and only with its verifier and the secret of the client.
  http::Response redeem(const http::Request& request) {
    const std::scoped_lock lock(mutex_);
    const auto grant = codes_.extract(member(request.body, "code"));
    // "allot%20client:a%20secret%3A%20with%2Fsigns" in base64
    const bool is_client = request.fields.find("Authorization").value_or("") ==
                           "Basic YWxsb3QlMjBjbGllbnQ6YSUyMHNlY3JldCUzQSUyMHdpdGglMkZzaWducw==";
    const std::string challenge =
        http::to_base64url(http::sha256(member(request.body, "code_verifier")));
    if (!is_client) {
      return json({{"error", "invalid_client"}, {"error_description", "<b>wrong</b>\nsecret"}},
                  401);
    }
    if (grant.empty() || grant.mapped().challenge != challenge)
      return json({{"error", "invalid_grant"}}, 400);
    return json(
        {{"access_token", "x"}, {"token_type", "Bearer"}, {"id_token", grant.mapped().token}});
  }

  const std::string ending_;
  std::mutex mutex_;
  std::unique_ptr<SigningKey> key_ =
      std::make_unique<SigningKey>(SigningKey::Kind::rsa, "first key");
  std::map<std::string, Grant> codes_;
  int codes_made_ = 0;
  Routes routes_;
  std::unique_ptr<http::Server> server_;
};

}  // namespace allot::test
