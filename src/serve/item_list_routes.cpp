// The items of a campaign as a list: searched, filtered, and in any order.
//
// A list takes one pass over the items at most. The pass is made once per event
// (OpenCampaign::board), and a client that has the current list gets 304 (ETag).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "allot/base/text.hpp"
#include "base/try.hpp"
#include "serve/item_json.hpp"
#include "serve/report.hpp"
#include "serve/routes.hpp"
#include "serve/schema.hpp"

namespace allot::serve {
namespace {

using campaign::Board;
using campaign::State;
using http::Method;
using http::Response;

/// Items whose contents one request searches.
constexpr std::size_t kMostSearched = 10'000;
/// Bytes of an item's text in a list.
constexpr std::size_t kShortText = 160;

std::string lower(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  return text;
}

/// Values of all fields, joined by " | ".
std::string text_of(const std::string& fields) {
  std::string text;
  const auto members = io::parse_json_object(fields.empty() ? "{}" : fields);
  if (!members) return text;
  for (const io::JsonMember& one : *members) {
    if (!text.empty()) text += " | ";
    text += one.value;
  }
  return text;
}

/// Which items a client wants, in what order, and from where on.
struct ItemQuery {
  enum class Order { given, certainty, labels };
  std::string state, search;
  Order order = Order::given;
  bool down = false;
  std::uint64_t limit = 100;
  /// The last row of the page before: its value and number.
  double after = 0;
  std::optional<std::uint32_t> number = {};

