#include "serve/events.hpp"

#include "allot/campaign/export.hpp"
#include "base/try.hpp"
#include "serve/json.hpp"

namespace allot::serve {

Result<EventTexts> events_json(OpenCampaign& room, std::uint64_t after, std::size_t most) {
  const auto events = TRY(room->view().events(after, most));
  return room.read([&](const campaign::State& state) {
    EventTexts texts;
    for (const campaign::LedgerEntry& one : events) {
      const auto* added = std::get_if<campaign::ItemsAdded>(&one.event);
      const campaign::EventRow row =
          added ? campaign::EventRow() : campaign::event_rows(one.event, state).front();
      const std::string name(campaign::name(one.event));
      JsonObject json;
      json.whole("sequence", one.sequence)
          .time("time", one.time)
          .text("event", name)
          .text_or_null("item", row.item)
          .text_or_null("worker", row.worker)
          .text_or_null("label", row.label)
          .json("price", row.price.empty() ? "null" : row.price)
          .text_or_null("expires", row.expires)
          .text_or_null("detail", row.detail);
      if (added) {
        json.whole("items", added->items.size());
      } else {
        json.json("items", "null");
      }
      texts.push_back({one.sequence, name, json.end()});
    }
    return texts;
  });
}

}  // namespace allot::serve
