#include "allot/store/store.hpp"

#include "allot/base/text.hpp"
#include "base/errors.hpp"

namespace allot::store {

Result<void> Store::append(std::string_view campaign, std::uint64_t last,
                           std::span<const Draft> drafts, std::span<const Content> contents) {
  auto turn = TRY(begin(campaign));
  const auto now = TRY(turn->last());
  if (now != last) {
    return fail(ErrorCode::conflict,
                "campaign {}: the last record is {}, since another writer was faster; expected {}",
                in_quotes(campaign), now, last);
  }
  return turn->append(drafts).and_then([&] { return turn->add(contents); }).and_then([&] {
    return turn->commit();
  });
}

}  // namespace allot::store
