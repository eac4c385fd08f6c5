// The items of a campaign: listed, in any order, and one of them with all that happened to it.
//
// A list is one pass over the items at most, made once an event (Room::board) and not sent again
// while nothing happens (ETag).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "allot/base/text.hpp"
#include "base/try.hpp"
#include "io/json_object.hpp"
#include "serve/problem.hpp"
#include "serve/report.hpp"
#include "serve/schema.hpp"

namespace allot::serve {
namespace {

using campaign::Board;
using campaign::Options;
using campaign::State;
using http::Method;
using http::Response;

constexpr std::size_t kMostHistory = 1000;
/// Contents that one request looks through.
constexpr std::size_t kMostSearched = 10'000;
constexpr std::size_t kShortText = 160;

std::string class_or_null(const Options& options, const std::optional<ClassId>& one) {
  return one ? io::json_string(options.classes[position(*one)]) : "null";
}

std::string lower(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  return text;
}

/// What the fields say, one after the other.
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

std::string_view state_of(const State& state, ItemId item) {
  if (state.truth(item)) return "gold";
  if (!state.settled(item).empty()) return "settled";
  return state.pending(item) > 0 ? "asked" : "open";
}

/// Which items are wanted, and in what order.
struct Wanted {
  enum class Order { given, certainty, labels };
  std::string state, search;
  Order order = Order::given;
  bool down = false;
  std::uint64_t limit = 100;
  /// The last row of the page before: its value and number.
  double after = 0;
  std::optional<std::uint32_t> number = {};

  double key(const Board::Item& item) const {
    switch (order) {
      case Order::given:
        return 0;
      case Order::certainty:
        return item.probability;
      case Order::labels:
        break;
    }
    return item.labels;
  }
  /// Whether one place comes before another.
  bool comes_first(std::pair<double, std::uint32_t> one,
                   std::pair<double, std::uint32_t> other) const {
    return down ? one > other : one < other;
  }
  bool is_wanted(std::string_view its_state) const {
    return state == "all" || state == its_state || (state == "open" && its_state == "asked");
  }
};

Result<Wanted> wanted_of(const Call& call) {
  Wanted wanted;
  const auto limit = TRY(call.limit());
  wanted.limit = limit;
  const auto word = [&](const char* name, const std::vector<std::string>& words,
                        std::string& into) -> Result<void> {
    into = call.query(name).value_or(words.front());
    if (std::ranges::find(words, into) != words.end()) return {};
    return fail(ErrorCode::invalid_argument, fmt::format("{} {} is unknown; expected {}", name,
                                                         in_quotes(into), fmt::join(words, ", ")));
  };
  std::string order, direction;
  const auto read = word("state", {"all", "open", "asked", "settled", "gold"}, wanted.state)
                        .and_then([&] {
                          return word("order", {"given", "certainty", "labels"}, order);
                        })
                        .and_then([&] {
                          return word("direction", {"up", "down"}, direction);
                        });
  if (!read) return tl::unexpected(read.error());
  wanted.order = order == "given"       ? Wanted::Order::given
                 : order == "certainty" ? Wanted::Order::certainty
                                        : Wanted::Order::labels;
  wanted.down = direction == "down";
  wanted.search = lower(call.query("search").value_or(""));
  const auto cursor = call.query("cursor");
  if (!cursor) return wanted;
  // "VALUE,NUMBER" of the last row.
  const auto parts = split(*cursor, ',');
  const auto number = parse_whole(parts.back());
  char* end = nullptr;
  const std::string value(parts.front());
  wanted.after = std::strtod(value.c_str(), &end);
  if (parts.size() != 2 || !number || *number >= UINT32_MAX || *end != '\0' || value.empty()) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("cursor {} is none of ours; expected the `next` of a page",
                            in_quotes(*cursor)));
  }
  wanted.number = static_cast<std::uint32_t>(*number);
  return wanted;
}

/// The places of items that may be in a page, in order; without a search no more than it takes.
std::vector<std::pair<double, std::uint32_t>> places_of(const Wanted& wanted, const Board& board,
                                                        const State& state) {
  using Place = std::pair<double, std::uint32_t>;
  std::vector<Place> places;
  for (std::uint32_t i = 0; i < board.items.size(); ++i) {
    const Place place{wanted.key(board.items[i]), i};
    if (wanted.number && !wanted.comes_first({wanted.after, *wanted.number}, place)) continue;
    if (wanted.is_wanted(state_of(state, ItemId{i}))) places.push_back(place);
  }
  const auto first = [&](const Place& one, const Place& other) {
    return wanted.comes_first(one, other);
  };
  const std::size_t enough = wanted.search.empty() ? wanted.limit + 1 : places.size();
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
      .whole("at_hand", state.pending(item))
      .text_or_null("settled", state.settled(item))
      .json("gold", class_or_null(state.options(), state.truth(item)))
      .json("truth", class_or_null(state.options(), state.reference(item)))
      .text("answer", state.options().classes[position(now.answer)])
      .number("probability", now.probability)
      .text("text", for_display(text, kShortText))
      .end();
}

