// Refusals by the server itself, before a handler sees the request: a status and a sentence, sent
// as application/problem+json {type, title, status, detail, code}. The code is stable; the sentence
// is for people.
#pragma once

#include <string>
#include <string_view>

#include "http/message.hpp"

namespace allot::http {

struct Refusal {
  int status;
  /// "body_too_large"
  std::string code;
  std::string detail;
  /// Further fields of the response, such as Allow.
  Fields fields = {};
};

Response problem(const Refusal& refusal);

/// The standard phrase of a status: "Not Found".
std::string_view reason(int status);

}  // namespace allot::http
