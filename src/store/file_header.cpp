#include "store/file_header.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "allot/base/text.hpp"
#include "store/messages.hpp"

namespace allot::store {
namespace {

/// Header of a SQLite file [sqlite.org/fileformat.html, section 1.3]: big-endian numbers.
struct FileHeader {
  std::array<unsigned char, 100> bytes{};

  std::uint64_t word(std::size_t at) const {
    return std::uint64_t{bytes[at]} << 24 | std::uint64_t{bytes[at + 1]} << 16 |
           std::uint64_t{bytes[at + 2]} << 8 | bytes[at + 3];
  }
  bool is_sqlite() const {
    return std::string_view(reinterpret_cast<const char*>(bytes.data()), 15) == "SQLite format 3";
  }
  std::uint64_t page_size() const {
    const std::uint64_t size = std::uint64_t{bytes[16]} << 8 | bytes[17];
    return size == 1 ? 65536 : size;
  }
  /// The page count is valid only if the last writer also updated it.
  bool has_page_count() const { return word(24) == word(92); }
  std::uint64_t page_count() const { return word(28); }
};

}  // namespace

Result<void> check_file_header(const std::string& path) {
  std::error_code missing;
  const auto size = std::filesystem::file_size(path, missing);
  if (missing || size == 0) return {};
  FileHeader header;
  std::ifstream(path, std::ios::binary)
      .read(reinterpret_cast<char*>(header.bytes.data()), header.bytes.size());
  if (!header.is_sqlite()) return not_a_campaign_file(path);
  const auto log = std::filesystem::file_size(path + "-wal", missing);
  if (!missing && log > 0) return {};
  const std::uint64_t expected = header.page_count() * header.page_size();
  if (header.has_page_count() && expected > size) {
    return fail(ErrorCode::store_failure,
                fmt::format("{}: the file is cut short, {} bytes instead of {}; restore it from a "
                            "backup",
                            in_quotes(path), size, expected));
  }
  return {};
}

}  // namespace allot::store