/// Whether a text that is sought, in small letters, may be in fields as they are kept.
bool may_hold(const std::string& fields, const std::string& search) {
  return fields.find('\\') != std::string::npos || lower(fields).find(search) != std::string::npos;
}

Result<Response> items_page(Room& room, const State& state, const Board& board,
                            const Wanted& wanted) {
  const auto places = places_of(wanted, board, state);
  JsonList list;
  std::uint64_t rows = 0;
  std::size_t looked = 0;
  for (; looked < places.size() && rows < wanted.limit && looked < kMostSearched; ++looked) {
    const ItemId item{places[looked].second};
    const auto fields = TRY(room.content(item));
    const bool named = lower(state.id(item)).find(wanted.search) != std::string::npos;
    // Texts are one behind the other in what is shown, so a part of it may lie in two of them.
    const bool apart = wanted.search.find('|') != std::string::npos;
    if (!named && !apart && !may_hold(fields, wanted.search)) continue;
    const std::string text = text_of(fields);
    if (!named && lower(text).find(wanted.search) == std::string::npos) continue;
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
  const auto wanted = wanted_of(*call);
  if (!wanted) return call->refuse(wanted.error());
  call->look([call, wanted = *wanted](Room& room) {
    return tagged(*call, room, [&] {
      return room.board().and_then([&](const Room::Boards& board) {
        return room
            .seen([&](const State& state) { return items_page(room, state, *board, wanted); })
            .and_then([](Result<Response> page) { return page; });
      });
    });
  });
}

/// Rows of an item's history as they are told, and what was said in them.
struct History {
  std::vector<JsonObject> rows;
  std::vector<campaign::Said> said;
  std::vector<std::size_t> said_in;  // which row
};

void add_row(History& history, const State& state, const campaign::Happened& one) {
  using namespace campaign;
  JsonObject row;
  row.whole("event", one.sequence).time("time", one.time);
  const auto tell = [&](std::string_view what, WorkerId worker, std::optional<ClassId> label,
                        std::optional<Money> price, std::string_view detail) {
    row.text("what", what)
        .text("worker", state.name(worker))
        .json("label", class_or_null(state.options(), label))
        .json("price", price ? money_text(*price) : "null")
        .text_or_null("detail", detail);
    if (!label) return;
    history.said.push_back({worker, *label});
    history.said_in.push_back(history.rows.size());
  };
  if (const auto* leased = std::get_if<Leased>(&one.event)) {
    tell("leased", leased->worker, {}, leased->price, name(leased->why));
  } else if (const auto* answered = std::get_if<Answered>(&one.event)) {
    tell("labelled", answered->worker, answered->label, answered->price, name(answered->how));
  } else if (const auto* revised = std::get_if<Revised>(&one.event)) {
    tell("revised", revised->worker, revised->label, {}, "");
  } else if (const auto* skipped = std::get_if<Skipped>(&one.event)) {
    tell("skipped", skipped->worker, {}, {}, "");
  } else if (const auto* released = std::get_if<Released>(&one.event)) {
    tell("released", released->worker, {}, {}, "");
  } else if (const auto* expired = std::get_if<Expired>(&one.event)) {
    tell("expired", expired->worker, {}, {}, "");
  } else if (const auto* settled = std::get_if<Settled>(&one.event)) {
    row.text("what", "settled")
        .json("worker", "null")
        .json("label", "null")
        .json("price", "null")
        .text("detail", settled->reason);
  }
  history.rows.push_back(std::move(row));
}

Result<History> history_of(Room& room, ItemId item) {
  History history;
  for (const std::uint64_t sequence : room.chronicle().events_of(item, kMostHistory)) {
    const auto event = TRY(room->events(sequence - 1, 1));
    const auto told =
        room->read([&](const State& state) { add_row(history, state, event.front()); });
    if (!told) return tl::unexpected(told.error());
  }
  return history;
}

Result<Response> item_response(Room& room, const std::string& id) {
  const auto explained = TRY(room->explain(id));
  const auto item = room.seen([&](const State& state) { return *state.find_item(id); });
  if (!item) return tl::unexpected(item.error());
  auto history = TRY(history_of(room, *item));
  const auto along = TRY(room->along(*item, history.said));
  const auto board = TRY(room.board());
  const auto fields = TRY(room.content(*item));
  return room.seen([&](const State& state) {
    const Options& options = state.options();
    std::vector<std::string> beliefs(history.rows.size(), "null");
    for (std::size_t n = 0; n < along.size(); ++n) {
      beliefs[history.said_in[n]] = by_class(options, along[n]);
    }
    JsonList rows;
    for (std::size_t n = 0; n < beliefs.size(); ++n) {
      rows.json(history.rows[n].json("probabilities", beliefs[n]).end());
    }
    const Board::Item& now = board->items[position(*item)];
    return json_response(JsonObject()
                             .text("item", id)
                             .text("state", state_of(state, *item))
                             .json("fields", fields.empty() ? "{}" : fields)
                             .money("price", state.item_price(*item).value_or(options.price))
                             .json("gold", class_or_null(options, state.truth(*item)))
                             .json("truth", class_or_null(options, state.reference(*item)))
                             .text_or_null("settled", state.settled(*item))
                             .whole("labels", now.labels)
                             .whole("at_hand", state.pending(*item))
                             .text("answer", options.classes[position(now.answer)])
                             .number("probability", now.probability)
                             .json("probabilities", by_class(options, explained.probabilities))
                             .json("history", rows.end())
                             .end());
  });
}

/// Once the chronicle has come to the end of the ledger, a piece of it a turn.
void tell_item(const CallPtr& call, const std::string& id) {
  const auto done = std::make_shared<bool>(true);
  call->hub().look(
      call->campaign(),
      [done, id](Room& room) {
        const auto read = room.chronicle().read_on(*room);
        if (!read) return problem(read.error());
        *done = *read;
        if (!*read) return Response();
        auto response = item_response(room, id);
        return response ? *std::move(response) : problem(response.error());
      },
      [call, done, id](Response response) {
        *done || response.status != 200 ? call->reply(std::move(response)) : tell_item(call, id);
      });
}

void read_item(const CallPtr& call) { tell_item(call, call->params.find("item")->second); }

void find_item(const CallPtr& call) {
  const auto id = call->query("id");
  if (!id) return call->refuse({ErrorCode::invalid_argument, "id is missing; expected an item's"});
  tell_item(call, *id);
}

}  // namespace

