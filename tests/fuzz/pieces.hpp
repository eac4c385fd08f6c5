// Small things that fuzz targets share: parts of their bytes, and what holds for every refusal.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "allot/base/result.hpp"
#include "base/utf8.hpp"
#include "fuzz/demand.hpp"

namespace allot::test {

template <typename T>
void check_refusal(const Result<T>& result) {
  if (result) return;
  demand(!result.error().message.empty(), "a refusal says why");
  demand(is_utf8(result.error().message), "a refusal is UTF-8");
}

/// The first byte chooses one of `count`; the rest is the text.
inline std::size_t choose(std::string_view& bytes, std::size_t count) {
  if (bytes.empty()) return 0;
  const std::size_t chosen = static_cast<unsigned char>(bytes.front()) % count;
  bytes.remove_prefix(1);
  return chosen;
}

/// A number of `count` bytes, least first, from the front.
inline std::size_t take_number(std::string_view& bytes, std::size_t count) {
  std::size_t number = 0;
  for (std::size_t n = 0; n < count && n < bytes.size(); ++n)
    number |= std::size_t{static_cast<unsigned char>(bytes[n])} << (8 * n);
  bytes.remove_prefix(std::min(count, bytes.size()));
  return number;
}

inline std::string_view take_bytes(std::string_view& bytes, std::size_t count) {
  const std::string_view taken = bytes.substr(0, count);
  bytes.remove_prefix(taken.size());
  return taken;
}

}  // namespace allot::test
