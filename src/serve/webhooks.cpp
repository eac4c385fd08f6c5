#include "serve/webhooks.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <condition_variable>
#include <map>
#include <mutex>
#include <set>

#include "allot/base/time_text.hpp"
#include "base/try.hpp"
#include "serve/hub.hpp"
#include "serve/log.hpp"
#include "serve/metrics.hpp"
#include "serve/problem.hpp"
#include "serve/secret.hpp"
#include "serve/webhook_store.hpp"

namespace allot::serve {
namespace {

/// Ledgers that are read at the same time, so that a start with many webhooks leaves threads to
/// others.
constexpr std::size_t kMostReadings = 2;
/// After trouble with the disk.
constexpr std::chrono::seconds kPause{1};
/// A ledger without news for so long is looked at anyway.
constexpr std::chrono::hours kPatience{24};

/// Where a teller stands.
struct Reader {
  Teller teller;
  std::uint64_t at = 0;
  bool began = false;
};

/// What was read of a ledger for one webhook.
struct Reading {
  std::string webhook;
  std::shared_ptr<Reader> reader;
  std::uint64_t from = 0, to = 0;
  /// Of the ledger.
  std::uint64_t last = 0;
  std::vector<Message> messages = {};
  bool ok = false;
};

struct Outcome {
  Delivery delivery;
  Result<int> status;
};

/// One page of the ledger. What is before the cursor is only taken in.
Result<void> read_page(Room& room, Reading& reading, std::size_t most) {
  Reader& reader = *reading.reader;
  const auto began = room.seen([&](const campaign::State& state) {
    if (!reader.began && !reader.teller.needs_history(state)) reader.at = reading.from;
    return true;
  });
  if (!began) return tl::unexpected(began.error());
  reader.began = true;
  const auto events = TRY(room->events(reader.at, most));
  return room
      .seen([&](const campaign::State& state) {
        for (const campaign::Happened& one : events) {
          std::vector<Message> told;
          reader.teller.take(one, state, told);
          reader.at = one.sequence;
          if (one.sequence > reading.from)
            std::ranges::move(told, std::back_inserter(reading.messages));
        }
        reading.to = std::max(reading.from, reader.at);
        reading.last = state.sequence();
        return true;
      })
      .map([](bool) {});
}

}  // namespace

/// What other threads leave for the courier.
struct Webhooks::Inbox {
  std::mutex mutex;
  std::condition_variable arrived;
  std::vector<Reading> readings;
  std::vector<Outcome> outcomes;
  /// Campaigns with news.
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

/// All that the one thread does.
class Webhooks::Courier {
 public:
  Courier(Hub& hub, Metrics& metrics, const Log& log, const WebhookOptions& options,
          std::string version, std::shared_ptr<Inbox> inbox)
      : hub_(hub),
        metrics_(metrics),
        log_(log),
        options_(options),
        agent_("allot/" + std::move(version)),
        inbox_(std::move(inbox)) {}

  void run() {
    while (wait()) {
      if (std::exchange(changed_, false)) load();
      for (Reading& one : std::exchange(readings_, {})) keep(one);
      settle();
      for (auto& [id, follower] : followers_) advance(follower);
    }
    if (client_) client_->stop(options_.grace);
    take();
    // Whatever failed now may have been cut here: it is tried again at the next start.
    std::erase_if(outcomes_, [](const Outcome& one) { return !one.status; });
    settle();
  }

 private:
  using Steady = std::chrono::steady_clock;

  struct Follower {
    Webhook webhook;
    std::shared_ptr<Reader> reader;
    /// Whether the ledger may have more than was read.
    bool news = true;
    bool reading = false, sending = false;
    /// Nothing is due before.
    Time idle_until = {};
    Steady::time_point pause_until = {};
  };

  WebhookStore& store() { return hub_.webhooks(); }

