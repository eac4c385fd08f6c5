#include "campaign/field_check.hpp"

#include "allot/base/text.hpp"
#include "base/try.hpp"
#include "campaign/core.hpp"
#include "store/checksum.hpp"
#include "store/ledger_backup.hpp"
#include "store/messages.hpp"

namespace allot::campaign {

Result<std::vector<std::string>> changed_fields(const ItemsAdded& event, std::uint32_t first,
                                                const ContentReader& contents) {
  std::vector<std::string> changed;
  std::vector<store::Content> stored;
  auto here = stored.begin();
  for (std::uint32_t number = first; const NewItem& item : event.items) {
    const std::uint32_t own = number++;
    if (!item.checksum) continue;
    while (here != stored.end() && here->item < own) ++here;
    if (here == stored.end()) {
      stored = TRY(contents(own, kContentsAtOnce));
      here = stored.begin();
    }
    const bool is_same = here != stored.end() && here->item == own &&
                         store::checksum(here->fields) == *item.checksum;
    if (!is_same) changed.push_back(item.id);
  }
  return changed;
}

Result<void> check_fields(const store::LedgerSource& ledger) {
  std::uint32_t items = 0;
  const auto read = [&](std::uint32_t from, std::size_t most) {
    return ledger.contents(from, most);
  };
  return ledger.each_of_kind(kind(ItemsAdded{}), [&](const store::Record& record) -> Result<void> {
    const auto event = std::get<ItemsAdded>(TRY(decode(record.kind, record.payload)));
    const auto changed = TRY(changed_fields(event, items, read));
    items += static_cast<std::uint32_t>(event.items.size());
    if (changed.empty()) return {};
    return store::damaged(ledger.path(), "the fields of item {} are not those that were added",
                          in_quotes(changed.front()));
  });
}

}  // namespace allot::campaign
