// ETags: does the client have the current response?
#pragma once

#include <algorithm>
#include <string_view>

#include "allot/base/text.hpp"
#include "http/message.hpp"

namespace allot::serve {

/// True if If-None-Match has the tag [RFC 9110, 13.1.2]: a list of tags, weak or not, or `*`.
inline bool is_known(const http::Request& request, std::string_view tag) {
  const auto field = request.fields.find("If-None-Match");
  if (!field) return false;
  return std::ranges::any_of(split(*field, ','), [&](std::string_view one) {
    one = trim(one);
    if (one.starts_with("W/")) one.remove_prefix(2);
    return one == tag || one == "*";
  });
}

}  // namespace allot::serve
