// Campaigns: create, list, read, change, pause, resume, close, archive, delete; prices and settled
// items.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "allot/base/text.hpp"
#include "allot/campaign/option_text.hpp"
#include "allot/io/refit_text.hpp"
#include "allot/io/stop_text.hpp"
#include "base/json_text.hpp"
#include "base/try.hpp"
#include "io/json_object.hpp"
#include "serve/model_runs.hpp"
#include "serve/problem.hpp"
#include "serve/replies.hpp"
#include "serve/schema.hpp"
#include "serve/secret.hpp"

namespace allot::serve {
namespace {

using campaign::Options;
using campaign::OptionTexts;
using campaign::State;
using http::Response;

/// The name of an option as a member of a request: "labels-per-item" is "labels_per_item".
std::string member(std::string_view option) {
  std::string name(option);
  std::ranges::replace(name, '-', '_');
  return name;
}

/// "200:3"; empty without a sample.
std::string sample_text(const std::optional<campaign::AgreementSample>& sample) {
  return sample ? fmt::format("{}:{}", sample->items, sample->labels) : "";
}

std::string options_json(const Options& options) {
  const auto limit = [](std::uint32_t most) {
    return most > 0 ? std::optional<std::uint64_t>(most) : std::nullopt;
  };
  const bool refits = options.refit != model::Refit::off;
  return JsonObject()
      .list("classes", options.classes, json_string)
      .money("price", options.price)
      .text("policy", options.policy)
      .text("ties", options.ties == policy::TieBreak::first ? "first" : "random")
      .whole("seed", options.seed)
      .text("lease", fmt::format("{}s", options.lease.count()))
      .whole("labels_per_item", limit(options.labels_per_item))
      .whole("labels_per_worker", limit(options.labels_per_worker))
      .number("gold_rate", options.gold_rate)
      .text_or_null("agreement_sample", sample_text(options.agreement_sample))
      .whole("people_sample", options.people_sample)
      .text("prior", options.item_prior)
      .text("worker_prior", options.learn_workers ? "learn" : options.worker_prior)
      .list("stop", io::stop_texts(options.stop), json_string)
      .json("coins", !options.coins                        ? "null"
                     : *options.coins == model::Coins::one ? "1"
                                                           : "2")
      .json("refit", refits ? fmt::format("{}", options.refit_every) : "\"off\"")
      .text_or_null("refit_by", refits ? io::refit_name(options.refit) : "")
      .flag("ordered", options.ordered)
      .list("features", options.features, json_string);
}

std::string campaign_json(const CampaignEntry& entry, const State& state) {
  return campaign_head(entry)
      .json("page", page_json(entry.shown()))
      .text("phase", campaign::name(state.phase()))
      .text_or_null("reason", state.reason())
      .money("budget", state.account().budget)
      .money("spent", state.account().spent)
      .money("reserved", state.account().reserved)
      .money("left", state.account().left())
      .whole("items", state.item_count())
      .whole("gold", state.items().gold_items().size())
      .whole("workers", state.worker_count())
      .whole("leases", state.leases().count())
      .whole("labels", state.label_counts().all)
      .whole("events", state.sequence())
      .json("options", options_json(state.options()));
}

/// The campaign as it is now.
Result<Response> read_response(const CallPtr& call, const campaign::CampaignView& view) {
  const auto entry = call->hub().vault().campaign(call->campaign());
  return view.read([&](const State& state) {
    return json_response(campaign_json(entry.value_or(CampaignEntry{}), state));
  });
}

Result<Options> read_options(Body& body) {
  OptionTexts texts;
  texts.classes = body.texts("classes", 250);
  texts.features = body.texts("features", kMostFeatures);
  texts.stop = body.texts("stop", 10);
  const auto take = [&](std::string_view name, auto& into) {
    if (auto text = body.scalar_if(name)) into = *std::move(text);
  };
  take("price", texts.price);
  take("policy", texts.policy);
  take("ties", texts.ties);
  take("seed", texts.seed);
  take("lease", texts.lease);
  take("labels_per_item", texts.labels_per_item);
  take("labels_per_worker", texts.labels_per_worker);
  take("gold_rate", texts.gold_rate);
  take("agreement_sample", texts.agreement_sample);
  take("people_sample", texts.people_sample);
  take("prior", texts.prior);
  take("worker_prior", texts.worker_prior);
  take("coins", texts.coins);
  take("refit", texts.refit);
  take("refit_by", texts.refit_by);
  texts.ordered = body.flag("ordered");
  const auto budget = body.money_if("budget");
  if (!budget) body.refuse("budget is missing; expected an amount such as 5000 or 12.50");
  if (texts.classes.empty()) {
    body.refuse("classes is missing; expected a list such as [\"no\", \"yes\"]");
  }
  TRY(body.done());
  Options options = TRY(campaign::parse_options(texts, member));
  options.budget = *budget;
  return options;
}

Result<void> create(const CallPtr& call) {
  Body body = Body::parse(call->request.body);
  CampaignEntry draft{.name = body.text("name"), .owner = call->token.id};
  if (auto page = body.object("page")) draft.page = std::make_shared<const Page>(read_page(*page));
  const Options options = TRY(read_options(body));
  TRY(check_classes(draft.shown(), options.classes));
  const std::string digest = digest_of(call->request.body);
  if (replied_as_before(*call, digest)) return {};
  return call->work([call, draft, options, digest] {
    return call->hub().create(draft, options, {}, {call->key(), digest}).map(created_response);
  });
}

Result<void> list_campaigns(const CallPtr& call) {
  std::vector<CampaignEntry> entries = call->hub().vault().campaigns();
  const auto wanted = call->query("archived");
  if (wanted && *wanted != "true" && *wanted != "false") {
    return fail(
        ErrorCode::invalid_argument,
        fmt::format("archived {} is not known; expected true or false", in_quotes(*wanted)));
  }
  std::erase_if(entries, [&](const CampaignEntry& entry) {
    return (call->token.role != Role::admin && !entry.is_owned_by(call->token)) ||
           (wanted && entry.archived != (*wanted == "true"));
  });
  return send_page(*call, "campaigns", entries, campaign_head);
}

Result<void> read_campaign(const CallPtr& call) {
  return call->look([call](OpenCampaign& open) { return read_response(call, open.view()); });
}

/// Changes the entry in server.db, after the campaign's own commit.
Result<void> change_entry(const CallPtr& call, const std::function<void(CampaignEntry&)>& how) {
  if (!how) return read_campaign(call);
  const bool taken = call->hub().work([call, how] {
    const auto changed = call->hub().vault().change(call->campaign(), how);
    static_cast<void>(changed ? read_campaign(call) : call->send(problem(changed.error())));
  });
  return taken ? Result<void>() : call->send(busy(kStopping));
}

/// Changes of options, as the members of a request.
campaign::ChangeTexts read_changes(Body& body) {
  campaign::ChangeTexts texts;
  if (body.has("stop")) texts.stop = body.texts("stop", 10);
  texts.policy = body.scalar_if("policy");
  texts.lease = body.scalar_if("lease");
  texts.labels_per_item = body.scalar_if("labels_per_item");
  texts.labels_per_worker = body.scalar_if("labels_per_worker");
  texts.gold_rate = body.scalar_if("gold_rate");
  return texts;
}

/// What a request changes in the ledger.
struct CampaignChange {
  std::optional<Money> budget;
  campaign::ChangeTexts options;
  std::optional<Page> page;

