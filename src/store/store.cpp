#include "allot/store/store.hpp"

#include <fmt/format.h>

#include "allot/base/text.hpp"

namespace allot::store {

Result<void> Store::append(std::string_view campaign, std::uint64_t last,
                           std::span<const Draft> drafts, std::span<const Content> contents) {
  auto turn = begin(campaign);
  if (!turn) return tl::unexpected(turn.error());
  const auto now = this->last(campaign);
  if (!now) return tl::unexpected(now.error());
  if (*now != last) {
    return fail(ErrorCode::conflict,
                fmt::format("campaign {}: the last record is {}, expected {}; others were faster",
                            in_quotes(campaign), *now, last));
  }
  return (*turn)->append(drafts).and_then([&] { return (*turn)->add(contents); }).and_then([&] {
    return (*turn)->commit();
  });
}

}  // namespace allot::store