  double key(const Board::Item& item) const {
    if (order == Order::given) return 0;
    return order == Order::certainty ? item.probability : item.labels;
  }
  /// True if one place comes before another.
  bool comes_first(std::pair<double, std::uint32_t> one,
                   std::pair<double, std::uint32_t> other) const {
    return down ? one > other : one < other;
  }
  bool accepts(std::string_view its_state) const {
    return state == "all" || state == its_state || (state == "open" && its_state == "asked");
  }
};

Result<ItemQuery> query_of(const Call& call) {
  ItemQuery query;
  query.limit = TRY(call.limit());
  const auto word = [&](const char* name, const std::vector<std::string>& words,
                        std::string& into) -> Result<void> {
    into = call.query(name).value_or(words.front());
    if (std::ranges::find(words, into) != words.end()) return {};
    return fail(ErrorCode::invalid_argument, fmt::format("unknown {} {}; expected {}", name,
                                                         in_quotes(into), fmt::join(words, ", ")));
  };
  std::string order, direction;
  TRY(word("state", {"all", "open", "asked", "settled", "gold"}, query.state));
  TRY(word("order", {"given", "certainty", "labels"}, order));
  TRY(word("direction", {"up", "down"}, direction));
  query.order = order == "given"       ? ItemQuery::Order::given
                : order == "certainty" ? ItemQuery::Order::certainty
                                       : ItemQuery::Order::labels;
  query.down = direction == "down";
  query.search = lower(call.query("search").value_or(""));
  const auto cursor = call.query("cursor");
  if (!cursor) return query;
  // "VALUE,NUMBER" of the last row.
  const auto parts = split(*cursor, ',');
  const auto number = parse_whole(parts.back());
  char* end = nullptr;
  const std::string value(parts.front());
  query.after = std::strtod(value.c_str(), &end);
  if (parts.size() != 2 || !number || *number >= UINT32_MAX || *end != '\0' || value.empty()) {
    return fail(
        ErrorCode::invalid_argument,
        fmt::format("cursor {} is invalid; expected the `next` of a page", in_quotes(*cursor)));
  }
  query.number = static_cast<std::uint32_t>(*number);
  return query;
}

/// Places of items that may be on the page, in order; without a search only as many as it needs.
std::vector<std::pair<double, std::uint32_t>> places_of(const ItemQuery& query, const Board& board,
                                                        const State& state) {
  using Place = std::pair<double, std::uint32_t>;
  std::vector<Place> places;
  for (std::uint32_t i = 0; i < board.items.size(); ++i) {
    const Place place{query.key(board.items[i]), i};
    if (query.number && !query.comes_first({query.after, *query.number}, place)) continue;
    if (query.accepts(state_of(state, ItemId{i}))) places.push_back(place);
  }
  const auto first = [&](const Place& one, const Place& other) {
    return query.comes_first(one, other);
  };
  const std::size_t enough = query.search.empty() ? query.limit + 1 : places.size();
  const auto middle = places.begin() + static_cast<std::ptrdiff_t>(std::min(enough, places.size()));
  std::partial_sort(places.begin(), middle, places.end(), first);
  places.erase(middle, places.end());
  return places;
}

std::string item_json(const State& state, const Board& board, ItemId item,
                      const std::string& text) {
  const Board::Item& now = board.items[position(item)];
  return JsonObject()
      .text("item", state.id(item))
      .text("state", state_of(state, item))
      .whole("labels", now.labels)
      .whole("at_hand", state.items().pending(item))
      .text_or_null("settled", state.items().finish_reason(item))
      .json("gold", class_or_null(state.options(), state.items().gold(item)))
      .json("truth", class_or_null(state.options(), state.items().truth(item)))
      .text("answer", state.options().classes[position(now.answer)])
      .number("probability", now.probability)
      .text("text", for_display(text, kShortText))
      .end();
}

/// False if a lower-case text cannot be in fields as they are stored: a quick test before parsing.
/// Text with escapes must be parsed.
bool may_hold(const std::string& fields, const std::string& search) {
  return fields.find('\\') != std::string::npos || lower(fields).find(search) != std::string::npos;
}

Result<Response> items_page(OpenCampaign& room, const State& state, const Board& board,
                            const ItemQuery& query) {
  const auto places = places_of(query, board, state);
  JsonList list;
  std::uint64_t rows = 0;
  std::size_t looked = 0;
  for (; looked < places.size() && rows < query.limit && looked < kMostSearched; ++looked) {
    const ItemId item{places[looked].second};
    const auto fields = TRY(room.view().content(item));
    const bool named = lower(state.id(item)).find(query.search) != std::string::npos;
    // Fields are joined by " | " in the text, so a search with that sign may span two of them.
    const bool apart = query.search.find('|') != std::string::npos;
    if (!named && !apart && !may_hold(fields, query.search)) continue;
    const std::string text = text_of(fields);
    if (!named && lower(text).find(query.search) == std::string::npos) continue;
    list.json(item_json(state, board, item, text));
    ++rows;
  }
  std::string next;
  if (looked < places.size()) {
    const auto& [value, number] = places[looked - 1];
    next = fmt::format("{},{}", value, number);
  }
  return json_response(JsonObject().json("items", list.end()).text_or_null("next", next).end());
}

void list_items(const CallPtr& call) {
  const auto query = query_of(*call);
  if (!query) return call->refuse(query.error());
  call->look([call, query = *query](OpenCampaign& room) {
    return tagged(*call, room, [&] {
      return room.board().and_then([&](const OpenCampaign::Boards& board) {
        return room.read([&](const State& state) { return items_page(room, state, *board, query); })
            .and_then([](Result<Response> page) { return page; });
      });
    });
  });
}

}  // namespace

void add_item_list_routes(std::vector<Route>& routes) {
  using namespace schema;
  routes.push_back(
      {.method = Method::get,
       .pattern = "/api/v1/campaigns/{campaign}/items",
       .access = Access::owner,
       .name = "list_items",
       .summary = "List items, in the order added, by certainty or by number of labels",
       .handle = list_items,
       .response = object({{"items", list(ref("Item"))}, {"next", or_null(text())}}),
       .query = {{"search", text(),
                  "Part of the id or of a field, case ignored. A page of a search can "
                  "have fewer rows than the limit and still a next page"},
                 {"state", word({"all", "open", "asked", "settled", "gold"}),
                  "open includes asked"},
                 {"order", word({"given", "certainty", "labels"}),
                  "Default: given, the order in which items were added"},
                 {"direction", word({"up", "down"}), "Default: up"},
                 {"limit", whole_from(1, Call::kMostRows), "Rows per page; default: 100"},
                 {"cursor", text(), "The `next` of the previous page"}},
       .tagged = true});
}

}  // namespace allot::serve
