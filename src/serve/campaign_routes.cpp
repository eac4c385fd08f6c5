// Campaigns and their items: made, listed, read, steered.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "allot/base/text.hpp"
#include "allot/campaign/option_text.hpp"
#include "allot/io/item_file.hpp"
#include "serve/json.hpp"
#include "serve/paging.hpp"
#include "serve/problem.hpp"
#include "serve/route.hpp"
#include "serve/schema.hpp"
#include "serve/secret.hpp"

namespace allot::serve {
namespace {

using campaign::ItemDraft;
using campaign::Options;
using campaign::OptionTexts;
using campaign::State;
using http::Method;
using http::Response;

constexpr std::size_t kMostFeatures = 1000;
/// Items of an upload that are added in one event.
constexpr std::size_t kUploadBatch = 1000;

/// As a member of a request is called.
std::string member(std::string_view option) {
  std::string name(option);
  std::ranges::replace(name, '-', '_');
  return name;
}

std::string list_of(const std::vector<std::string>& texts) {
  JsonList list;
  for (const std::string& one : texts) list.text(one);
  return list.end();
}

std::string options_json(const Options& options) {
  std::vector<std::string> stop;
  if (options.stop.accuracy) stop.push_back(fmt::format("accuracy:{}", *options.stop.accuracy));
  if (options.stop.settled) stop.push_back(fmt::format("settled:{}", *options.stop.settled));
  if (options.stop.worth) stop.push_back(fmt::format("worth:{}", money_text(*options.stop.worth)));
  const auto limit = [](std::uint32_t most) { return most > 0 ? fmt::format("{}", most) : "null"; };
  const bool refits = options.refit != model::Refit::off;
  return JsonObject()
      .json("classes", list_of(options.classes))
      .money("price", options.price)
      .text("policy", options.policy)
      .text("ties", options.ties == policy::TieBreak::first ? "first" : "random")
      .whole("seed", options.seed)
      .text("lease", fmt::format("{}s", options.lease.count()))
      .json("labels_an_item", limit(options.labels_an_item))
      .json("labels_a_worker", limit(options.labels_a_worker))
      .number("gold_rate", options.gold_rate)
      .text("prior", options.item_prior)
      .text("worker_prior", options.learn_workers ? "learn" : options.worker_prior)
      .json("stop", list_of(stop))
      .json("coins", !options.coins                        ? "null"
                     : *options.coins == model::Coins::one ? "1"
                                                           : "2")
      .json("refit", refits ? fmt::format("{}", options.refit_every) : "\"off\"")
      .json("refit_by", !refits                                     ? "null"
                        : options.refit == model::Refit::integrated ? "\"bp\""
                                                                    : "\"em\"")
      .json("features", list_of(options.features))
      .end();
}

std::string entry_json(const Entry& entry) {
  return JsonObject()
      .text("id", entry.id)
      .text("name", entry.name)
      .text("owner", entry.owner)
      .time("created", entry.created)
      .text_or_null("twin_of", entry.twin_of)
      .end();
}

std::string campaign_json(const Entry& entry, const State& state) {
  return JsonObject()
      .text("id", entry.id)
      .text("name", entry.name)
      .text("owner", entry.owner)
      .time("created", entry.created)
      .text_or_null("twin_of", entry.twin_of)
      .json("page", page_json(entry.shown()))
      .text("phase", campaign::name(state.phase()))
      .text_or_null("reason", state.reason())
      .money("budget", state.budget())
      .money("spent", state.spent())
      .money("reserved", state.reserved())
      .money("left", state.left())
      .whole("items", state.item_count())
      .whole("gold", state.gold().size())
      .whole("workers", state.worker_count())
      .whole("leases", state.lease_count())
      .whole("labels", state.label_count())
      .whole("events", state.sequence())
      .json("options", options_json(state.options()))
      .end();
}

/// The campaign as it is after the work.
Result<Response> described(const CallPtr& call, Room& room, int status = 200) {
  const auto entry = call->hub().vault().campaign(call->campaign());
  return room.seen([&](const State& state) {
    return json_response(campaign_json(entry.value_or(Entry{}), state), status);
  });
}

Response made(const Entry& entry) {
  Response response = json_response(entry_json(entry), 201);
  response.fields.add("Location", "/api/v1/campaigns/" + entry.id);
  return response;
}

Result<Options> read_options(Body& body) {
  OptionTexts texts;
  const auto take = [&](std::string_view name, auto& into) {
    if (auto text = body.scalar_if(name)) into = *std::move(text);
  };
  texts.classes = body.texts("classes", 250);
  texts.features = body.texts("features", kMostFeatures);
  texts.stop = body.texts("stop", 10);
  take("price", texts.price);
  take("policy", texts.policy);
  take("ties", texts.ties);
  take("seed", texts.seed);
  take("lease", texts.lease);
  take("labels_an_item", texts.labels_an_item);
  take("labels_a_worker", texts.labels_a_worker);
  take("gold_rate", texts.gold_rate);
  take("prior", texts.prior);
  take("worker_prior", texts.worker_prior);
  take("coins", texts.coins);
  take("refit", texts.refit);
  take("refit_by", texts.refit_by);
  const auto budget = body.money_if("budget");
  if (!budget) body.refuse("budget is missing; expected an amount such as 5000 or 12.50");
  if (texts.classes.empty()) {
    body.refuse("classes is missing; expected a list such as [\"no\", \"yes\"]");
  }
  if (const auto wrong = body.done()) return tl::unexpected(*wrong);
  return campaign::parse_options(texts, member).map([&](Options options) {
    options.budget = *budget;
    return options;
  });
}

/// Whether the request made a campaign before, and was answered with that.
bool is_made_before(const Call& call, const std::string& digest) {
  const auto before = call.hub().vault().made_under(call.key());
  if (!before) return false;
  call.reply(before->request == digest ? made(call.hub().vault().campaign(before->campaign).value())
                                       : key_reused(call));
  return true;
}

void create(const CallPtr& call) {
  Body body = Body::parse(call->request.body);
  Entry draft{.name = body.text("name"), .owner = call->token.id};
  if (auto page = body.object("page")) draft.page = std::make_shared<const Page>(read_page(*page));
  const auto options = read_options(body);
  if (!options) return call->refuse(options.error());
  const std::string digest = digest_of(call->request.body);
  if (is_made_before(*call, digest)) return;
  call->work([call, draft, options = *options, digest] {
    return call->hub().create(draft, options, {}, {call->key(), digest}).map(made);
  });
}

void list_campaigns(const CallPtr& call) {
  std::vector<Entry> entries = call->hub().vault().campaigns();
  std::erase_if(entries, [&](const Entry& one) {
    return call->token.role != Role::admin && !call->token.owner_of(one);
  });
  reply_by_id(*call, "campaigns", entries, entry_json);
}

void read_campaign(const CallPtr& call) {
  call->look([call](Room& room) { return described(call, room); });
}

/// What is in server.db is written once the campaign's own commit is over.
void change_entry(const CallPtr& call, const std::function<void(Entry&)>& how) {
  const auto describe = [call] {
    call->look([call](Room& room) { return described(call, room); });
  };
  if (!how) return describe();
  const bool taken = call->hub().work([call, how, describe] {
    const auto changed = call->hub().vault().change(call->campaign(), how);
    changed ? describe() : call->refuse(changed.error());
  });
  if (!taken) call->reply(busy("the server is about to stop"));
}

void change(const CallPtr& call) {
  Body body = Body::parse(call->request.body);
  const auto title = body.text_if("name");
  const auto owner = body.text_if("owner");
  const auto budget = body.money_if("budget");
  if (title && title->empty()) body.refuse("name is empty; expected a text");
  std::optional<Page> page;
  if (auto given = body.object("page")) {
    const auto entry = call->hub().vault().campaign(call->campaign());
    page = read_page(*given, entry ? entry->shown() : Page());
  }
  if (const auto wrong = body.done()) return call->refuse(*wrong);
  if (owner && call->token.role != Role::admin) {
    return call->reply(problem(403, "wrong_role", "only an admin gives a campaign to another"));
  }
  const auto heir = owner ? call->hub().vault().with_id(*owner) : std::nullopt;
  if (owner && (!heir || heir->revoked || heir->role == Role::worker)) {
    return call->refuse(
        {ErrorCode::not_found,
         fmt::format("there is no token {} of a requester or admin", in_quotes(*owner))});
  }
  std::function<void(Entry&)> how;
  if (title || owner || page) {
    how = [title, owner, page](Entry& entry) {
      entry.name = title.value_or(entry.name);
      entry.owner = owner.value_or(entry.owner);
      if (page) entry.page = std::make_shared<const Page>(*page);
    };
  }
  if (!budget) return change_entry(call, how);
  call->hub().command(
      call->campaign(),
      [call, budget](Room& room) {
        const auto set = room->set_budget(*budget, call->now());
        return set ? Response() : problem(set.error());
      },
      [call, how](Response response) {
        if (response.status != 200) return call->reply(std::move(response));
        change_entry(call, how);
      });
}

void pause(const CallPtr& call) {
  call->command([call](Room& room) {
    return room->pause(call->now()).and_then([&] { return described(call, room); });
  });
}

void resume(const CallPtr& call) {
  call->command([call](Room& room) {
    return room->resume(call->now()).and_then([&] { return described(call, room); });
  });
}

void close(const CallPtr& call) {
  Body body = Body::parse(call->request.body);
  const std::string reason = body.text_if("reason").value_or("done");
  if (const auto wrong = body.done()) return call->refuse(*wrong);
  call->command([call, reason](Room& room) {
    return room->close(reason, call->now()).and_then([&] { return described(call, room); });
  });
}

void set_price(const CallPtr& call) {
  Body body = Body::parse(call->request.body);
  const std::string worker = body.text("worker");
  const auto price = body.money_if("price");
  if (!price) body.refuse("price is missing; expected an amount such as 0.05");
  if (const auto wrong = body.done()) return call->refuse(*wrong);
  call->command([call, worker, price](Room& room) {
    return room->set_price(worker, *price, call->now()).map([&] {
      return json_response(JsonObject().text("worker", worker).money("price", *price).end());
    });
  });
}

void settle(const CallPtr& call) {
  Body body = Body::parse(call->request.body);
  const std::string item = body.text("item");
  const std::string reason = body.text_if("reason").value_or("settled by hand");
  if (const auto wrong = body.done()) return call->refuse(*wrong);
  call->command([call, item, reason](Room& room) {
    return room->settle(item, reason, call->now()).map([&] {
      return json_response(JsonObject().text("item", item).text("settled", reason).end());
    });
  });
}

Response added(std::uint64_t count, std::uint64_t known, int status = 201) {
  return json_response(JsonObject().whole("added", count).whole("known", known).end(), status);
}

void add_items(const CallPtr& call) {
  Body body = Body::parse(call->request.body);
  std::vector<ItemDraft> items;
  for (Body& one : body.objects("items", call->service.options().largest_batch)) {
    ItemDraft item;
    item.id = one.text("id");
    item.fields = one.object_text("fields", call->service.options().largest_item);
    item.price = one.money_if("price");
    item.truth = one.text_if("gold");
    item.features = one.numbers("features", kMostFeatures);
    item.reference = one.text_if("truth");
    static_cast<void>(one.done());
    items.push_back(std::move(item));
  }
  if (items.empty()) body.refuse("items is missing or empty; expected a list of items");
  if (const auto wrong = body.done()) return call->refuse(*wrong);
  call->command([call, items](Room& room) {
    return room->add_items(items, call->now(), call->key()).map([&] {
      return added(items.size(), 0);
    });
  });
}

/// On which lines of an upload the items of a campaign stood; little memory where lines follow one
/// another as items do.
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
  /// Nothing for an item from elsewhere.
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

/// An upload on its way into a campaign, batch by batch, each on disk before the next is read.
class Import : public std::enable_shared_from_this<Import> {
 public:
  Import(CallPtr call, bool skip_known, io::ItemColumns columns)
      : call_(std::move(call)),
        skip_known_(skip_known),
        reader_(std::move(columns), call_->service.options().largest_item) {}

