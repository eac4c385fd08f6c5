// Refusals that all stores share.
#pragma once

#include <cstdint>
#include <string_view>

#include "allot/base/result.hpp"

namespace allot::store {

tl::unexpected<Error> key_in_use(std::string_view campaign, std::string_view key);
tl::unexpected<Error> content_in_use(std::string_view campaign, std::uint32_t item);

}  // namespace allot::store
