// Adding items: lists of them, all or none, and files of any size.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "allot/base/text.hpp"
#include "allot/io/item_file.hpp"
#include "base/try.hpp"
#include "serve/call.hpp"
#include "serve/problem.hpp"
#include "serve/schema.hpp"

namespace allot::serve {
namespace {

using campaign::ItemDraft;
using campaign::State;
using http::Response;

/// Items of an upload that are added in one event.
constexpr std::size_t kUploadBatch = 1000;

Response added(std::uint64_t count, std::uint64_t known) {
  return json_response(JsonObject().whole("added", count).whole("known", known), 201);
}

Result<void> add_items(const CallPtr& call) {
  Body body = Body::parse(call->request.body);
  std::vector<ItemDraft> items;
  for (Body& item : body.objects("items", call->service.options().largest_batch)) {
    items.push_back({.id = item.text("id"),
                     .fields = item.object_text("fields", call->service.options().largest_item),
                     .price = item.money_if("price"),
                     .gold = item.text_if("gold"),
                     .features = item.numbers("features", kMostFeatures),
                     .truth = item.text_if("truth")});
    static_cast<void>(item.done());
  }
  if (items.empty()) body.refuse("items is missing or empty; expected a list of items");
  TRY(body.done());
  return call->command([call, items](OpenBatch& batch) {
    return batch->add_items(items, call->now(), call->key())
        .map([&] { return added(items.size(), 0); })
        .map_error([&](const Error& error) { return call->for_caller(error); });
  });
}

/// The lines of an upload on which items stood. Takes little memory where lines and items have the
/// same order.
class Lines {
 public:
  void add(std::uint32_t item, std::uint64_t line) {
    if (!runs_.empty() && item == runs_.back().item + runs_.back().count &&
        line == runs_.back().line + runs_.back().count) {
      ++runs_.back().count;
    } else {
      runs_.push_back({item, 1, line});
    }
  }
  /// Nothing for an item that is not from this upload.
  std::optional<std::uint64_t> of(std::uint32_t item) const {
    const auto after = std::ranges::upper_bound(runs_, item, {}, &Run::item);
    if (after == runs_.begin()) return std::nullopt;
    const Run& run = *std::prev(after);
    if (item - run.item >= run.count) return std::nullopt;
    return run.line + (item - run.item);
  }

 private:
  struct Run {
    std::uint32_t item, count;
    std::uint64_t line;
  };
  std::vector<Run> runs_;
};

/// Refuses an id that other requests could not send: nobody could label its item.
std::optional<Error> wrong_id(const io::ItemRow& row) {
  if (row.id.size() > kLongestName) {
    return Error{ErrorCode::too_large,
                 fmt::format("line {}: the id has {} bytes; expected at most {}", row.line,
                             row.id.size(), kLongestName)};
  }
  if (row.id.find('\0') != std::string::npos) {
    return Error{ErrorCode::invalid_argument,
                 fmt::format("line {}: the id has a zero byte; expected none", row.line)};
  }
  return std::nullopt;
}

/// An upload on its way into a campaign. Each batch is on disk before the next one is read.
class Import : public std::enable_shared_from_this<Import> {
 public:
  Import(CallPtr call, io::ItemColumns columns)
      : call_(std::move(call)),
        skip_known_(call_->query("skip_known") == "true"),
        reader_(std::move(columns), call_->service.options().largest_item) {}

  /// Reads one batch and posts it; continues once the batch is on disk.
  void go_on() {
    const auto self = shared_from_this();
    const bool taken = call_->hub().run_blocking([self] {
      try {
        self->fill();
      } catch (const std::exception& wrong) {
        self->call_->reply(internal_error(wrong.what()));
      }
    });
    if (!taken) call_->reply(busy(kStopping));
  }

 private:
  void fill() {
    while (!ended_ && waiting_.size() < kUploadBatch) {
      const auto piece = call_->request.upload->read();
      if (!piece) return refuse(piece.error());
      ended_ = !*piece;
      auto read = ended_ ? reader_.finish() : reader_.take(**piece);
      if (!read) return refuse(read.error());
      for (io::ItemRow& row : *read) {
        if (const auto wrong = wrong_id(row)) return refuse(*wrong);
        waiting_.push_back({{std::move(row.id), std::move(row.fields), row.price,
                             std::move(row.gold), std::move(row.features), std::move(row.truth)},
                            row.line});
      }
    }
    if (waiting_.empty()) return call_->reply(added(added_, known_));
    const auto self = shared_from_this();
    const std::size_t count = std::min(waiting_.size(), kUploadBatch);
    const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(count);
    std::vector<Row> rows(std::make_move_iterator(waiting_.begin()), std::make_move_iterator(end));
    waiting_.erase(waiting_.begin(), end);
    const std::string key = call_->key(fmt::format(" {}", batches_++));
    call_->hub().command(
        call_->campaign(),
        [self, rows = std::move(rows), key](OpenBatch& batch) {
          return self->add(batch, rows, key);
        },
        [self](Response response) {
          if (response.status != 201) return self->call_->reply(std::move(response));
          self->added_ += self->last_added_;
          self->known_ += self->last_known_;
          for (const auto& [item, line] : self->last_lines_) self->lines_.add(item, line);
          self->go_on();
        });
  }

  struct Row {
    ItemDraft item;
    std::uint64_t line;
  };

