// Values as bytes and back: small whole numbers take one byte, doubles keep every bit.
//
// Whole numbers are varints: seven bits per byte, low bits first. Signed numbers are zigzag-encoded
// varints. Reading past the end, or malformed input, yields zeros and empty texts and sets
// `failed()`; check it once at the end.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace allot {

/// Appends values to a string of bytes.
class ByteWriter {
 public:
  /// Writes one byte.
  void byte(std::uint8_t value) { bytes_.push_back(static_cast<char>(value)); }
  /// Writes a whole number in 1 to 10 bytes.
  void number(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) byte(static_cast<std::uint8_t>(value | 0x80));
    byte(static_cast<std::uint8_t>(value));
  }
  /// Writes a number that can be negative; numbers near 0 take one byte.
  void signed_number(std::int64_t value) {
    number(static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63));
  }
  /// Writes the eight bytes of a double.
  void real(double value) { plain(std::span(&value, 1)); }
  /// Writes the length of the text, then the text.
  void text(std::string_view value) {
    number(value.size());
    bytes_.append(value);
  }
  /// Writes the count, then the values as they are in memory. Little-endian machines only.
  template <typename T>
  void array(const std::vector<T>& values) {
    number(values.size());
    plain(std::span(values));
  }

  /// All bytes written so far.
  const std::string& bytes() const { return bytes_; }
  /// Moves the bytes out of the writer.
  std::string take() && { return std::move(bytes_); }

 private:
  template <typename T>
  void plain(std::span<T> values) {
    static_assert(std::endian::native == std::endian::little);
    static_assert(std::is_trivially_copyable_v<T>);
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  }

  std::string bytes_;
};

/// Reads values in the order a ByteWriter wrote them.
class ByteReader {
 public:
  /// The bytes must outlive the reader.
  explicit ByteReader(std::string_view bytes) : left_(bytes) {}

  /// Reads one byte.
  std::uint8_t byte() {
    if (left_.empty()) return fail();
    const auto value = static_cast<std::uint8_t>(left_.front());
    left_.remove_prefix(1);
    return value;
  }
  /// Reads a whole number.
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint8_t part = byte();
      value |= std::uint64_t{part & 0x7FU} << shift;
      if (part < 0x80) return value;
    }
    return fail();
  }
  /// Reads a number that can be negative.
  std::int64_t signed_number() {
    const std::uint64_t value = number();
    return static_cast<std::int64_t>(value >> 1 ^ (~(value & 1) + 1));
  }
  /// Reads a number and fails if it is above `most`.
  template <typename T = std::uint32_t>
  T at_most(std::uint64_t most) {
    const std::uint64_t value = number();
    return static_cast<T>(value <= most ? value : fail());
  }
  /// Reads a double.
  double real() {
    double value = 0;
    copy(&value, sizeof value);
    return value;
  }
  /// Reads a text. It points into the bytes of the reader.
  std::string_view text() {
    const std::uint64_t size = number();
    if (size > left_.size()) return fail(), std::string_view();
    const std::string_view value = left_.substr(0, size);
    left_.remove_prefix(size);
    return value;
  }
  /// Reads a count and as many values.
  template <typename T>
  void array(std::vector<T>& values) {
    static_assert(std::is_trivially_copyable_v<T>);
    values.resize(count(sizeof(T)));
    copy(values.data(), values.size() * sizeof(T));
  }
  /// Reads a count of elements and fails if fewer than `bytes_each` bytes per element follow.
  std::size_t count(std::size_t bytes_each) {
    const std::uint64_t value = number();
    return value <= left_.size() / bytes_each ? value : fail();
  }

  /// Marks the input as malformed, for example after a value that makes no sense.
  void refuse() { fail(); }

  /// True once a read has failed.
  bool failed() const { return failed_; }
  /// True if every byte was read and no read failed.
  bool done() const { return !failed_ && left_.empty(); }

 private:
  std::uint8_t fail() {
    failed_ = true;
    left_ = {};
    return 0;
  }
  void copy(void* to, std::size_t size) {
    if (size > left_.size()) {
      fail();
      return;
    }
    if (size > 0) std::memcpy(to, left_.data(), size);
    left_.remove_prefix(size);
  }

  std::string_view left_;
  bool failed_ = false;
};

}  // namespace allot
