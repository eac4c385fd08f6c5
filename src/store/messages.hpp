// Refusals that several parts of the store share.
#pragma once

#include "allot/base/result.hpp"
#include "allot/base/text.hpp"
#include "base/errors.hpp"

namespace allot::store {

inline tl::unexpected<Error> key_in_use(std::string_view campaign, std::string_view key) {
  return fail(ErrorCode::conflict, "campaign {}: the key {} was used before; expected a new one",
              in_quotes(campaign), in_quotes(key));
}

inline tl::unexpected<Error> content_in_use(std::string_view campaign, std::uint32_t item) {
  return fail(ErrorCode::conflict,
              "campaign {}: item {} already has its content; expected a new item",
              in_quotes(campaign), item);
}

/// A refusal that names the file.
template <typename... Args>
tl::unexpected<Error> in_file(std::string_view path, fmt::format_string<Args...> problem,
                              Args&&... args) {
  return fail(ErrorCode::store_failure, "{}: {}", in_quotes(path),
              fmt::format(problem, std::forward<Args>(args)...));
}

inline tl::unexpected<Error> not_a_campaign_file(std::string_view path) {
  return in_file(path, "not a campaign file; expected one made by allot");
}

/// `what` says how the file is damaged: "record 7 is missing".
template <typename... Args>
tl::unexpected<Error> damaged(std::string_view path, fmt::format_string<Args...> what,
                              Args&&... args) {
  return in_file(path, "the file is damaged, {}; restore it from a backup",
                 fmt::format(what, std::forward<Args>(args)...));
}

}  // namespace allot::store