  /// May be called again, if what it did was undone.
  Response add(OpenBatch& batch, std::vector<Row> rows, const std::string& key) {
    last_known_ = 0;
    if (skip_known_) {
      const auto left_out = batch.read([&](const State& state) {
        std::set<std::string> here;
        return std::erase_if(rows, [&](const Row& row) {
          return state.find_item(row.item.id).has_value() || !here.insert(row.item.id).second;
        });
      });
      if (!left_out) return problem(left_out.error());
      last_known_ = *left_out;
    }
    last_added_ = rows.size();
    last_lines_.clear();
    if (rows.empty()) return {.status = 201};
    std::vector<ItemDraft> items;
    items.reserve(rows.size());
    for (const Row& row : rows) items.push_back(row.item);
    const auto done = batch->add_items(items, call_->now(), key);
    if (!done) return refusal(with_line(batch, rows, done.error()));
    const auto seen = batch.read([&](const State& state) {
      for (const auto& [item, line] : rows) {
        last_lines_.emplace_back(position(*state.find_item(item.id)), line);
      }
    });
    return seen ? Response{.status = 201} : problem(seen.error());
  }

  /// The refusal of a batch with the line of the bad item, if that can be found.
  Error with_line(OpenBatch& batch, const std::vector<Row>& rows, const Error& error) const {
    Error told = call_->for_caller(error);
    if (error.code == ErrorCode::key_reused) return told;
    static_cast<void>(batch.read([&](const State& state) {
      const auto& classes = state.options().classes;
      const auto is_class = [&](const std::optional<std::string>& name) {
        return !name || std::ranges::find(classes, *name) != classes.end();
      };
      std::map<std::string_view, std::uint64_t> before;
      for (const auto& [item, line] : rows) {
        const auto known = state.find_item(item.id);
        const auto [place, is_new] = before.try_emplace(item.id, line);
        if (known || !is_new) {
          const auto earlier = known ? lines_.of(position(*known)) : std::optional(place->second);
          told.message = fmt::format(
              "line {}: item {} already exists{}; expected a new id", line, in_quotes(item.id),
              earlier ? fmt::format(", from line {} of this upload", *earlier) : "");
          return;
        }
        if (is_class(item.gold) && is_class(item.truth)) continue;
        told.message = fmt::format("line {}: {}", line, error.message);
        return;
      }
    }));
    return told;
  }

  Response refusal(Error error) const {
    if (added_ > 0) {
      error.message += fmt::format(
          " ({} items before it were added; repeat with skip_known=true to continue)", added_);
    }
    return problem(error);
  }
  void refuse(const Error& error) const { call_->reply(refusal(error)); }

  const CallPtr call_;
  const bool skip_known_;
  io::ItemReader reader_;
  std::vector<Row> waiting_;
  Lines lines_;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> last_lines_;
  std::uint64_t added_ = 0, known_ = 0, last_added_ = 0, last_known_ = 0, batches_ = 0;
  bool ended_ = false;
};

Result<void> upload_items(const CallPtr& call) {
  const std::string type(call->request.fields.find("Content-Type").value_or(""));
  const std::string_view kind = trim(split(type, ';').front());
  if (std::ranges::find(call->route->uploads, kind) == call->route->uploads.end()) {
    return call->send(
        problem(415, "unsupported_media_type",
                fmt::format("the content type {} is not supported; expected text/csv or "
                            "application/x-ndjson",
                            in_quotes(kind))));
  }
  if (!call->request.upload) {
    return fail(ErrorCode::invalid_argument, "the body is missing; expected a file");
  }
  // The campaign knows the names of its features.
  call->hub().look(
      call->campaign(),
      [call](OpenCampaign& open) {
        const auto features =
            open.read([](const State& state) { return state.options().features; });
        if (!features) return problem(features.error());
        io::ItemColumns columns{.features = *features};
        columns.id = call->query("id");
        columns.price = call->query("price");
        columns.gold = call->query("gold");
        columns.truth = call->query("truth");
        std::make_shared<Import>(call, std::move(columns))->go_on();
        return Response();
      },
      [call](Response response) {
        if (response.status >= 400) call->reply(std::move(response));
      });
  return {};
}

}  // namespace

void add_import_routes(std::vector<Route>& routes) {
  using namespace schema;
  using enum http::Method;
  RouteGroup owner(routes, kCampaignPath, Access::owner);
  const std::string counts =
      object({{"added", whole()}, {"known", whole("Items left out because they existed")}});
  const std::string item =
      object({{"id", text()},
              maybe("fields", table(anything())),
              maybe("price", scalar()),
              maybe("gold", text("Known class of a gold item")),
              maybe("truth", text("Known class, used to measure accuracy only")),
              maybe("features", list(number()))});
  owner.add(post, "/items", "add_items", add_items,
            "Add items: all of them, or none if one is refused", counts,
            {.request = object({{"items", list(item)}}), .success = 201, .keyed = true});
  owner.add(post, "/items/upload", "upload_items", upload_items,
            "Upload a file of items, as for 'allot campaign add-items'; commits a thousand "
            "at a time",
            counts,
            {.success = 201,
             .query = {{"skip_known", flag(), "Leave out items that already exist"},
                       {"id", text(), "The column that holds the id"},
                       {"price", text(), "The column that holds the price"},
                       {"gold", text(), "The column that holds the class of gold items"},
                       {"truth", text(), "The column that holds the class to measure accuracy by"}},
             .uploads = {"text/csv", "application/x-ndjson"},
             .keyed = true});
}

}  // namespace allot::serve
