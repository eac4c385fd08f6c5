// The reply of a chat endpoint: the words of a model, or why there are none.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace allot::bridge {

struct ChatReply {
  std::string text = {}, refusal = {};
  std::optional<float> probability = {};  ///< of the words, if the endpoint tells
  std::string version = {};               ///< of the model; may be empty
};

/// Nothing if the body is no reply at all, which is worth another try.
std::optional<ChatReply> reply_in(std::string_view body);

}  // namespace allot::bridge
