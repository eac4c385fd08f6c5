// Refusals that several parts of the store share.
#pragma once

#include <cstdint>
#include <string_view>

#include "allot/base/result.hpp"

namespace allot::store {

tl::unexpected<Error> key_in_use(std::string_view campaign, std::string_view key);
tl::unexpected<Error> content_in_use(std::string_view campaign, std::uint32_t item);
tl::unexpected<Error> not_a_campaign_file(std::string_view path);
/// `what` says how the file is damaged: "record 7 is missing".
tl::unexpected<Error> damaged(std::string_view path, std::string_view what);

}  // namespace allot::store
