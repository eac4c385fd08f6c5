#include "serve/webhooks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <iterator>
#include <map>
#include <mutex>
#include <set>

#include "allot/base/time_text.hpp"
#include "base/signals_blocked.hpp"
#include "base/try.hpp"
#include "serve/hub.hpp"
#include "serve/log.hpp"
#include "serve/metrics.hpp"
#include "serve/problem.hpp"
#include "serve/secret.hpp"
#include "serve/webhook_store.hpp"

namespace allot::serve {
namespace {

/// Ledger pages that are read at the same time, so that a start with many webhooks leaves threads
/// to other work.
constexpr std::size_t kMostPages = 2;
/// Pause after a failure of the disk.
constexpr std::chrono::seconds kPause{1};
/// A ledger without events is read again after this time.
constexpr std::chrono::hours kLookAnyway{24};

/// Position of a webhook in the ledger; kept from page to page.
struct LedgerCursor {
  MessageWriter writer;
  std::uint64_t at = 0;
  bool began = false;
};

/// One page read for a webhook.
struct LedgerPage {
  std::string webhook;
  std::shared_ptr<LedgerCursor> cursor;
  /// The webhook's cursor before and after the page.
  std::uint64_t from = 0, to = 0;
  /// The last event of the ledger.
  std::uint64_t last = 0;
  std::vector<Message> messages = {};
  bool ok = false;
};

/// Reads up to `most` events. Events before the webhook's cursor give no messages, but the writer
/// sees them.
Result<void> read_page(OpenCampaign& open, LedgerPage& page, std::size_t most) {
  LedgerCursor& cursor = *page.cursor;
  TRY(open->view().read([&](const campaign::State&) {
    if (!cursor.began && !cursor.writer.needs_history()) cursor.at = page.from;
  }));
  cursor.began = true;
  const auto events = TRY(open->view().events(cursor.at, most));
  return open->view().read([&](const campaign::State& state) {
    for (const campaign::LedgerEntry& entry : events) {
      std::vector<Message> messages;
      cursor.writer.take(entry, state, messages);
      cursor.at = entry.sequence;
      if (entry.sequence > page.from) {
        std::ranges::move(messages, std::back_inserter(page.messages));
      }
    }
    page.to = std::max(page.from, cursor.at);
    page.last = state.sequence();
  });
}

/// How a receiver answered one attempt.
struct AttemptResult {
  Delivery delivery;
  Result<int> status;
};

/// Header fields of a message, as Standard Webhooks specifies them: an id, a timestamp, and a
/// signature per key. `keys` from the newest on; `agent` is the User-Agent.
http::Fields signed_fields(const Delivery& delivery, const std::vector<std::string>& keys,
                           const std::string& agent, Time now) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count();
  const std::string text = fmt::format("{}.{}.{}", delivery.id, seconds, delivery.body);
  std::string signatures;
  for (const std::string& key : keys) {
    signatures += (signatures.empty() ? "v1," : " v1,") + base64(authentication_code(key, text));
  }
  http::Fields fields;
  fields.add("Content-Type", "application/json");
  fields.add("User-Agent", agent);
  fields.add("webhook-id", delivery.id);
  fields.add("webhook-timestamp", fmt::format("{}", seconds));
  fields.add("webhook-signature", signatures);
  return fields;
}

}  // namespace

/// Messages from other threads to the courier.
struct Webhooks::Inbox {
  std::mutex mutex;
  std::condition_variable arrived;
  std::vector<LedgerPage> pages;
  std::vector<AttemptResult> results;
  /// Campaigns with new events.
  std::set<std::string> woken;
  bool changed = true, stop = false;

  template <typename Put>
  void put(Put leave) {
    {
      const std::scoped_lock lock(mutex);
      leave();
    }
    arrived.notify_one();
  }
};

/// The thread that follows ledgers and sends messages.
class Webhooks::Courier {
 public:
  Courier(Hub& hub, Metrics& metrics, const Log& log, const WebhookOptions& options,
          const std::string& version, std::shared_ptr<Inbox> inbox)
      : hub_(hub),
        metrics_(metrics),
        log_(log),
        options_(options),
        agent_("allot/" + version),
        inbox_(std::move(inbox)) {}

  void run() {
    while (wait()) {
      if (std::exchange(changed_, false)) load();
      for (LedgerPage& page : std::exchange(pages_, {})) keep(page);
      record_results();
      for (auto& [id, follower] : followers_) advance(follower);
    }
    if (client_) client_->stop(options_.grace);
    take();
    // A failure now may be our own cut: the message is sent again at the next start.
    std::erase_if(results_, [](const AttemptResult& result) { return !result.status; });
    record_results();
  }

 private:
  using Steady = std::chrono::steady_clock;

  struct Follower {
    Webhook webhook;
    std::shared_ptr<LedgerCursor> cursor;
    /// The ledger may have more events than were read.
    bool news = true;
    bool reading = false, sending = false;
    /// No message is due before this time.
    Time idle_until = {};
    Steady::time_point pause_until = {};
  };

