// Webhooks and their receivers for tests.
#pragma once

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <chrono>
#include <string>
#include <vector>

#include "support/receiver.hpp"
#include "support/test_api.hpp"

namespace allot::test {

using namespace std::chrono_literals;
using http::Method;

constexpr const char* kEverything =
    R"(["label.created", "item.settled", "budget.exhausted", "campaign.closed", "lease.expired"])";

inline serve::ServiceOptions options() {
  serve::ServiceOptions all = TestApi::generous();
  all.private_webhooks = true;
  all.webhooks.tick = 2ms;
  all.webhooks.grace = 0ms;
  return all;
}

struct Hook {
  std::string path, secret;
};

inline Hook hook(TestApi& api, const std::string& campaign, const std::string& url,
                 const std::string& events = R"(["label.created"])") {
  const ApiResponse made = api.post(campaign + "/webhooks", api.requester,
                                    "{\"url\": \"" + url + "\", \"events\": " + events + "}");
  EXPECT_EQ(made.status, 201) << made.body;
  return {campaign + "/webhooks/" + std::string(made.json().at("webhook").at("id").as_string()),
          made.text("secret")};
}

inline json::value shown(TestApi& api, const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const ApiResponse listed = api.get(path.substr(0, slash), api.requester);
  for (const auto& one : listed.json().at("webhooks").as_array()) {
    if (one.at("id").as_string() == path.substr(slash + 1)) return one;
  }
  return nullptr;
}

inline json::array deliveries(TestApi& api, const std::string& path) {
  return api.get(path + "/deliveries", api.requester).json().at("deliveries").as_array();
}

/// A label by a worker of that name; each is one label.created.
inline void label(TestApi& api, const std::string& campaign, const std::string& worker) {
  const ApiResponse asked =
      api.post(campaign + "/assignments", api.requester, "{\"worker\": \"" + worker + "\"}");
  ASSERT_EQ(asked.json().at("assignments").as_array().size(), 1U) << asked.body;
  const std::string item(asked.json().at("assignments").at(0).at("item").as_string());
  const ApiResponse given =
      api.post(campaign + "/labels", api.requester,
               "{\"worker\": \"" + worker + "\", \"item\": \"" + item + "\", \"label\": \"yes\"}");
  ASSERT_EQ(given.status, 200) << given.body;
}

/// By OpenSSL, as a receiver would.
inline std::string signature(const std::string& secret, const Receiver::Got& got) {
  EXPECT_TRUE(secret.starts_with("whsec_"));
  const std::string text = secret.substr(6);
  std::vector<unsigned char> key(text.size());
  const int size = EVP_DecodeBlock(key.data(), reinterpret_cast<const unsigned char*>(text.data()),
                                   static_cast<int>(text.size()));
  EXPECT_EQ(size, 33) << "32 bytes and one that stands for =";
  const std::string message = got.id + "." + got.timestamp + "." + got.body;
  unsigned char code[32];
  unsigned length = 0;
  HMAC(EVP_sha256(), key.data(), 32, reinterpret_cast<const unsigned char*>(message.data()),
       message.size(), code, &length);
  std::string base64(45, '\0');
  EVP_EncodeBlock(reinterpret_cast<unsigned char*>(base64.data()), code, 32);
  base64.pop_back();
  return "v1," + base64;
}

}  // namespace allot::test
