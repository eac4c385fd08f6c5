// One item of a campaign, with everything that happened to it.
#include <fmt/format.h>

#include <algorithm>

#include "base/try.hpp"
#include "serve/item_json.hpp"
#include "serve/problem.hpp"
#include "serve/report.hpp"
#include "serve/routes.hpp"
#include "serve/schema.hpp"

namespace allot::serve {
namespace {

using campaign::Board;
using campaign::Options;
using campaign::State;
using http::Method;
using http::Response;

constexpr std::size_t kMostHistory = 1000;

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
  RowWriter(HistoryRows& history, const State& state, const campaign::LedgerEntry& entry)
      : history_(history), state_(state) {
    row_.whole("event", entry.sequence).time("time", entry.time);
    std::visit(*this, entry.event);
    history_.rows.push_back(std::move(row_));
  }

  void operator()(const campaign::Leased& leased) {
    write("leased", leased.worker, {}, leased.price, campaign::name(leased.reason));
  }
  void operator()(const campaign::Answered& answered) {
    write("labelled", answered.worker, answered.label, answered.price,
          campaign::name(answered.origin));
  }
  void operator()(const campaign::Revised& revised) {
    write("revised", revised.worker, revised.label);
  }
  void operator()(const campaign::Skipped& skipped) { write("skipped", skipped.worker); }
  void operator()(const campaign::Released& released) { write("released", released.worker); }
  void operator()(const campaign::Expired& expired) { write("expired", expired.worker); }
  void operator()(const campaign::Settled& settled) {
    write("settled", {}, {}, {}, settled.reason);
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

 private:
  void write(std::string_view what, std::optional<WorkerId> worker,
             std::optional<ClassId> label = {}, std::optional<Money> price = {},
             std::string_view detail = {}) {
    row_.text("what", what)
        .text_or_null("worker", worker ? state_.name(*worker) : "")
        .json("label", class_or_null(state_.options(), label))
        .json("price", price ? money_text(*price) : "null")
        .text_or_null("detail", detail);
    if (!label) return;
    history_.labels.push_back({*worker, *label});
    history_.row_of_label.push_back(history_.rows.size());
  }

  HistoryRows& history_;
  const State& state_;
  JsonObject row_;
};

Result<HistoryRows> history_of(OpenCampaign& room, ItemId item) {
  HistoryRows history;
  for (const std::uint64_t sequence : room.item_history().events_of(item, kMostHistory)) {
    const auto event = TRY(room->view().events(sequence - 1, 1));
    const auto told =
        room->view().read([&](const State& state) { RowWriter(history, state, event.front()); });
    if (!told) return tl::unexpected(told.error());
  }
  return history;
}

Result<Response> item_response(OpenCampaign& room, const std::string& id) {
  const auto explained = TRY(room->view().explain(id));
  const auto item = room.read([&](const State& state) { return *state.find_item(id); });
  if (!item) return tl::unexpected(item.error());
  auto history = TRY(history_of(room, *item));
  const auto along = TRY(room->view().belief_history(*item, history.labels));
  const auto board = TRY(room.board());
  const auto fields = TRY(room.view().content(*item));
  return room.read([&](const State& state) {
    const Options& options = state.options();
    std::vector<std::string> beliefs(history.rows.size(), "null");
    for (std::size_t n = 0; n < along.size(); ++n) {
      beliefs[history.row_of_label[n]] = by_class(options, along[n]);
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
                             .money("price", state.items().price(*item).value_or(options.price))
                             .json("gold", class_or_null(options, state.items().gold(*item)))
                             .json("truth", class_or_null(options, state.items().truth(*item)))
                             .text_or_null("settled", state.items().finish_reason(*item))
                             .whole("labels", now.labels)
                             .whole("at_hand", state.items().pending(*item))
                             .text("answer", options.classes[position(now.answer)])
                             .number("probability", now.probability)
                             .json("probabilities", by_class(options, explained.probabilities))
                             .json("history", rows.end())
                             .end());
  });
}

/// Replies once the item history has reached the end of the ledger. Each turn reads one piece, so
/// that other requests get their turns in between.
void reply_with_item(const CallPtr& call, const std::string& id) {
  const auto done = std::make_shared<bool>(true);
  call->hub().look(
      call->campaign(),
      [done, id](OpenCampaign& room) {
        const auto read = room.item_history().read_on(*room);
        if (!read) return problem(read.error());
        *done = *read;
        if (!*read) return Response();
        auto response = item_response(room, id);
        return response ? *std::move(response) : problem(response.error());
      },
      [call, done, id](Response response) {
        *done || response.status != 200 ? call->reply(std::move(response))
                                        : reply_with_item(call, id);
      });
}

void read_item(const CallPtr& call) { reply_with_item(call, call->params.find("item")->second); }

void find_item(const CallPtr& call) {
  const auto id = call->query("id");
  if (!id)
    return call->refuse({ErrorCode::invalid_argument, "id is missing; expected the id of an item"});
  reply_with_item(call, *id);
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
       {"price", money("Price of a label by a worker without a price")},
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
                      or_null(table(
                          share(),
                          "Posterior after this label, with the current estimates of workers"))}}),
             "The last 1,000 events of the item")}});
  routes.insert(routes.end(), {{.method = Method::get,
                                .pattern = one + "/items/{item}",
                                .access = Access::owner,
                                .name = "read_item",
                                .summary = "Read an item and its history",
                                .handle = read_item,
                                .response = item},
                               {.method = Method::get,
                                .pattern = one + "/item",
                                .access = Access::owner,
                                .name = "find_item",
                                .summary = "Read an item by any id, including ids with a slash",
                                .handle = find_item,
                                .response = item,
                                .query = {{"id", text(), "Id of the item"}}}});
}

}  // namespace allot::serve
