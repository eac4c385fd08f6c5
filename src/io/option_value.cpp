#include "io/option_value.hpp"

#include <fmt/format.h>

namespace allot::io {

Result<std::uint64_t> read_whole(std::string_view option, std::string_view text,
                                 std::uint64_t least, std::uint64_t most) {
  const auto number = parse_whole(text);
  if (number && *number >= least && *number <= most) return *number;
  return fail(ErrorCode::invalid_argument,
              fmt::format("{} '{}' is not valid; expected a whole number from {} to {}", option,
                          text, least, most));
}

}  // namespace allot::io
