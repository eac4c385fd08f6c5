// Webhooks of a campaign.
#include <fmt/format.h>

#include <algorithm>

#include "allot/base/text.hpp"
#include "base/try.hpp"
#include "http/url.hpp"
#include "serve/call.hpp"
#include "serve/schema.hpp"

namespace allot::serve {
namespace {

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
      .json("events", events)
      .text("description", webhook.description)
      .flag("active", webhook.active)
      .text_or_null("off_reason", webhook.off_reason)
      .time("failing_since", webhook.failing_since)
      .time("old_secret_until", webhook.old_secret_until)
      .time("created", webhook.created)
      .whole("cursor", webhook.cursor);
}

std::string delivery_json(const Delivery& delivery) {
  const bool waits = delivery.state == DeliveryState::waiting;
  const auto status = static_cast<std::uint64_t>(delivery.status);
  return JsonObject()
      .text("id", delivery.id)
      .text("type", delivery.type)
      .text("state", name(delivery.state))
      .time("created", delivery.made)
      .whole("attempts", delivery.attempts)
      .time("last_attempt", delivery.last)
      .time("next_attempt", waits ? std::optional(delivery.due) : std::nullopt)
      .whole("status", status > 0 ? std::optional(status) : std::nullopt)
      .text_or_null("trouble", delivery.trouble);
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
  for (const std::string& event : body.texts("events", 2 * kTopics.size())) {
    const auto known = std::ranges::find(kTopics, event);
    if (known == kTopics.end()) {
      body.refuse(fmt::format("unknown event {}; expected some of {}", in_quotes(event),
                              fmt::join(kTopics, ", ")));
    } else {
      all |= bit(static_cast<Topic>(known - kTopics.begin()));
    }
  }
  if (all == 0) body.refuse("events is missing or empty; expected a list of events");
  return all;
}

Result<void> list_webhooks(const CallPtr& call) {
  return call->work([call]() -> Result<Response> {
    const auto webhooks = TRY(call->hub().webhooks().list(call->campaign()));
    return json_response(JsonObject().list("webhooks", webhooks, webhook_json));
  });
}

Result<void> make_webhook(const CallPtr& call) {
  Body body = Body::parse(call->request.body);
  Webhook draft{.campaign = call->campaign(),
                .maker = call->token.id,
                .url = body.text("url", kLongestUrl),
                .events = take_events(body),
                .description = body.text_if("description", kLongestDescription).value_or(""),
                .created = call->now()};
  if (!draft.url.empty()) take_url(body, draft.url, call->service.webhooks().private_addresses());
  TRY(body.done());
  return call->look([call, draft](OpenCampaign& open) mutable -> Result<Response> {
    draft.cursor = TRY(open.sequence());
    const WebhookOptions& limits = call->service.webhooks().options();
    const auto created =
        TRY(call->hub().webhooks().make(draft, limits.most_of_campaign, limits.most));
    call->service.webhooks().changed();
    return json_response(
        JsonObject().json("webhook", webhook_json(created.webhook)).text("secret", created.secret),
        201);
  });
}

/// Runs work(webhook) on a thread of the pool, with the webhook that the path names.
Result<void> with_webhook(const CallPtr& call, std::function<Result<Response>(Webhook)> work) {
  return call->work([call, work = std::move(work)] {
    return call->hub().webhooks().find(call->campaign(), call->param("webhook")).and_then(work);
  });
}

Result<void> change_webhook(const CallPtr& call) {
  Body body = Body::parse(call->request.body);
  const auto url = body.text_if("url", kLongestUrl);
  const auto description = body.text_if("description", kLongestDescription);
  const auto events = body.has("events") ? std::optional(take_events(body)) : std::nullopt;
  const auto active = body.has("active") ? std::optional(body.flag("active")) : std::nullopt;
  if (url) take_url(body, *url, call->service.webhooks().private_addresses());
  TRY(body.done());
  return with_webhook(call, [=](Webhook webhook) -> Result<Response> {
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
    TRY(call->hub().webhooks().change(webhook, switched_on, call->now()));
    call->service.webhooks().changed();
    return json_response(webhook_json(webhook));
  });
}

Result<void> rotate_secret(const CallPtr& call) {
  return with_webhook(call, [call](const Webhook& webhook) -> Result<Response> {
    const Time until = call->now() + call->service.webhooks().options().old_secret;
    const std::string secret = TRY(call->hub().webhooks().rotate(webhook.id, until));
    return json_response(JsonObject().text("secret", secret).time("old_secret_until", until));
  });
}

Result<void> delete_webhook(const CallPtr& call) {
  return with_webhook(call, [call](const Webhook& webhook) -> Result<Response> {
    TRY(call->hub().webhooks().remove(webhook.id));
    call->service.webhooks().changed();
    return Response{.status = 204};
  });
}

Result<void> list_deliveries(const CallPtr& call) {
  const std::uint64_t limit = TRY(call->limit());
  return with_webhook(call, [call, limit](const Webhook& webhook) -> Result<Response> {
    const auto deliveries = TRY(call->hub().webhooks().deliveries(webhook.id, limit));
    return json_response(JsonObject().list("deliveries", deliveries, delivery_json));
  });
}

Result<void> test_webhook(const CallPtr& call) {
  return with_webhook(call, [call](const Webhook& webhook) -> Result<Response> {
    if (!webhook.active) {
      return fail(ErrorCode::conflict, "this webhook is switched off; expected it to be active");
    }
    const std::size_t most = call->service.webhooks().options().most_waiting;
    const std::string id = TRY(call->hub().webhooks().add_test(webhook, most, call->now()));
    call->service.webhooks().changed();
    return json_response(JsonObject().text("id", id), 202);
  });
}

}  // namespace

void add_webhook_routes(std::vector<Route>& routes) {
  using namespace schema;
  using enum http::Method;
  RouteGroup all(routes, std::string(kCampaignPath) + "/webhooks", Access::owner);
  RouteGroup single(routes, std::string(kCampaignPath) + "/webhooks/{webhook}", Access::owner);
  const std::string url = text("http or https, at a public address"),
                    events = list(word({kTopics.begin(), kTopics.end()}));
  all.add(get, "", "list_webhooks", list_webhooks, "List the webhooks of a campaign",
          object({{"webhooks", list(ref("Webhook"))}}));
  all.add(post, "", "make_webhook", make_webhook, "Create a webhook for events from now on",
          object({{"webhook", ref("Webhook")}, {"secret", text("Signing key, shown once")}}),
          {.request = object({{"url", url}, {"events", events}, maybe("description", text())}),
           .success = 201});
  single.add(patch, "", "change_webhook", change_webhook,
             "Change the URL or the events, or switch the webhook off or on", ref("Webhook"),
             {.request = object({maybe("url", url), maybe("events", events),
                                 maybe("description", text()), maybe("active", flag())})});
  single.add(del, "", "delete_webhook", delete_webhook, "Delete a webhook and its deliveries", "",
             {.success = 204});
  single.add(post, "/secret", "rotate_secret", rotate_secret,
             "Create a new secret; the old one stays valid for a day",
             object({{"secret", text("Signing key, shown once")}, {"old_secret_until", time()}}));
  single.add(
      get, "/deliveries", "list_deliveries", list_deliveries,
      "List the last deliveries, the newest first", object({{"deliveries", list(ref("Delivery"))}}),
      {.query = {{"limit", whole_from(1, Call::kMostRows), "Most deliveries; default: 100"}}});
  single.add(post, "/test", "test_webhook", test_webhook, "Send a test message",
             object({{"id", text("Id of the message")}}), {.success = 202});
}

}  // namespace allot::serve
