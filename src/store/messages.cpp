#include "store/messages.hpp"

#include <fmt/format.h>

#include "allot/base/text.hpp"

namespace allot::store {

tl::unexpected<Error> key_in_use(std::string_view campaign, std::string_view key) {
  return fail(ErrorCode::conflict,
              fmt::format("campaign {}: the key {} was used before; expected a new one",
                          in_quotes(campaign), in_quotes(key)));
}

tl::unexpected<Error> content_in_use(std::string_view campaign, std::uint32_t item) {
  return fail(ErrorCode::conflict,
              fmt::format("campaign {}: item {} already has its content; expected a new item",
                          in_quotes(campaign), item));
}

tl::unexpected<Error> not_a_campaign_file(std::string_view path) {
  return fail(ErrorCode::store_failure,
              fmt::format("{}: not a campaign file; expected one made by allot", in_quotes(path)));
}

tl::unexpected<Error> damaged(std::string_view path, std::string_view what) {
  return fail(
      ErrorCode::store_failure,
      fmt::format("{}: the file is damaged, {}; restore it from a backup", in_quotes(path), what));
}

}  // namespace allot::store
