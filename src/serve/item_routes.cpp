// The items of a campaign: a list, searched, filtered and in any order; and one item with
// everything that happened to it.
//
// A list takes one pass over the items at most. The pass is made once per event
// (OpenCampaign::board), and a client that has the current list gets 304 (ETag).
#include <fmt/format.h>

#include <algorithm>

#include "allot/base/text.hpp"
#include "base/json_text.hpp"
#include "base/try.hpp"
#include "campaign/rows.hpp"
#include "http/ascii.hpp"
#include "io/json_object.hpp"
#include "serve/problem.hpp"
#include "serve/replies.hpp"
#include "serve/schema.hpp"

namespace allot::serve {
namespace {

using campaign::Board;
using campaign::Options;
using campaign::State;
using http::lower;
using http::Response;

constexpr std::size_t kMostHistory = 1000;
/// Items whose contents one request searches.
constexpr std::size_t kMostSearched = 10'000;
/// Bytes of an item's text in a list.
constexpr std::size_t kShortText = 160;

std::string class_or_null(const Options& options, const std::optional<ClassId>& label) {
  return label ? json_string(options.classes[position(*label)]) : "null";
}

/// Of the answer; nothing without one.
std::optional<double> probability_of(const Board::Item& item) {
  return item.answer ? std::optional(item.probability) : std::nullopt;
}

/// "gold", "settled", "asked" (leased to a worker) or "open".
std::string_view state_of(const State& state, ItemId item) {
  if (state.items().gold(item)) return "gold";
  if (!state.items().finish_reason(item).empty()) return "settled";
  return state.items().pending(item) > 0 ? "asked" : "open";
}

/// Values of all fields, joined by " | ".
std::string text_of(const std::string& fields) {
  std::string text;
  const auto members = io::parse_json_object(fields.empty() ? "{}" : fields);
  if (!members) return text;
  for (const io::JsonMember& member : *members) {
    if (!text.empty()) text += " | ";
    text += member.value;
  }
  return text;
}

/// Which items a client wants, in what order, and from where on.
struct ItemQuery {
  using Place = std::pair<double, std::uint32_t>;  // value and number
  std::string state, search, order;
  bool down = false;
  std::uint64_t limit = 100;
  /// The last row of the page before.
  std::optional<Place> after = {};

