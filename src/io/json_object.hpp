// One JSON object (RFC 8259) as names and values, in their order.
//
// Values that are not texts stay JSON, numbers as they were written.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "allot/base/result.hpp"

namespace allot::io {

/// A name and its value.
struct JsonMember {
  std::string name;
  /// The text itself, or any other value as JSON.
  std::string value;
  bool is_text = true;

  bool operator==(const JsonMember&) const = default;
};

/// Refuses a text that is not an object; the message names the position of the problem.
Result<std::vector<JsonMember>> parse_json_object(std::string_view text);

/// The object on one line.
std::string json_text(std::span<const JsonMember> members);

}  // namespace allot::io