void add_item_routes(std::vector<Route>& routes) {
  using namespace schema;
  const std::string one = "/api/v1/campaigns/{campaign}";
  const std::string probabilities = table(share());
  const std::string item = object(
      {{"item", text()},
       {"state", word({"open", "asked", "settled", "gold"})},
       {"fields", anything()},
       {"price", money("Of a label by whoever has no price")},
       {"gold", or_null(text())},
       {"truth", or_null(text())},
       {"settled", or_null(text())},
       {"labels", whole()},
       {"at_hand", whole()},
       {"answer", text()},
       {"probability", share()},
       {"probabilities", probabilities},
       {"history",
        list(object({{"event", whole()},
                     {"time", time()},
                     {"what", word({"leased", "labelled", "revised", "skipped", "released",
                                    "expired", "settled"})},
                     {"worker", or_null(text())},
                     {"label", or_null(text())},
                     {"price", or_null(money())},
                     {"detail", or_null(text("Why it was leased or settled, how a label came"))},
                     {"probabilities",
                      or_null(
                          table(share(), "After the label, by what is believed of workers now"))}}),
             "The last thousand events about it")}});
  routes.insert(
      routes.end(),
      {{.method = Method::get,
        .pattern = one + "/items",
        .access = Access::owner,
        .name = "list_items",
        .summary = "Items, as they came or by how sure or how dear they are",
        .handle = list_items,
        .response = object({{"items", list(ref("Item"))}, {"next", or_null(text())}}),
        .query = {{"search", text(),
                   "Part of the id or of a field, whatever its capitals. A page "
                   "may then have fewer rows than the limit and a next one"},
                  {"state", word({"all", "open", "asked", "settled", "gold"}),
                   "Open ones include those that are asked"},
                  {"order", word({"given", "certainty", "labels"}), "As they came if not given"},
                  {"direction", word({"up", "down"}), "Up if not given"},
                  {"limit", whole_from(1, Call::kMostRows), "Rows of a page, 100 if not given"},
                  {"cursor", text(), "The `next` of the page before"}},
        .tagged = true},
       {.method = Method::get,
        .pattern = one + "/items/{item}",
        .access = Access::owner,
        .name = "read_item",
        .summary = "An item and all that happened to it",
        .handle = read_item,
        .response = item},
       {.method = Method::get,
        .pattern = one + "/item",
        .access = Access::owner,
        .name = "find_item",
        .summary = "The same for any id, also one with a slash",
        .handle = find_item,
        .response = item,
        .query = {{"id", text(), "Of the item"}}}});
}

}  // namespace allot::serve
