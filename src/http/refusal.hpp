// What the server itself refuses, before any handler is asked: a status and a sentence, sent as
// application/problem+json {type, title, status, detail, code}. The code is stable, the sentence
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
  /// Further fields of the answer, such as Allow.
  Fields fields = {};
};

Response problem(const Refusal& refusal);

/// The usual words for a status: "Not Found".
std::string_view reason(int status);

}  // namespace allot::http
