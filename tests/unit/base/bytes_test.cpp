#include "allot/base/bytes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace allot::bytes_test {
namespace {

TEST(Bytes, ReadBackWhatWasWritten) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  const std::string odd("\0\xff", 2);
  ByteWriter out;
  for (const std::uint64_t n : {std::uint64_t{0}, std::uint64_t{127}, std::uint64_t{128}, kMost}) {
    out.number(n);
  }
  for (const std::int64_t n : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1}, kLeast}) {
    out.signed_number(n);
  }
  out.byte(200);
  out.real(-0.0);
  out.text(odd);
  out.array(std::vector<double>{0.1, std::nan("")});
  ByteReader in(out.bytes());
  for (const std::uint64_t n : {std::uint64_t{0}, std::uint64_t{127}, std::uint64_t{128}, kMost}) {
    EXPECT_EQ(in.number(), n);
  }
  for (const std::int64_t n : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1}, kLeast}) {
    EXPECT_EQ(in.signed_number(), n);
  }
  EXPECT_EQ(in.byte(), 200);
  EXPECT_TRUE(std::signbit(in.real()));
  EXPECT_EQ(in.text(), odd);
  std::vector<double> reals;
  in.array(reals);
  EXPECT_EQ(reals.front(), 0.1);
  EXPECT_TRUE(std::isnan(reals.back()));
  EXPECT_TRUE(in.done());
}

TEST(Bytes, SmallNumbersTakeOneByte) {
  ByteWriter out;
  out.number(100);
  out.signed_number(-50);
  EXPECT_EQ(out.bytes().size(), 2U);
}

TEST(Bytes, TruncatedInputSetsFailed) {
  ByteWriter out;
  out.number(300);
  out.text("abc");
  out.real(1);
  out.array(std::vector<std::uint32_t>{1, 2});
  for (std::size_t size = 0; size < out.bytes().size(); ++size) {
    ByteReader in(std::string_view(out.bytes()).substr(0, size));
    in.number();
    in.text();
    in.real();
    std::vector<std::uint32_t> values;
    in.array(values);
    EXPECT_TRUE(in.failed()) << size;
    EXPECT_FALSE(in.done());
  }
}

TEST(Bytes, MalformedInputSetsFailed) {
  ByteReader endless("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff");
  endless.number();
  EXPECT_TRUE(endless.failed());
  ByteReader large("\xff\xff\xff\xff\x0f");
  std::vector<double> values;
  large.array(values);
  EXPECT_TRUE(large.failed());
  EXPECT_TRUE(values.empty());
  ByteReader beyond("\x05");
  EXPECT_EQ(beyond.at_most(4), 0U);
  EXPECT_TRUE(beyond.failed());
}

}  // namespace
}  // namespace allot::bytes_test
