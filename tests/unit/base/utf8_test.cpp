#include "base/utf8.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace allot::base::utf8_test {
namespace {

/// UTF-8 by another road: code points are encoded, and nothing else is valid.
TEST(Utf8, KnowsUtf8FromEncodingEveryCodePoint) {
  const auto encode = [](std::uint32_t code) {
    const auto byte = [](std::uint32_t bits) { return static_cast<char>(bits); };
    std::string text;
    if (code < 0x80) return text += byte(code);
    if (code < 0x800) return (text += byte(0xc0 | code >> 6)) += byte(0x80 | (code & 63));
    if (code < 0x10000)
      return ((text += byte(0xe0 | code >> 12)) += byte(0x80 | (code >> 6 & 63))) +=
             byte(0x80 | (code & 63));
    return (((text += byte(0xf0 | code >> 18)) += byte(0x80 | (code >> 12 & 63))) +=
            byte(0x80 | (code >> 6 & 63))) += byte(0x80 | (code & 63));
  };
  std::size_t two = 0, three = 0;
  for (std::uint32_t code = 0; code < 0x120000; ++code) {
    const std::string text = encode(code);
    const bool valid = code < 0xd800 || (code >= 0xe000 && code < 0x110000);
    ASSERT_EQ(is_utf8(text), valid) << code;
    if (text.size() > 1) {
      ASSERT_FALSE(is_utf8(text.substr(0, text.size() - 1))) << code;
      ASSERT_FALSE(is_utf8(text.substr(1))) << code;
    }
    two += valid && text.size() == 2;
    three += valid && text.size() == 3;
  }
  // All texts of two and three bytes with no ASCII in them: as many are valid as were encoded.
  std::size_t pairs = 0, triples = 0;
  for (int a = 128; a < 256; ++a)
    for (int b = 128; b < 256; ++b) {
      const std::string text{static_cast<char>(a), static_cast<char>(b)};
      pairs += is_utf8(text);
      for (int c = 128; c < 256; ++c) triples += is_utf8(text + static_cast<char>(c));
    }
  EXPECT_EQ(pairs, two);
  EXPECT_EQ(triples, three);
}

}  // namespace
}  // namespace allot::base::utf8_test
