#include "io/gzip.hpp"

#include <zlib.h>

#include <algorithm>
#include <memory>
#include <new>

#include "base/errors.hpp"

namespace allot::io {
namespace {

/// zlib counts in 32 bits, so bytes go in and out in pieces.
constexpr std::size_t kPiece = std::size_t{1} << 16;

class Inflater {
 public:
  explicit Inflater(std::string_view bytes)
      : rest_(bytes), piece_(std::make_unique_for_overwrite<Bytef[]>(kPiece)) {
    constexpr int kGzipOnly = 15 + 16;
    if (inflateInit2(&stream_, kGzipOnly) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;

  /// Appends the output of the next piece of input; returns zlib's status.
  int advance(std::string& text) {
    const std::size_t given = std::min(rest_.size(), kPiece);
    // zlib does not write to its input.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(rest_.data()));
    stream_.avail_in = static_cast<uInt>(given);
    stream_.next_out = piece_.get();
    stream_.avail_out = static_cast<uInt>(kPiece);
    const int verdict = inflate(&stream_, Z_NO_FLUSH);
    rest_.remove_prefix(given - stream_.avail_in);
    text.append(reinterpret_cast<const char*>(piece_.get()), kPiece - stream_.avail_out);
    return verdict;
  }
  void next_member() { inflateReset(&stream_); }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
  std::unique_ptr<Bytef[]> piece_;
  z_stream stream_{};
};

bool only_zeros(std::string_view bytes) {
  return bytes.find_first_not_of('\0') == std::string_view::npos;
}

tl::unexpected<Error> refuse(std::string_view why) {
  return fail(ErrorCode::invalid_argument, std::string(why));
}

}  // namespace

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

Result<std::string> gunzip(std::string_view bytes, std::uint64_t most) {
  Inflater inflater(bytes);
  std::string text;
  while (true) {
    const int verdict = inflater.advance(text);
    if (text.size() > most) {
      return fail(ErrorCode::too_large, "is gzip of more than {0} bytes; expected at most {0}",
                  most);
    }
    if (verdict == Z_MEM_ERROR) throw std::bad_alloc();
    if (verdict == Z_BUF_ERROR) return refuse("is truncated gzip; expected a complete file");
    if (verdict == Z_STREAM_END) {
      if (only_zeros(inflater.rest())) return text;
      if (!is_gzip(inflater.rest()))
        return refuse("is gzip followed by other bytes; expected gzip only");
      inflater.next_member();
    } else if (verdict != Z_OK) {
      return refuse("is damaged gzip; expected a file that 'gzip -t' accepts");
    }
  }
}

}  // namespace allot::io
