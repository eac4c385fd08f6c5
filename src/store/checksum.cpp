#include "store/checksum.hpp"

#include <zlib.h>

#include <array>

namespace allot::store {

std::uint32_t checksum(const Draft& draft, std::uint64_t sequence) {
  const auto add = [](uLong sum, const void* bytes, std::size_t size) {
    return crc32_z(sum, static_cast<const Bytef*>(bytes), size);
  };
  const std::array<std::uint64_t, 3> head{sequence, static_cast<std::uint64_t>(draft.time),
                                          draft.kind | std::uint64_t{draft.key.size()} << 8};
  uLong sum = add(0, head.data(), sizeof head);
  sum = add(sum, draft.key.data(), draft.key.size());
  return static_cast<std::uint32_t>(add(sum, draft.payload.data(), draft.payload.size()));
}

std::uint32_t checksum(std::string_view text) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(text.data()), text.size()));
}

}  // namespace allot::store
