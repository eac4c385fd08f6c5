#include "serve/webhook_reading.hpp"

#include <algorithm>
#include <iterator>

#include "base/try.hpp"

namespace allot::serve {

Result<void> read_page(OpenCampaign& room, LedgerPage& page, std::size_t most) {
  LedgerCursor& cursor = *page.cursor;
  TRY(room->view().read([&](const campaign::State& state) {
    if (!cursor.began && !cursor.writer.needs_history(state)) cursor.at = page.from;
  }));
  cursor.began = true;
  const auto events = TRY(room->view().events(cursor.at, most));
  return room->view().read([&](const campaign::State& state) {
    for (const campaign::LedgerEntry& entry : events) {
      std::vector<Message> messages;
      cursor.writer.take(entry, state, messages);
      cursor.at = entry.sequence;
      if (entry.sequence > page.from) {
        std::ranges::move(messages, std::back_inserter(page.messages));
      }
    }
    page.to = std::max(page.from, cursor.at);
    page.last = state.sequence();
  });
}

}  // namespace allot::serve