  /// Takes what has come, after waiting for it; false at the end.
  bool wait() {
    {
      std::unique_lock lock(inbox_->mutex);
      const auto there = [&] {
        return inbox_->stop || inbox_->changed || !inbox_->woken.empty() ||
               !inbox_->readings.empty() || !inbox_->outcomes.empty();
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
    std::ranges::move(std::exchange(inbox_->readings, {}), std::back_inserter(readings_));
    std::ranges::move(std::exchange(inbox_->outcomes, {}), std::back_inserter(outcomes_));
    for (const std::string& campaign : std::exchange(inbox_->woken, {})) {
      watched_.erase(campaign);
      for (auto& [id, follower] : followers_) {
        follower.news |= follower.webhook.campaign == campaign;
      }
    }
  }

  /// The webhooks as they are kept now.
  void load() {
    auto list = store().list();
    if (!list) {
      changed_ = true;  // again, after a tick
      return;
    }
    std::map<std::string, Follower> now;
    for (Webhook& one : *list) {
      const auto known = followers_.find(one.id);
      Follower follower = known == followers_.end() ? Follower() : std::move(known->second);
      if (follower.webhook.events != one.events) {
        follower.reader = nullptr;
        follower.news = true;
      }
      follower.webhook = std::move(one);
      follower.idle_until = {};
      now.emplace(follower.webhook.id, std::move(follower));
    }
    followers_ = std::move(now);
  }

  void keep(Reading& reading) {
    --under_way_;
    const auto found = followers_.find(reading.webhook);
    if (found == followers_.end()) return;
    Follower& follower = found->second;
    follower.reading = false;
    if (!reading.ok || reading.reader != follower.reader) return pause(follower);
    std::uint64_t& last = last_[follower.webhook.campaign];
    last = std::max(last, reading.last);
    follower.news = reading.reader->at < last;
    if (reading.to == reading.from) return;
    const auto kept =
        store().advance(reading.webhook, reading.from, reading.to, reading.messages, hub_.now());
    if (!kept || !*kept) return pause(follower);
    follower.webhook.cursor = reading.to;
    if (!reading.messages.empty()) follower.idle_until = {};
  }

  /// Something went wrong: from the cursor again, in a while.
  static void pause(Follower& follower) {
    follower.reader = nullptr;
    follower.news = true;
    follower.pause_until = Steady::now() + kPause;
  }

  void advance(Follower& follower) {
    if (!follower.webhook.active || Steady::now() < follower.pause_until) return;
    const auto maker = hub_.vault().with_id(follower.webhook.maker);
    if (!maker || maker->revoked) {
      return switch_off(follower, "the token of its maker was revoked");
    }
    const Time now = hub_.now();
    if (!follower.sending && follower.idle_until <= now) send_next(follower, now);
    if (follower.reading) return;
    if (follower.news) {
      if (under_way_ < kMostReadings) read(follower);
    } else if (watched_.insert(follower.webhook.campaign).second) {
      hub_.wait_for_event(follower.webhook.campaign, last_[follower.webhook.campaign], kPatience,
                          [inbox = inbox_, campaign = follower.webhook.campaign] {
                            inbox->put([&] { inbox->woken.insert(campaign); });
                          });
    }
  }

  void read(Follower& follower) {
    const auto waiting = store().waiting(follower.webhook.id);
    if (!waiting) return pause(follower);
    if (*waiting >= options_.most_waiting) return;
    if (!follower.reader) {
      const Webhook& webhook = follower.webhook;
      follower.reader = std::make_shared<Reader>(Reader{Teller(webhook.campaign, webhook.events)});
    }
    follower.reading = true;
    ++under_way_;
    const auto reading = std::make_shared<Reading>(Reading{.webhook = follower.webhook.id,
                                                           .reader = follower.reader,
                                                           .from = follower.webhook.cursor});
    hub_.look(
        follower.webhook.campaign,
        [reading, most = options_.page](Room& room) -> http::Response {
          const auto done = read_page(room, *reading, most);
          reading->ok = done.has_value();
          return done ? http::Response() : problem(done.error());
        },
        [reading, inbox = inbox_](const http::Response&) {
          inbox->put([&] { inbox->readings.push_back(std::move(*reading)); });
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
    const auto seconds = std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count();
    const std::string text = fmt::format("{}.{}.{}", delivery.id, seconds, delivery.body);
    http::Fields fields;
    fields.add("Content-Type", "application/json");
    fields.add("User-Agent", agent_);
    fields.add("webhook-id", delivery.id);
    fields.add("webhook-timestamp", fmt::format("{}", seconds));
    std::string signatures;
    for (const std::string& key : *keys) {
      signatures += (signatures.empty() ? "v1," : " v1,") + base64(authentication_code(key, text));
    }
    fields.add("webhook-signature", signatures);
    client_->post(next->url, fields, delivery.body, [inbox = inbox_, delivery](Result<int> status) {
      inbox->put([&] { inbox->outcomes.push_back({delivery, std::move(status)}); });
    });
  }

  /// What became of messages that were sent.
  void settle() {
    if (outcomes_.empty()) return;
    const Time now = hub_.now();
    std::vector<Delivery> done;
    for (const Outcome& one : outcomes_) done.push_back(after(one, now));
    // If it cannot be kept it is not so: they are sent again.
    const bool kept = store().record(done, options_.kept).has_value();
    outcomes_.clear();
    for (const Delivery& one : done) {
      const auto found = followers_.find(one.webhook);
      if (found == followers_.end()) continue;
      Follower& follower = found->second;
      follower.sending = false;
      follower.idle_until = {};
      if (kept) {
        judge(follower, one, now);
      } else {
        pause(follower);
      }
    }
  }

  Delivery after(const Outcome& outcome, Time now) {
    Delivery one = outcome.delivery;
    const bool took = outcome.status && *outcome.status >= 200 && *outcome.status < 300;
    const bool again = !took && one.attempts < options_.waits.size();
    one.last = now;
    one.status = outcome.status.value_or(0);
    one.trouble = outcome.status ? "" : outcome.status.error().message;
    one.state =
        took ? DeliveryState::delivered : (again ? DeliveryState::waiting : DeliveryState::failed);
    if (again) one.due = now + options_.waits[one.attempts];
    ++one.attempts;
    metrics_.delivery(took    ? Metrics::Sent::delivered
                      : again ? Metrics::Sent::retried
                              : Metrics::Sent::failed);
    return one;
  }

  /// Whether the webhook has failed for too long.
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
      return switch_off(follower, fmt::format("nothing was delivered since {}",
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
  /// The last event of a campaign's ledger that is known of.
  std::map<std::string, std::uint64_t> last_;
  /// Campaigns whose next event after that wakes the courier.
  std::set<std::string> watched_;
  std::vector<Reading> readings_;
  std::vector<Outcome> outcomes_;
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
  // Signals are for the threads of the program.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this, &hub, &metrics, &log, version] {
    Courier(hub, metrics, log, options_, version, inbox_).run();
  });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
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
