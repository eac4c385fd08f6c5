// One JSON object (RFC 8259) as names and values, in the order in which they stand.
//
// Values that are no texts stay JSON, numbers with as many digits as it takes to read them back.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "allot/base/result.hpp"

namespace allot::io {

struct JsonMember {
  std::string name;
  /// A text as it is; anything else as JSON.
  std::string value;
  bool is_text = true;

  bool operator==(const JsonMember&) const = default;
};

/// Refuses what is no object, and says where it stops making sense.
Result<std::vector<JsonMember>> parse_json_object(std::string_view text);

/// On one line.
std::string json_text(std::span<const JsonMember> members);

/// In quotes.
std::string json_string(std::string_view text);
/// The same at the end of a text.
void add_json_string(std::string_view text, std::string& to);

}  // namespace allot::io
