// Webhooks of a campaign.
#include <fmt/format.h>

#include <algorithm>

#include "allot/base/text.hpp"
#include "allot/base/time_text.hpp"
#include "http/web_url.hpp"
#include "serve/call.hpp"
#include "serve/json.hpp"
#include "serve/problem.hpp"
#include "serve/routes.hpp"
#include "serve/schema.hpp"
#include "serve/webhook_store.hpp"

namespace allot::serve {
namespace {

using http::Method;
using http::Response;

constexpr std::size_t kLongestUrl = 2000, kLongestDescription = 500;

std::string webhook_json(const Webhook& webhook) {
  JsonList events;
  for (std::size_t n = 0; n < kTopics.size(); ++n) {
    if (webhook.events & bit(static_cast<Topic>(n))) events.text(kTopics[n]);
  }
  return JsonObject()
      .text("id", webhook.id)
      .text("url", webhook.url)
      .json("events", events.end())
      .text("description", webhook.description)
      .flag("active", webhook.active)
      .text_or_null("off_reason", webhook.off_reason)
      .text_or_null("failing_since", webhook.failing_since ? time_text(*webhook.failing_since) : "")
      .text_or_null("old_secret_until",
                    webhook.old_secret_until ? time_text(*webhook.old_secret_until) : "")
      .time("created", webhook.created)
      .whole("cursor", webhook.cursor)
      .end();
}

std::string delivery_json(const Delivery& one) {
  JsonObject json;
  json.text("id", one.id)
      .text("type", one.type)
      .text("state", name(one.state))
      .time("created", one.made)
      .whole("attempts", one.attempts)
      .text_or_null("last_attempt", one.last ? time_text(*one.last) : "")
      .text_or_null("next_attempt", one.state == DeliveryState::waiting ? time_text(one.due) : "");
  if (one.status > 0) {
    json.whole("status", static_cast<std::uint64_t>(one.status));
  } else {
    json.json("status", "null");
  }
  return json.text_or_null("trouble", one.trouble).end();
}

void take_url(Body& body, const std::string& url, bool private_addresses) {
  const auto parsed = http::parse_web_url(url);
  if (!parsed) return body.refuse(parsed.error().message, parsed.error().code);
  // Names are checked when they are looked up, before each message.
  if (private_addresses) return;
  if (parsed->host == "localhost" || parsed->host.ends_with(".localhost") ||
      (http::is_address(parsed->host) && !http::is_public_address(parsed->host))) {
    body.refuse(
        fmt::format("url '{}' is at {}, which is not a public address; expected a public one, or a "
                    "server started with private webhooks allowed",
                    for_display(url, 100), in_quotes(parsed->host)));
  }
}

TopicSet take_events(Body& body) {
  TopicSet all = 0;
  for (const std::string& one : body.texts("events", 2 * kTopics.size())) {
    const auto known = std::ranges::find(kTopics, one);
    if (known == kTopics.end()) {
      body.refuse(fmt::format("unknown event {}; expected some of {}", in_quotes(one),
                              fmt::join(kTopics, ", ")));
    } else {
      all |= bit(static_cast<Topic>(known - kTopics.begin()));
    }
  }
  if (all == 0) body.refuse("events is missing or empty; expected a list of events");
  return all;
}

void list_webhooks(const CallPtr& call) {
  call->work([call] {
    return call->hub().webhooks().list(call->campaign()).map([](const auto& all) {
      JsonList list;
      for (const Webhook& one : all) list.json(webhook_json(one));
      return json_response(JsonObject().json("webhooks", list.end()).end());
    });
  });
}

void make_webhook(const CallPtr& call) {
  Body body = Body::parse(call->request.body);
  Webhook draft{.campaign = call->campaign(),
                .maker = call->token.id,
                .url = body.text("url", kLongestUrl),
                .events = take_events(body),
                .description = body.text_if("description", kLongestDescription).value_or(""),
                .created = call->now()};
  if (!draft.url.empty()) take_url(body, draft.url, call->service.webhooks().private_addresses());
  if (const auto wrong = body.done()) return call->refuse(*wrong);
  call->look([call, draft](OpenCampaign& room) mutable -> Result<Response> {
    const auto last = room.read([](const campaign::State& state) { return state.sequence(); });
    if (!last) return tl::unexpected(last.error());
    draft.cursor = *last;
    const WebhookOptions& limits = call->service.webhooks().options();
    return call->hub()
        .webhooks()
        .make(draft, limits.most_of_campaign, limits.most)
        .map([&](const WebhookStore::NewWebhook& created) {
          call->service.webhooks().changed();
          return json_response(JsonObject()
                                   .json("webhook", webhook_json(created.webhook))
                                   .text("secret", created.secret)
                                   .end(),
                               201);
        });
  });
}

/// Runs work(webhook) on a thread of the pool, with the webhook that the path names.
void with_webhook(const CallPtr& call, std::function<Result<Response>(Webhook)> work) {
  call->work([call, work = std::move(work)] {
    return call->hub()
        .webhooks()
        .find(call->campaign(), call->params.find("webhook")->second)
        .and_then(work);
  });
}

void change_webhook(const CallPtr& call) {
  Body body = Body::parse(call->request.body);
  const auto url = body.text_if("url", kLongestUrl);
  const auto description = body.text_if("description", kLongestDescription);
  const auto events = body.has("events") ? std::optional(take_events(body)) : std::nullopt;
  const auto active = body.has("active") ? std::optional(body.flag("active")) : std::nullopt;
  if (url) take_url(body, *url, call->service.webhooks().private_addresses());
  if (const auto wrong = body.done()) return call->refuse(*wrong);
  with_webhook(call, [=](Webhook webhook) -> Result<Response> {
    const bool switched_on = active.value_or(false) && !webhook.active;
    webhook.url = url.value_or(webhook.url);
    webhook.description = description.value_or(webhook.description);
    webhook.events = events.value_or(webhook.events);
    webhook.active = active.value_or(webhook.active);
    if (switched_on) {
      webhook.maker = call->token.id;
      webhook.off_reason.clear();
      webhook.failing_since.reset();
    }
    return call->hub().webhooks().change(webhook, switched_on, call->now()).map([&] {
      call->service.webhooks().changed();
      return json_response(webhook_json(webhook));
    });
  });
}

void rotate_secret(const CallPtr& call) {
  with_webhook(call, [call](const Webhook& webhook) {
    const Time until = call->now() + call->service.webhooks().options().old_secret;
    return call->hub().webhooks().rotate(webhook.id, until).map([&](const std::string& secret) {
      return json_response(
          JsonObject().text("secret", secret).time("old_secret_until", until).end());
    });
  });
}

void delete_webhook(const CallPtr& call) {
  with_webhook(call, [call](const Webhook& webhook) -> Result<Response> {
    return call->hub().webhooks().remove(webhook.id).map([&] {
      call->service.webhooks().changed();
      return Response{.status = 204};
    });
  });
}

void list_deliveries(const CallPtr& call) {
  const auto limit = call->limit();
  if (!limit) return call->refuse(limit.error());
  with_webhook(call, [call, most = *limit](const Webhook& webhook) {
    return call->hub().webhooks().deliveries(webhook.id, most).map([](const auto& all) {
      JsonList list;
      for (const Delivery& one : all) list.json(delivery_json(one));
      return json_response(JsonObject().json("deliveries", list.end()).end());
    });
  });
}

void test_webhook(const CallPtr& call) {
  with_webhook(call, [call](const Webhook& webhook) -> Result<Response> {
    if (!webhook.active) {
      return fail(ErrorCode::conflict, "this webhook is switched off; expected it to be active");
    }
    const std::size_t most = call->service.webhooks().options().most_waiting;
    return call->hub()
        .webhooks()
        .add_test(webhook, most, call->now())
        .map([&](const std::string& id) {
          call->service.webhooks().changed();
          return json_response(JsonObject().text("id", id).end(), 202);
        });
  });
}

}  // namespace

void add_webhook_routes(std::vector<Route>& routes) {
  using namespace schema;
  const std::string all = "/api/v1/campaigns/{campaign}/webhooks", one = all + "/{webhook}";
  const std::string url = text("http or https, at a public address"),
                    events = list(word({kTopics.begin(), kTopics.end()}));
  routes.insert(
      routes.end(),
      {{.method = Method::get,
        .pattern = all,
        .access = Access::owner,
        .name = "list_webhooks",
        .summary = "List the webhooks of a campaign",
        .handle = list_webhooks,
        .response = object({{"webhooks", list(ref("Webhook"))}})},
       {.method = Method::post,
        .pattern = all,
        .access = Access::owner,
        .name = "make_webhook",
        .summary = "Create a webhook for events from now on",
        .handle = make_webhook,
        .request = object({{"url", url}, {"events", events}, maybe("description", text())}),
        .response =
            object({{"webhook", ref("Webhook")}, {"secret", text("Signing key, shown once")}}),
        .success = 201},
       {.method = Method::patch,
        .pattern = one,
        .access = Access::owner,
        .name = "change_webhook",
        .summary = "Change the URL or the events, or switch the webhook off or on",
        .handle = change_webhook,
        .request = object({maybe("url", url), maybe("events", events), maybe("description", text()),
                           maybe("active", flag())}),
        .response = ref("Webhook")},
       {.method = Method::del,
        .pattern = one,
        .access = Access::owner,
        .name = "delete_webhook",
        .summary = "Delete a webhook and its deliveries",
        .handle = delete_webhook,
        .success = 204},
       {.method = Method::post,
        .pattern = one + "/secret",
        .access = Access::owner,
        .name = "rotate_secret",
        .summary = "Create a new secret; the old one stays valid for a day",
        .handle = rotate_secret,
        .response =
            object({{"secret", text("Signing key, shown once")}, {"old_secret_until", time()}})},
       {.method = Method::get,
        .pattern = one + "/deliveries",
        .access = Access::owner,
        .name = "list_deliveries",
        .summary = "List the last deliveries, the newest first",
        .handle = list_deliveries,
        .response = object({{"deliveries", list(ref("Delivery"))}}),
        .query = {{"limit", whole_from(1, Call::kMostRows), "Most deliveries; default: 100"}}},
       {.method = Method::post,
        .pattern = one + "/test",
        .access = Access::owner,
        .name = "test_webhook",
        .summary = "Send a test message",
        .handle = test_webhook,
        .response = object({{"id", text("Id of the message")}}),
        .success = 202}});
}

}  // namespace allot::serve
