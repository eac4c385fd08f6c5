// The target of a request, such as "/api/v1/items?after=a%20b", as a path and parameters.
//
// Strict, so that no later code can read a target in a different way:
//   - %XX needs two hexadecimal digits, and the decoded bytes must be UTF-8 without NUL;
//   - a path has no encoded slash (%2F would look like a separator once decoded), no "." or ".."
//     segment, encoded or not, no backslash and no control character;
//   - there is no fragment and no byte outside visible ASCII;
//   - at most 128 parameters.
// "+" is a blank in the query and itself in the path. A target with scheme and host
// ("http://host/path"), as proxies send it, loses them. O(length).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "allot/base/result.hpp"

namespace allot::http {

struct Target {
  std::string path;
  /// In order; a parameter without "=" has an empty value.
  std::vector<std::pair<std::string, std::string>> query;
};

Result<Target> decode_target(std::string_view target);

/// True for UTF-8: shortest forms, no surrogates, nothing beyond U+10FFFF.
bool is_utf8(std::string_view text);

}  // namespace allot::http