  WebhookStore& store() { return hub_.webhooks(); }

  /// Waits for something to do and takes it from the inbox; false at the end.
  bool wait() {
    {
      std::unique_lock lock(inbox_->mutex);
      const auto there = [&] {
        return inbox_->stop || inbox_->changed || !inbox_->woken.empty() ||
               !inbox_->pages.empty() || !inbox_->results.empty();
      };
      if (followers_.empty() && !changed_) {
        inbox_->arrived.wait(lock, there);
      } else {
        inbox_->arrived.wait_for(lock, options_.tick, there);
      }
      if (inbox_->stop) return false;
    }
    take();
    return true;
  }

  void take() {
    const std::scoped_lock lock(inbox_->mutex);
    changed_ |= std::exchange(inbox_->changed, false);
    std::ranges::move(std::exchange(inbox_->pages, {}), std::back_inserter(pages_));
    std::ranges::move(std::exchange(inbox_->results, {}), std::back_inserter(results_));
    for (const std::string& campaign : std::exchange(inbox_->woken, {})) {
      watched_.erase(campaign);
      for (auto& [id, follower] : followers_) {
        follower.news |= follower.webhook.campaign == campaign;
      }
    }
  }

  /// Reads the webhooks from the store.
  void load() {
    auto list = store().list();
    if (!list) {
      changed_ = true;  // again, after a tick
      return;
    }
    std::map<std::string, Follower> now;
    for (Webhook& webhook : *list) {
      const auto known = followers_.find(webhook.id);
      Follower follower = known == followers_.end() ? Follower() : std::move(known->second);
      if (follower.webhook.events != webhook.events) {
        follower.cursor = nullptr;
        follower.news = true;
      }
      follower.webhook = std::move(webhook);
      follower.idle_until = {};
      now.emplace(follower.webhook.id, std::move(follower));
    }
    followers_ = std::move(now);
  }

  void keep(LedgerPage& page) {
    --under_way_;
    const auto found = followers_.find(page.webhook);
    if (found == followers_.end()) return;
    Follower& follower = found->second;
    follower.reading = false;
    if (!page.ok || page.cursor != follower.cursor) return pause(follower);
    std::uint64_t& last = last_[follower.webhook.campaign];
    last = std::max(last, page.last);
    follower.news = page.cursor->at < last;
    if (page.to == page.from) return;
    const auto kept = store().advance(page.webhook, page.from, page.to, page.messages, hub_.now());
    if (!kept || !*kept) {
      changed_ = true;  // another server may have moved the cursor
      return pause(follower);
    }
    follower.webhook.cursor = page.to;
    if (!page.messages.empty()) follower.idle_until = {};
  }

  /// After an error: starts again from the webhook's cursor, after a pause.
  static void pause(Follower& follower) {
    follower.cursor = nullptr;
    follower.news = true;
    follower.pause_until = Steady::now() + kPause;
  }

  void advance(Follower& follower) {
    if (!follower.webhook.active || Steady::now() < follower.pause_until) return;
    if (!hub_.owns(follower.webhook.campaign)) return;
    const auto maker = hub_.vault().with_id(follower.webhook.maker);
    if (!maker || maker->revoked) {
      return switch_off(follower, "the token that created it was revoked");
    }
    const auto entry = hub_.vault().campaign(follower.webhook.campaign);
    if (maker->role != Role::admin && entry && !entry->is_owned_by(*maker)) {
      return switch_off(follower, "the campaign has another owner");
    }
    const Time now = hub_.now();
    if (!follower.sending && follower.idle_until <= now) send_next(follower, now);
    if (follower.reading) return;
    if (follower.news) {
      if (under_way_ < kMostPages) read(follower);
    } else if (watched_.insert(follower.webhook.campaign).second) {
      hub_.wait_for_event(follower.webhook.campaign, last_[follower.webhook.campaign], kLookAnyway,
                          [inbox = inbox_, campaign = follower.webhook.campaign] {
                            inbox->put([&] { inbox->woken.insert(campaign); });
                          });
    }
  }

  void read(Follower& follower) {
    const auto waiting = store().waiting(follower.webhook.id);
    if (!waiting) return pause(follower);
    if (*waiting >= options_.most_waiting) return;
    if (!follower.cursor) {
      const Webhook& webhook = follower.webhook;
      follower.cursor = std::make_shared<LedgerCursor>(
          LedgerCursor{MessageWriter(webhook.campaign, webhook.events)});
    }
    follower.reading = true;
    ++under_way_;
    const auto page = std::make_shared<LedgerPage>(LedgerPage{.webhook = follower.webhook.id,
                                                              .cursor = follower.cursor,
                                                              .from = follower.webhook.cursor});
    hub_.look(
        follower.webhook.campaign,
        [page, most = options_.page](OpenCampaign& open) -> http::Response {
          const auto done = read_page(open, *page, most);
          page->ok = done.has_value();
          return done ? http::Response() : problem(done.error());
        },
        [page, inbox = inbox_](const http::Response&) {
          inbox->put([&] { inbox->pages.push_back(std::move(*page)); });
        });
  }