  /// Reads until there is a batch, and posts it; the next turn comes when it is on disk.
  void go_on() {
    const auto self = shared_from_this();
    const bool taken = call_->hub().apart([self] {
      try {
        self->fill();
      } catch (const std::exception& wrong) {
        self->call_->reply(broken(wrong.what()));
      }
    });
    if (!taken) call_->reply(busy("the server is about to stop"));
  }

 private:
  void fill() {
    while (!ended_ && waiting_.size() < kUploadBatch) {
      const auto piece = call_->request.upload->read();
      if (!piece) return refuse(piece.error());
      ended_ = !*piece;
      auto rows = ended_ ? reader_.finish() : reader_.take(**piece);
      if (!rows) return refuse(rows.error());
      for (io::ItemRow& row : *rows) {
        waiting_.push_back({{std::move(row.id), std::move(row.fields), row.price,
                             std::move(row.gold), std::move(row.features), std::move(row.truth)},
                            row.line});
      }
    }
    if (waiting_.empty()) return call_->reply(added(added_, known_));
    const auto self = shared_from_this();
    const std::size_t count = std::min(waiting_.size(), kUploadBatch);
    std::vector<Row> batch(
        std::make_move_iterator(waiting_.begin()),
        std::make_move_iterator(waiting_.begin() + static_cast<std::ptrdiff_t>(count)));
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(count));
    const std::string key = call_->key(fmt::format("/{}", batches_++));
    call_->hub().command(
        call_->campaign(),
        [self, batch = std::move(batch), key](Room& room) { return self->add(room, batch, key); },
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
  Response add(Room& room, std::vector<Row> batch, const std::string& key) {
    last_known_ = 0;
    if (skip_known_) {
      const auto left_out = room.seen([&](const State& state) {
        return std::erase_if(
            batch, [&](const Row& one) { return state.find_item(one.item.id).has_value(); });
      });
      if (!left_out) return problem(left_out.error());
      last_known_ = *left_out;
    }
    last_added_ = batch.size();
    last_lines_.clear();
    if (batch.empty()) return {.status = 201};
    std::vector<ItemDraft> items;
    items.reserve(batch.size());
    for (const Row& one : batch) items.push_back(one.item);
    const auto done = room->add_items(items, call_->now(), key);
    if (!done) return refusal(with_line(room, batch, done.error()));
    const auto seen = room->read([&](const State& state) {
      for (const Row& one : batch) {
        last_lines_.emplace_back(position(*state.find_item(one.item.id)), one.line);
      }
    });
    return seen ? Response{.status = 201} : problem(seen.error());
  }

  /// The refusal of a batch, with the line of the item that is to blame, if it is known.
  Error with_line(Room& room, const std::vector<Row>& batch, const Error& error) const {
    Error told = error;
    static_cast<void>(room->read([&](const State& state) {
      const auto& classes = state.options().classes;
      const auto is_class = [&](const std::optional<std::string>& one) {
        return !one || std::ranges::find(classes, *one) != classes.end();
      };
      std::map<std::string_view, std::uint64_t> before;
      for (const auto& [item, line] : batch) {
        const auto known = state.find_item(item.id);
        const auto [place, is_new] = before.try_emplace(item.id, line);
        if (known || !is_new) {
          const auto earlier = known ? lines_.of(position(*known)) : std::optional(place->second);
          told.message = fmt::format(
              "line {}: item {} is there already{}; expected a new id", line, in_quotes(item.id),
              earlier ? fmt::format(", from line {} of this upload", *earlier) : "");
          return;
        }
        if (is_class(item.truth) && is_class(item.reference)) continue;
        told.message = fmt::format("line {}: {}", line, error.message);
        return;
      }
    }));
    return told;
  }

  Response refusal(Error error) const {
    if (added_ > 0) {
      error.message += fmt::format(
          " ({} items before it were added; skip_known=true goes on from there)", added_);
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

void upload_items(const CallPtr& call) {
  const std::string type(call->request.fields.find("Content-Type").value_or(""));
  const std::string_view kind = trim(split(type, ';').front());
  if (std::ranges::find(call->route->uploads, kind) == call->route->uploads.end()) {
    return call->reply(problem(415, "unsupported_media_type",
                               fmt::format("the content is of the kind {}; expected text/csv or "
                                           "application/x-ndjson",
                                           in_quotes(kind))));
  }
  if (!call->request.upload) return call->refuse({ErrorCode::invalid_argument, "there is no body"});
  const bool skip_known = call->query("skip_known") == "true";
  // What features the campaign names is known to the campaign.
  call->hub().look(
      call->campaign(),
      [call, skip_known](Room& room) {
        const auto features =
            room.seen([](const State& state) { return state.options().features; });
        if (!features) return problem(features.error());
        io::ItemColumns columns{.features = *features};
        columns.id = call->query("id");
        columns.price = call->query("price");
        columns.gold = call->query("gold");
        columns.truth = call->query("truth");
        std::make_shared<Import>(call, skip_known, std::move(columns))->go_on();
        return Response();
      },
      [call](Response response) {
        if (response.status >= 400) call->reply(std::move(response));
      });
}

/// A copy of a campaign's items on its way into a new one: read a piece at a time, so that the
/// first goes on meanwhile, and added in one commit.
class Twin : public std::enable_shared_from_this<Twin> {
 public:
  Twin(CallPtr call, std::string policy, std::optional<std::string> title,
       std::optional<Money> budget)
      : call_(std::move(call)),
        policy_(std::move(policy)),
        title_(std::move(title)),
        budget_(budget) {}

  void go_on() {
    const auto self = shared_from_this();
    call_->hub().look(
        call_->campaign(),
        [self](Room& room) {
          const auto read = self->read(room);
          return read ? Response() : problem(read.error());
        },
        [self](Response response) {
          if (response.status != 200) return self->call_->reply(std::move(response));
          self->is_whole_ ? self->make() : self->go_on();
        });
  }

 private:
  Result<void> read(Room& room) {
    const std::size_t first = items_.size();
    const auto seen = room->read([&](const State& state) {
      options_ = state.options();
      options_.budget = budget_.value_or(state.budget());
      options_.policy = policy_;
      const std::size_t end = std::min<std::size_t>(first + kUploadBatch, state.item_count());
      for (std::size_t n = first; n < end; ++n) items_.push_back(draft(state, n));
      is_whole_ = end == state.item_count();
      prices_.clear();
      for (std::uint32_t j = 0; is_whole_ && j < state.worker_count(); ++j) {
        const auto& price = state[WorkerId{j}].price;
        if (price) prices_.emplace_back(state.name(WorkerId{j}), *price);
      }
    });
    if (!seen) return tl::unexpected(seen.error());
    for (std::size_t n = first; n < items_.size(); ++n) {
      auto fields = room.content(ItemId{static_cast<std::uint32_t>(n)});
      if (!fields) return tl::unexpected(fields.error());
      items_[n].fields = *std::move(fields);
    }
    return {};
  }

  static ItemDraft draft(const State& state, std::size_t number) {
    const ItemId item{static_cast<std::uint32_t>(number)};
    const auto named = [&](const std::optional<ClassId>& one) {
      return one ? std::optional(state.options().classes[position(*one)]) : std::nullopt;
    };
    const std::size_t features = state.options().features.size();
    const auto row = state.features().subspan(number * features, features);
    return {state.id(item),           {},
            state.item_price(item),   named(state.truth(item)),
            {row.begin(), row.end()}, named(state.reference(item))};
  }

  void make() {
    const auto self = shared_from_this();
    call_->work([self]() -> Result<Response> {
      const auto first = self->call_->hub().vault().campaign(self->call_->campaign());
      if (!first) return fail(ErrorCode::not_found, "the campaign is not there any more");
      const std::string usual = fmt::format("{} ({})", first->name, self->policy_);
      const Entry draft{.name = self->title_.value_or(usual),
                        .owner = first->owner,
                        .page = first->page,
                        .twin_of = first->id};
      return self->call_->hub()
          .create(draft, self->options_, {self->items_, self->prices_},
                  {self->call_->key(), digest_of(self->call_->request.body)})
          .map(made);
    });
  }

  const CallPtr call_;
  const std::string policy_;
  const std::optional<std::string> title_;
  const std::optional<Money> budget_;
  Options options_;
  std::vector<ItemDraft> items_;
  std::vector<std::pair<std::string, Money>> prices_;
  bool is_whole_ = false;
};

void make_twin(const CallPtr& call) {
  Body body = Body::parse(call->request.body);
  const std::string policy = body.text("policy");
  const auto title = body.text_if("name");
  const auto budget = body.money_if("budget");
  if (title && title->empty()) body.refuse("name is empty; expected a text");
  if (const auto wrong = body.done()) return call->refuse(*wrong);
  if (is_made_before(*call, digest_of(call->request.body))) return;
  std::make_shared<Twin>(call, policy, title, budget)->go_on();
}

}  // namespace

void add_campaign_routes(std::vector<Route>& routes) {
  using namespace schema;
  const std::string base = "/api/v1/campaigns";
  const std::string one = base + "/{campaign}";
  const std::vector<Parameter> page = page_parameters();
  const std::string counts = object({{"added", whole()}, {"known", whole("Left out: were there")}});
  routes.insert(
      routes.end(),
      {{.method = Method::post,
        .pattern = base,
        .access = Access::requester,
        .name = "create_campaign",
        .summary = "Start a campaign; the members are the options of 'allot campaign create'",
        .handle = create,
        .request = object({{"name", text()},
                           {"classes", list(text())},
                           {"budget", scalar("An amount")},
                           maybe("price", scalar()),
                           maybe("policy", text()),
                           maybe("ties", word({"random", "first"})),
                           maybe("seed", scalar()),
                           maybe("lease", text("90s, 10m, 2h, 1d")),
                           maybe("labels_an_item", scalar()),
                           maybe("labels_a_worker", scalar()),
                           maybe("gold_rate", scalar()),
                           maybe("prior", text()),
                           maybe("worker_prior", text()),
                           maybe("stop", list(text())),
                           maybe("coins", scalar()),
                           maybe("refit", scalar()),
                           maybe("refit_by", word({"bp", "em"})),
                           maybe("features", list(text())),
                           maybe("page", ref("PageChange"))}),
        .response = ref("CampaignEntry"),
        .success = 201,
        .keyed = true},
       {.method = Method::get,
        .pattern = base,
        .access = Access::requester,
        .name = "list_campaigns",
        .summary = "Campaigns, those of a requester or all",
        .handle = list_campaigns,
        .response = object({{"campaigns", list(ref("CampaignEntry"))}, {"next", or_null(text())}}),
        .query = page},
       {.method = Method::get,
        .pattern = one,
        .access = Access::owner,
        .name = "read_campaign",
        .summary = "A campaign, its options and counts",
        .handle = read_campaign,
        .response = ref("Campaign")},
       {.method = Method::patch,
        .pattern = one,
        .access = Access::owner,
        .name = "change_campaign",
        .summary = "Another budget, name, owner, or page for workers",
        .handle = change,
        .request = object({maybe("name", text()), maybe("budget", scalar()),
                           maybe("owner", text("The id of a token; only an admin gives it away")),
                           maybe("page", ref("PageChange"))}),
        .response = ref("Campaign")},
       {.method = Method::post,
        .pattern = one + "/pause",
        .access = Access::owner,
        .name = "pause_campaign",
        .summary = "Hand out nothing until it goes on; answers are taken",
        .handle = pause,
        .response = ref("Campaign")},
       {.method = Method::post,
        .pattern = one + "/resume",
        .access = Access::owner,
        .name = "resume_campaign",
        .summary = "Go on",
        .handle = resume,
        .response = ref("Campaign")},
       {.method = Method::post,
        .pattern = one + "/close",
        .access = Access::owner,
        .name = "close_campaign",
        .summary = "End it for good",
        .handle = close,
        .request = object({maybe("reason", text())}),
        .response = ref("Campaign")},
       {.method = Method::post,
        .pattern = one + "/twin",
        .access = Access::owner,
        .name = "make_twin",
        .summary = "A campaign on the same items with another policy, where nothing is spent yet",
        .handle = make_twin,
        .request = object({{"policy", text()}, maybe("name", text()), maybe("budget", scalar())}),
        .response = ref("CampaignEntry"),
        .success = 201,
        .keyed = true},
       {.method = Method::put,
        .pattern = one + "/prices",
        .access = Access::owner,
        .name = "set_price",
        .summary = "What a worker's labels cost from now on",
        .handle = set_price,
        .request = object({{"worker", text()}, {"price", scalar()}}),
        .response = object({{"worker", text()}, {"price", money()}})},
       {.method = Method::post,
        .pattern = one + "/settle",
        .access = Access::owner,
        .name = "settle_item",
        .summary = "Ask nobody about an item any more",
        .handle = settle,
        .request = object({{"item", text()}, maybe("reason", text())}),
        .response = object({{"item", text()}, {"settled", text()}})},
       {.method = Method::post,
        .pattern = one + "/items",
        .access = Access::owner,
        .name = "add_items",
        .summary = "Add items, all or none",
        .handle = add_items,
        .request = object({{"items", list(object({{"id", text()},
                                                  maybe("fields", table(anything())),
                                                  maybe("price", scalar()),
                                                  maybe("gold", text("The known answer")),
                                                  maybe("truth", text("To measure answers by")),
                                                  maybe("features", list(number()))}))}}),
        .response = counts,
        .success = 201,
        .keyed = true},
       {.method = Method::post,
        .pattern = one + "/items/upload",
        .access = Access::owner,
        .name = "upload_items",
        .summary = "Add any number of items, as the files of 'allot campaign add-items', a "
                   "thousand at a time",
        .handle = upload_items,
        .response = counts,
        .success = 201,
        .query = {{"skip_known", flag(), "Leave out items that are there already"},
                  {"id", text(), "The column that holds the id"},
                  {"price", text(), "The column that holds the price"},
                  {"gold", text(), "The column that holds the known answer"},
                  {"truth", text(), "The column that holds what answers are measured by"}},
        .uploads = {"text/csv", "application/x-ndjson"},
        .keyed = true}});
}

}  // namespace allot::serve