  bool empty() const { return !budget && options.empty() && !page; }
};

/// All of it, or nothing: whatever can be refused comes before the first event.
Result<void> change_ledger(OpenBatch& batch, const CampaignChange& change, Time now) {
  const Options before = TRY(batch.read([](const State& state) { return state.options(); }));
  const Options options = TRY(campaign::parse_changes(before, change.options, member));
  if (change.page) TRY(check_classes(*change.page, options.classes));
  if (change.budget) TRY(batch->set_budget(*change.budget, now));
  if (!change.options.empty()) TRY(batch->set_options(options, now));
  if (change.page) TRY(batch->set_page(page_json(*change.page), now));
  return {};
}

Result<void> change(const CallPtr& call) {
  Body body = Body::parse(call->request.body);
  const auto title = body.text_if("name");
  const auto owner = body.text_if("owner");
  CampaignChange change{body.money_if("budget"), read_changes(body), {}};
  if (title && title->empty()) body.refuse("name is empty; expected a text");
  if (auto given = body.object("page")) {
    const auto entry = call->hub().vault().campaign(call->campaign());
    const Page before = entry ? entry->shown() : Page();
    Page page = read_page(*given, before);
    if (page != before) change.page = std::move(page);
  }
  TRY(body.done());
  if (owner && call->token.role != Role::admin) {
    return call->send(
        problem(403, "wrong_role", "only an admin can change the owner of a campaign"));
  }
  const auto heir = owner ? call->hub().vault().with_id(*owner) : std::nullopt;
  if (owner && (!heir || heir->revoked || heir->role == Role::worker)) {
    return fail(ErrorCode::not_found,
                fmt::format("there is no token {}; expected the id of a requester's or admin's "
                            "token",
                            in_quotes(*owner)));
  }
  std::function<void(CampaignEntry&)> how;
  if (title || owner || change.page) {
    how = [title, owner, page = change.page](CampaignEntry& entry) {
      entry.name = title.value_or(entry.name);
      entry.owner = owner.value_or(entry.owner);
      if (page) entry.page = std::make_shared<const Page>(*page);
    };
  }
  if (change.empty()) return change_entry(call, how);
  call->hub().command(
      call->campaign(),
      [call, change](OpenBatch& batch) {
        const auto changed = change_ledger(batch, change, call->now());
        return changed ? Response() : problem(changed.error());
      },
      [call, how](Response response) {
        static_cast<void>(response.status == 200 ? change_entry(call, how)
                                                 : call->send(std::move(response)));
      });
  return {};
}

/// Pause and resume.
template <auto change>
Result<void> change_phase(const CallPtr& call) {
  return call->command([call](OpenBatch& batch) -> Result<Response> {
    TRY(std::invoke(change, batch.operator->(), call->now()));
    return read_response(call, batch.view());
  });
}

Result<void> close(const CallPtr& call) {
  Body body = Body::parse(call->request.body);
  const std::string reason = body.text_if("reason").value_or("done");
  TRY(body.done());
  call->hub().command(
      call->campaign(),
      [call, reason](OpenBatch& batch) {
        auto closed = batch->close(reason, call->now()).and_then([&] {
          return read_response(call, batch.view());
        });
        return closed ? *std::move(closed) : problem(closed.error());
      },
      [call](Response response) {
        if (response.status == 200) call->service.models().end(call->campaign());
        call->send(std::move(response));
      });
  return {};
}

/// Archive and unarchive: first the ledger, then the list.
template <auto change, bool archived>
Result<void> change_archive(const CallPtr& call) {
  call->hub().command(
      call->campaign(),
      [call](OpenBatch& batch) {
        const auto changed = std::invoke(change, batch.operator->(), call->now());
        return changed ? Response() : problem(changed.error());
      },
      [call](Response response) {
        if (archived && response.status == 200) call->service.models().end(call->campaign());
        static_cast<void>(
            response.status == 200
                ? change_entry(call, [](CampaignEntry& entry) { entry.archived = archived; })
                : call->send(std::move(response)));
      });
  return {};
}

Result<void> remove(const CallPtr& call) {
  call->hub().remove(call->campaign(), [call](Response response) {
    if (response.status == 204) call->service.webhooks().changed();
    call->reply(std::move(response));
  });
  return {};
}

Result<void> set_price(const CallPtr& call) {
  Body body = Body::parse(call->request.body);
  const std::string worker = body.text("worker");
  const auto price = body.money_if("price");
  if (!price) body.refuse("price is missing; expected an amount such as 0.05");
  TRY(body.done());
  return call->command([call, worker, price](OpenBatch& batch) -> Result<Response> {
    TRY(batch->set_price(worker, *price, call->now()));
    return json_response(JsonObject().text("worker", worker).money("price", *price));
  });
}

Result<void> settle(const CallPtr& call) {
  Body body = Body::parse(call->request.body);
  const std::string item = body.text("item");
  const std::string reason = body.text_if("reason").value_or("settled by hand");
  TRY(body.done());
  return call->command([call, item, reason](OpenBatch& batch) -> Result<Response> {
    TRY(batch->settle(item, reason, call->now()));
    return json_response(JsonObject().text("item", item).text("settled", reason));
  });
}

std::vector<Parameter> list_parameters() {
  auto parameters = page_parameters();
  parameters.push_back({"archived", schema::word({"true", "false"}),
                        "Only campaigns in the archive, or only others; default: all"});
  return parameters;
}

}  // namespace

void add_campaign_routes(std::vector<Route>& routes) {
  using namespace schema;
  using enum http::Method;
  RouteGroup requesters(routes, "/api/v1/campaigns", Access::requester);
  RouteGroup owner(routes, kCampaignPath, Access::owner);
  requesters.add(post, "", "create_campaign", create,
                 "Create a campaign; the members are the options of 'allot campaign create'",
                 ref("CampaignEntry"),
                 {.request = object({{"name", text()},
                                     {"classes", list(text())},
                                     {"budget", scalar("An amount")},
                                     maybe("price", scalar()),
                                     maybe("policy", text()),
                                     maybe("ties", word({"random", "first"})),
                                     maybe("seed", scalar()),
                                     maybe("lease", text("90s, 10m, 2h, 1d")),
                                     maybe("labels_per_item", scalar()),
                                     maybe("labels_per_worker", scalar()),
                                     maybe("gold_rate", scalar()),
                                     maybe("agreement_sample", text("Items:labels of each")),
                                     maybe("people_sample", scalar("Items")),
                                     maybe("prior", text()),
                                     maybe("worker_prior", text()),
                                     maybe("stop", list(text())),
                                     maybe("coins", scalar()),
                                     maybe("refit", scalar()),
                                     maybe("refit_by", word({"bp", "em", "pooled"})),
                                     maybe("ordered", flag()),
                                     maybe("features", list(text())),
                                     maybe("page", ref("PageChange"))}),
                  .success = 201,
                  .keyed = true});
  requesters.add(get, "", "list_campaigns", list_campaigns,
                 "List campaigns: a requester's own; all for an admin",
                 page_schema("campaigns", "CampaignEntry"), {.query = list_parameters()});
  owner.add(get, "", "read_campaign", read_campaign, "Read a campaign, its options and counts",
            ref("Campaign"));
  owner.add(patch, "", "change_campaign", change,
            "Change the budget, name, owner, workers' page, or options of a running campaign",
            ref("Campaign"),
            {.request = object({maybe("name", text()), maybe("budget", scalar()),
                                maybe("policy", text()), maybe("lease", text("90s, 10m, 2h, 1d")),
                                maybe("labels_per_item", scalar("A number, or any")),
                                maybe("labels_per_worker", scalar("A number, or any")),
                                maybe("gold_rate", scalar()), maybe("stop", list(text())),
                                maybe("owner", text("Id of a token; only an admin can change it")),
                                maybe("page", ref("PageChange"))})});
  owner.add(post, "/pause", "pause_campaign", change_phase<&campaign::Commands::pause>,
            "Pause: no more items are leased, labels are still accepted", ref("Campaign"));
  owner.add(post, "/resume", "resume_campaign", change_phase<&campaign::Commands::resume>,
            "Resume a paused campaign", ref("Campaign"));
  owner.add(post, "/close", "close_campaign", close, "Close a campaign for good", ref("Campaign"),
            {.request = object({maybe("reason", text())})});
  owner.add(post, "/archive", "archive_campaign",
            change_archive<&campaign::Commands::archive, true>,
            "Archive a campaign: leases end, no items are handed out, and lists can leave it out",
            ref("Campaign"));
  owner.add(post, "/unarchive", "unarchive_campaign",
            change_archive<&campaign::Commands::unarchive, false>,
            "Take a campaign out of the archive; it is running, paused or closed as before",
            ref("Campaign"));
  owner.add(del, "", "delete_campaign", remove,
            "Delete an archived campaign for good, with its ledger, links, tokens and webhooks", "",
            {.success = 204});
  owner.add(put, "/prices", "set_price", set_price,
            "Set the price of a worker's labels from now on",
            object({{"worker", text()}, {"price", money()}}),
            {.request = object({{"worker", text()}, {"price", scalar()}})});
  owner.add(post, "/settle", "settle_item", settle, "Settle an item: buy no more labels for it",
            object({{"item", text()}, {"settled", text()}}),
            {.request = object({{"item", text()}, maybe("reason", text())})});
}

}  // namespace allot::serve
