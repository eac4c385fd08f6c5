#include "serve/webhook_signature.hpp"

#include <fmt/format.h>

#include "serve/secret.hpp"

namespace allot::serve {

http::Fields signed_fields(const Delivery& delivery, const std::vector<std::string>& keys,
                           const std::string& agent, Time now) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count();
  const std::string text = fmt::format("{}.{}.{}", delivery.id, seconds, delivery.body);
  std::string signatures;
  for (const std::string& key : keys) {
    signatures += (signatures.empty() ? "v1," : " v1,") + base64(authentication_code(key, text));
  }
  http::Fields fields;
  fields.add("Content-Type", "application/json");
  fields.add("User-Agent", agent);
  fields.add("webhook-id", delivery.id);
  fields.add("webhook-timestamp", fmt::format("{}", seconds));
  fields.add("webhook-signature", signatures);
  return fields;
}

}  // namespace allot::serve
