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
  return fail(ErrorCode::conflict, fmt::format("campaign {}: item {} has its content already",
                                               in_quotes(campaign), item));
}

}  // namespace allot::store