  double key(const Board::Item& item) const {
    if (order == "given") return 0;
    return order == "certainty" ? item.probability : item.labels;
  }
  /// True if one place comes before another.
  bool comes_first(const Place& left, const Place& right) const {
    return down ? left > right : left < right;
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
  std::string direction;
  TRY(word("state", {"all", "open", "asked", "settled", "gold"}, query.state));
  TRY(word("order", {"given", "certainty", "labels"}, query.order));
  TRY(word("direction", {"up", "down"}, direction));
  query.down = direction == "down";
  query.search = lower(call.query("search").value_or(""));
  const auto cursor = call.query("cursor");
  if (!cursor) return query;
  // "VALUE,NUMBER" of the last row.
  const auto parts = split(*cursor, ',');
  const auto number = parse_whole(parts.back());
  char* end = nullptr;
  const std::string value(parts.front());
  const double after = std::strtod(value.c_str(), &end);
  if (parts.size() != 2 || !number || *number >= UINT32_MAX || *end != '\0' || value.empty()) {
    return fail(
        ErrorCode::invalid_argument,
        fmt::format("cursor {} is invalid; expected the `next` of a page", in_quotes(*cursor)));
  }
  query.after = {after, static_cast<std::uint32_t>(*number)};
  return query;
}

/// Places of items that may be on the page, in order; without a search only as many as it needs.
std::vector<ItemQuery::Place> places_of(const ItemQuery& query, const Board& board,
                                        const State& state) {
  using Place = ItemQuery::Place;
  std::vector<Place> places;
  for (std::uint32_t i = 0; i < board.items.size(); ++i) {
    const Place place{query.key(board.items[i]), i};
    if (query.after && !query.comes_first(*query.after, place)) continue;
    if (query.accepts(state_of(state, ItemId{i}))) places.push_back(place);
  }
  const auto first = [&](const Place& left, const Place& right) {
    return query.comes_first(left, right);
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
      .json("answer", class_or_null(state.options(), now.answer))
      .number("probability", probability_of(now))
      .text("text", for_display(text, kShortText));
}

/// False if a lower-case text cannot be in fields as they are stored: a quick test before parsing.
/// Text with escapes must be parsed.
bool may_hold(const std::string& fields, const std::string& search) {
  return fields.find('\\') != std::string::npos || lower(fields).find(search) != std::string::npos;
}

Result<Response> items_page(OpenCampaign& open, const State& state, const Board& board,
                            const ItemQuery& query) {
  const auto places = places_of(query, board, state);
  JsonList list;
  std::uint64_t rows = 0;
  std::size_t looked = 0;
  for (; looked < places.size() && rows < query.limit && looked < kMostSearched; ++looked) {
    const ItemId item{places[looked].second};
    const auto fields = TRY(open.view().content(item));
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
  return json_response(JsonObject().json("items", list).text_or_null("next", next));
}

Result<void> list_items(const CallPtr& call) {
  const ItemQuery query = TRY(query_of(*call));
  return call->report([query](OpenCampaign& open) -> Result<Response> {
    const auto board = TRY(open.board());
    return TRY(
        open.read([&](const State& state) { return items_page(open, state, *board, query); }));
  });
}

/// Rows of an item's history, and the labels among them.
struct HistoryRows {
  std::vector<JsonObject> rows;
  std::vector<campaign::WorkerLabel> labels;
  std::vector<std::size_t> row_of_label;
};

/// Writes one event of an item as a row. There is an overload for every event, so a new event does
/// not compile until somebody decides how it is shown.
class RowWriter {
 public:
  RowWriter(HistoryRows& history, const State& state, ItemId item,
            const campaign::LedgerEntry& entry)
      : history_(history), state_(state), item_(item) {
    row_.whole("event", entry.sequence).time("time", entry.time);
    std::visit(*this, entry.event);
    history_.rows.push_back(std::move(row_));
  }

  void operator()(const campaign::Leased& leased) {
    write("leased", leased.worker, {}, leased.price, campaign::name(leased.reason));
  }
  void operator()(const campaign::Answered& answered) {
    const bool counts = state_[answered.worker].standing != campaign::Standing::excluded;
    const std::string note = campaign::remark_text(answered.remark);
    write("labelled", answered.worker, answered.label, answered.price,
          fmt::format("{}{}{}{}", campaign::name(answered.origin), counts ? "" : ", does not count",
                      sure_text(answered.confidence, ", "), note.empty() ? "" : ": " + note));
  }
  void operator()(const campaign::Revised& revised) {
    write("revised", revised.worker, revised.label, {}, sure_text(revised.confidence));
  }
  void operator()(const campaign::Skipped& skipped) {
    const auto paid = skipped.paid == Money() ? std::nullopt : std::optional(skipped.paid);
    write("skipped", skipped.worker, {}, paid, campaign::remark_text(skipped.remark));
  }
  void operator()(const campaign::Released& released) { write("released", released.worker); }
  void operator()(const campaign::Expired& expired) { write("expired", expired.worker); }
  void operator()(const campaign::Settled& settled) {
    write("settled", {}, {}, {}, settled.reason);
  }
  void operator()(const campaign::Reviewed& reviewed) {
    const auto verdict = std::ranges::find(reviewed.verdicts, item_, &campaign::Verdict::item);
    if (verdict == reviewed.verdicts.end()) return;
    write("reviewed", {}, verdict->answer, {}, said_by(reviewed.reviewer, verdict->reason));
  }
  void operator()(const campaign::ReviewUndone& undone) {
    write("review-undone", {}, {}, {}, said_by(undone.reviewer, {}));
  }
  // Events that are not about one item.
  void operator()(const campaign::Created&) {}
  void operator()(const campaign::ItemsAdded&) {}
  void operator()(const campaign::WorkerJoined&) {}
  void operator()(const campaign::WorkerPriced&) {}
  void operator()(const campaign::Paused&) {}
  void operator()(const campaign::Resumed&) {}
  void operator()(const campaign::BudgetChanged&) {}
  void operator()(const campaign::Closed&) {}
  void operator()(const campaign::ModelChanged&) {}
  void operator()(const campaign::AuditStarted&) {}
  void operator()(const campaign::GoldStated&) {}
  void operator()(const campaign::RecruitingChanged&) {}
  void operator()(const campaign::SessionJoined&) {}
  void operator()(const campaign::Qualified&) {}
  void operator()(const campaign::SessionEnded&) {}
  void operator()(const campaign::StandingChanged&) {}
  void operator()(const campaign::OptionsChanged&) {}
  void operator()(const campaign::PageChanged&) {}
  void operator()(const campaign::ArchiveChanged&) {}
  void operator()(const campaign::WorkerGrouped&) {}
  void operator()(const campaign::WorkerVersioned&) {}
  void operator()(const campaign::ClockSetBack&) {}

 private:
  void write(std::string_view what, std::optional<WorkerId> worker,
             std::optional<ClassId> label = {}, std::optional<Money> price = {},
             std::string_view detail = {}) {
    row_.text("what", what)
        .text_or_null("worker", worker ? state_.name(*worker) : "")
        .json("label", class_or_null(state_.options(), label))
        .money("price", price)
        .text_or_null("detail", detail);
    if (!label || !worker) return;
    history_.labels.push_back({*worker, *label});
    history_.row_of_label.push_back(history_.rows.size());
  }

  static std::string sure_text(const std::optional<float>& confidence,
                               std::string_view before = "") {
    return confidence ? fmt::format("{}confidence {}", before, *confidence) : "";
  }

  static std::string said_by(const std::string& reviewer, const std::string& reason) {
    return reason.empty() ? "by " + reviewer : fmt::format("by {}: {}", reviewer, reason);
  }

  HistoryRows& history_;
  const State& state_;
  const ItemId item_;
  JsonObject row_;
};

Result<HistoryRows> history_of(OpenCampaign& open, ItemId item) {
  HistoryRows history;
  for (const std::uint64_t sequence : open.item_history().events_of(item, kMostHistory)) {
    const auto event = TRY(open->view().events(sequence - 1, 1));
    TRY(open.read([&](const State& state) { RowWriter(history, state, item, event.front()); }));
  }
  return history;
}

std::string verdict_or_null(const State& state, ItemId item) {
  const auto* const verdict = state.verdicts().find(item);
  if (verdict == nullptr) return "null";
  return JsonObject()
      .text("answer", state.options().classes[position(verdict->answer)])
      .text("reviewer", verdict->reviewer)
      .text("reason", verdict->reason)
      .time("time", verdict->time);
}

Result<Response> item_response(OpenCampaign& open, const std::string& id) {
  const auto explained = TRY(open->view().explain(id));
  const ItemId item = TRY(open.read([&](const State& state) { return *state.find_item(id); }));
  auto history = TRY(history_of(open, item));
  const auto along = TRY(open->view().belief_history(item, history.labels));
  const auto board = TRY(open.board());
  const auto fields = TRY(open.view().content(item));
  return open.read([&](const State& state) {
    const Options& options = state.options();
    std::vector<std::string> beliefs(history.rows.size(), "null");
    for (std::size_t n = 0; n < along.size(); ++n) {
      beliefs[history.row_of_label[n]] = by_class(options, along[n]);
    }
    JsonList rows;
    for (std::size_t n = 0; n < beliefs.size(); ++n) {
      rows.json(history.rows[n].json("probabilities", beliefs[n]));
    }
    const Board::Item& now = board->items[position(item)];
    return json_response(JsonObject()
                             .text("item", id)
                             .text("state", state_of(state, item))
                             .json("fields", fields.empty() ? "{}" : fields)
                             .money("price", state.items().price(item).value_or(options.price))
                             .json("gold", class_or_null(options, state.items().gold(item)))
                             .json("truth", class_or_null(options, state.items().truth(item)))
                             .json("verdict", verdict_or_null(state, item))
                             .text_or_null("settled", state.items().finish_reason(item))
                             .whole("labels", now.labels)
                             .whole("at_hand", state.items().pending(item))
                             .json("answer", class_or_null(options, now.answer))
                             .number("probability", probability_of(now))
                             .json("probabilities", by_class(options, explained.probabilities))
                             .json("history", rows));
  });
}

/// Replies once the item history has reached the end of the ledger. Each turn reads one piece, so
/// that other requests get their turns in between.
Result<void> reply_with_item(const CallPtr& call, const std::string& id) {
  const auto done = std::make_shared<bool>(true);
  call->hub().look(
      call->campaign(),
      [done, id](OpenCampaign& open) {
        const auto read = open.item_history().read_on(*open);
        *done = read.value_or(true);
        if (!*done) return Response();
        return read ? response_of(item_response(open, id)) : problem(read.error());
      },
      [call, done, id](Response response) {
        static_cast<void>(*done ? call->send(std::move(response)) : reply_with_item(call, id));
      });
  return {};
}

Result<void> read_item(const CallPtr& call) { return reply_with_item(call, call->param("item")); }

Result<void> find_item(const CallPtr& call) {
  return reply_with_item(call, TRY(call->required("id", "id of an item")));
}

}  // namespace

void add_item_routes(std::vector<Route>& routes) {
  using namespace schema;
  using enum http::Method;
  RouteGroup owner(routes, kCampaignPath, Access::owner);
  owner.add(get, "/items", "list_items", list_items,
            "List items, in the order added, by certainty or by number of labels",
            page_schema("items", "Item"),
            {.query = {{"search", text(),
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
  const std::string event = object(
      {{"event", whole()},
       {"time", time()},
       {"what", word({"leased", "labelled", "revised", "skipped", "released", "expired", "settled",
                      "reviewed", "review-undone"})},
       {"worker", or_null(text())},
       {"label", or_null(text())},
       {"price", or_null(money())},
       {"detail", or_null(text("Why it was leased or settled, how a label came"))},
       {"probabilities",
        or_null(
            table(share(), "Posterior after this label, with the current estimates of workers"))}});
  const std::string verdict =
      object({{"answer", text()}, {"reviewer", text()}, {"reason", text()}, {"time", time()}});
  const std::string item = object({{"item", text()},
                                   {"state", word({"open", "asked", "settled", "gold"})},
                                   {"fields", anything()},
                                   {"price", money("Price of a label by a worker without a price")},
                                   {"gold", or_null(text())},
                                   {"truth", or_null(text())},
                                   {"verdict", or_null(verdict)},
                                   {"settled", or_null(text())},
                                   {"labels", whole()},
                                   {"at_hand", whole()},
                                   {"answer", or_null(text("Null without a label"))},
                                   {"probability", or_null(share())},
                                   {"probabilities", table(share())},
                                   {"history", list(event, "The last 1,000 events of the item")}});
  owner.add(get, "/items/{item}", "read_item", read_item, "Read an item and its history", item);
  owner.add(get, "/item", "find_item", find_item,
            "Read an item by any id, including ids with a slash", item,
            {.query = {{"id", text(), "Id of the item"}}});
}

}  // namespace allot::serve
