// Any bytes as a target and as a request: what must hold whatever they are.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "base/utf8.hpp"
#include "fuzz/demand.hpp"
#include "http/parser.hpp"
#include "http/url.hpp"

namespace allot::test {

inline void check_target(std::string_view bytes) {
  const auto target = http::decode_target(bytes);
  if (!target) {
    demand(is_utf8(target.error().message), "a refusal is UTF-8");
    return;
  }
  demand(target->path.starts_with('/'), "a path starts with a slash");
  demand(is_utf8(target->path), "a path is UTF-8");
  demand(target->path.find('\0') == std::string::npos, "a path has no NUL");
  demand((target->path + "/").find("/../") == std::string::npos, "a path goes down only");
  demand(target->path.size() <= bytes.size() + 1, "decoding makes nothing longer");
  for (const auto& [name, value] : target->query) {
    demand(is_utf8(name) && is_utf8(value), "a parameter is UTF-8");
    demand((name + value).find('\0') == std::string::npos, "a parameter has no NUL");
  }
}

/// How a request ends and what it says, the bytes coming in pieces of that size.
inline std::string outcome(std::string_view bytes, std::size_t piece) {
  constexpr std::size_t largest_head = 300, largest_body = 200;
  http::Parser parser(largest_head);
  std::string waiting, body, asked;
  for (bool more = true; more && !parser.done();) {
    const std::string_view next = bytes.substr(0, piece);
    bytes.remove_prefix(next.size());
    waiting += next;
    const bool had_head = parser.has_head();
    const auto taken = parser.take(waiting, body);
    if (!taken) {
      demand(is_utf8(taken.error().detail), "a refusal is UTF-8");
      return "refused";
    }
    demand(*taken <= waiting.size(), "no more is taken than there is");
    waiting.erase(0, *taken);
    demand(body.size() <= largest_body, "a body keeps to its limit");
    more = !next.empty() || *taken > 0;
    if (had_head || !parser.has_head()) continue;
    const auto valid = http::validate(parser.head());
    if (!valid) return "refused";
    if (parser.length().value_or(0) > largest_body) return "refused";
    parser.limit_body(largest_body);
    asked = valid->target.path + " " + std::to_string(parser.head().fields.list().size());
    more = true;
  }
  return (parser.done() ? "done " : "waits ") + asked + " " + body;
}

/// What a request says does not depend on how its bytes come. Bytes that are none may be refused
/// in one case and waited on in the other, until the time is up: neither is served.
inline void check_http_bytes(std::string_view bytes) {
  check_target(bytes);
  const std::string whole = outcome(bytes, bytes.size() + 1);
  for (const std::size_t piece : {1UL, 2UL, 7UL}) {
    const std::string pieces = outcome(bytes, piece);
    const bool served = whole.starts_with("done") || pieces.starts_with("done");
    if (pieces == whole || (!served && (whole == "refused" || pieces == "refused"))) continue;
    std::fprintf(stderr, "whole: %s\npieces of %zu: %s\n", whole.c_str(), piece, pieces.c_str());
    demand(false, "pieces make no difference");
  }
}

}  // namespace allot::test