  void send_next(Follower& follower, Time now) {
    auto next = store().next(follower.webhook.id, now);
    if (!next) return pause(follower);
    if (!next->delivery) {
      follower.idle_until = next->due.value_or(Time::max());
      return;
    }
    const auto keys = store().keys(follower.webhook.id, now);
    if (!keys) return pause(follower);
    if (!client_) {
      auto client = http::Client::start(options_.client);
      if (!client) return pause(follower);
      client_ = *std::move(client);
    }
    follower.sending = true;
    const Delivery& delivery = *next->delivery;
    client_->post(next->url, signed_fields(delivery, *keys, agent_, now), delivery.body,
                  [inbox = inbox_, delivery](Result<int> status) {
                    inbox->put([&] { inbox->results.push_back({delivery, std::move(status)}); });
                  });
  }

  /// Stores the results of attempts.
  void record_results() {
    if (results_.empty()) return;
    const Time now = hub_.now();
    std::vector<Delivery> done;
    for (const AttemptResult& result : results_) done.push_back(after(result, now));
    // If they cannot be stored, the messages are sent again.
    const bool kept = store().record(done, options_.kept).has_value();
    results_.clear();
    for (const Delivery& delivery : done) {
      const auto found = followers_.find(delivery.webhook);
      if (found == followers_.end()) continue;
      Follower& follower = found->second;
      follower.sending = false;
      follower.idle_until = {};
      if (kept) {
        judge(follower, delivery, now);
      } else {
        pause(follower);
      }
    }
  }

  Delivery after(const AttemptResult& outcome, Time now) {
    Delivery delivery = outcome.delivery;
    const bool took = outcome.status && *outcome.status >= 200 && *outcome.status < 300;
    const bool again = !took && delivery.attempts < options_.waits.size();
    delivery.last = now;
    delivery.status = outcome.status.value_or(0);
    delivery.trouble = outcome.status ? "" : outcome.status.error().message;
    delivery.state =
        took ? DeliveryState::delivered : (again ? DeliveryState::waiting : DeliveryState::failed);
    if (again) delivery.due = now + options_.waits[delivery.attempts];
    ++delivery.attempts;
    metrics_.delivery(took    ? Metrics::DeliveryResult::delivered
                      : again ? Metrics::DeliveryResult::retried
                              : Metrics::DeliveryResult::failed);
    return delivery;
  }

  /// Switches the webhook off if it has failed for too long.
  void judge(Follower& follower, const Delivery& last, Time now) {
    Webhook& webhook = follower.webhook;
    const bool took = last.state == DeliveryState::delivered;
    if (took && !webhook.failing_since) return;
    if (took) {
      webhook.failing_since.reset();
    } else if (!webhook.failing_since) {
      webhook.failing_since = now;
    } else if (now - *webhook.failing_since < options_.switch_off_after) {
      return;
    } else {
      return switch_off(follower, fmt::format("all deliveries have failed since {}",
                                              time_text(*webhook.failing_since)));
    }
    static_cast<void>(store().note(webhook));
  }

  void switch_off(Follower& follower, std::string why) {
    follower.webhook.off_reason = std::move(why);
    if (!store().note(follower.webhook)) return pause(follower);
    follower.webhook.active = false;
    log_.note({.level = Level::warning,
               .what = "a webhook was switched off",
               .campaign = follower.webhook.campaign,
               .webhook = follower.webhook.id,
               .cause = follower.webhook.off_reason},
              hub_.now());
  }

  Hub& hub_;
  Metrics& metrics_;
  const Log& log_;
  const WebhookOptions& options_;
  const std::string agent_;
  const std::shared_ptr<Inbox> inbox_;
  std::unique_ptr<http::Client> client_;
  std::map<std::string, Follower> followers_;
  /// The last known event of each campaign's ledger.
  std::map<std::string, std::uint64_t> last_;
  /// Campaigns whose next event wakes the courier.
  std::set<std::string> watched_;
  std::vector<LedgerPage> pages_;
  std::vector<AttemptResult> results_;
  std::size_t under_way_ = 0;
  bool changed_ = false;
};

Webhooks::Webhooks(Hub& hub, Metrics& metrics, const Log& log, WebhookOptions options,
                   bool private_addresses, const std::string& version)
    : options_([&] {
        options.client.private_addresses = private_addresses;
        return std::move(options);
      }()),
      inbox_(std::make_shared<Inbox>()) {
  const SignalsBlocked signals_blocked;
  thread_ = std::thread([this, &hub, &metrics, &log, version] {
    Courier(hub, metrics, log, options_, version, inbox_).run();
  });
}

Webhooks::~Webhooks() { stop(); }

void Webhooks::changed() {
  inbox_->put([&] { inbox_->changed = true; });
}

void Webhooks::stop() {
  inbox_->put([&] { inbox_->stop = true; });
  if (thread_.joinable()) thread_.join();
}

}  // namespace allot::serve
