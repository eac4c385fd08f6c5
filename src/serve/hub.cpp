#include "serve/hub.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "allot/base/text.hpp"
#include "base/signals_blocked.hpp"
#include "base/try.hpp"
#include "serve/problem.hpp"
#include "serve/secret.hpp"

namespace allot::serve {
namespace {

using campaign::Campaign;

constexpr std::size_t kIdBytes = 16;
/// Fewer responses are not worth waking a thread for.
constexpr std::size_t kFewResponses = 8;

}  // namespace

Result<std::unique_ptr<Hub>> Hub::open(HubOptions options) {
  if (!options.clock) options.clock = campaign::now;
  if (options.threads == 0) options.threads = std::max(4U, 2 * std::thread::hardware_concurrency());
  std::unique_ptr<Hub> hub(new Hub(std::move(options)));
  TRY(hub->prepare());
  return hub;
}

Result<void> Hub::prepare() {
  store_ = TRY(options_.database.empty() ? open_folder(options_.folder)
                                         : open_database(options_.database, options_.in_database));
  vault_ = TRY(Vault::open(TRY(store_->open_tables(false))));
  for (const std::string& campaign : TRY(vault_->removed_ledgers())) TRY(finish_removal(campaign));
  const auto unfinished = TRY(vault_->unfinished(store_->stale_before(now())));
  for (const std::string& campaign : unfinished) TRY(discard(campaign));
  webhooks_ = std::make_unique<WebhookStore>(TRY(store_->open_tables(false)));
  model_runs_ = std::make_unique<ModelRunStore>(TRY(store_->open_tables(false)));
  accuracy_ = std::make_unique<AccuracyStore>(TRY(store_->open_tables(true)));
  pool_ =
      std::make_unique<TaskPool>(options_.threads, options_.blocking_threads, options_.most_slow);
  if (auto database = store_->database()) {
    cluster_ = std::make_unique<Cluster>(
        std::move(database), options_.cluster,
        Cluster::Events{.gained =
                            [this](const std::string& campaign) {
                              move(campaign, false);
                              listener_.gained();
                            },
                        .lost = [this](const std::string& campaign) { move(campaign, true); },
                        .gone = [this](const std::string& address) { listener_.gone(address); },
                        .tick = [this] { static_cast<void>(vault_->refresh()); }});
  }
  {
    const SignalsBlocked signals_blocked;
    timer_ = std::thread([this] { keep_time(); });
  }
  if (options_.visit_all && !cluster_) {
    std::vector<std::string> all;
    for (const CampaignEntry& entry : vault_->campaigns()) all.push_back(entry.id);
    visit(std::move(all), 0);
  }
  return {};
}

Result<void> Hub::join(const std::string& address, ClusterListener listener) {
  if (!cluster_) return {};
  listener_ = std::move(listener);
  return cluster_->join(address);
}

Hub::~Hub() { stop(); }

Result<CampaignEntry> Hub::create(CampaignEntry draft, const campaign::Options& options,
                                  const campaign::Setup& setup, const CreationRequest& by) {
  draft.id = random_hex(kIdBytes);
  draft.created = now();
  const CampaignEntry entry = std::move(draft);
  // If the server dies between these two, a later start finds the ledger and removes it.
  TRY(vault_->begin(entry.id, entry.created));
  const auto made =
      store_->new_ledger(entry.id, entry.name)
          .and_then([&](const ServerStore::Ledger& ledger) {
            return Campaign::create(*ledger.store, ledger.name, options, entry.created, setup)
                .map([](const auto&) {});
          })
          .and_then([&] { return vault_->add(entry, by); });
  if (made) return entry;
  static_cast<void>(discard(entry.id));
  return tl::unexpected(made.error());
}

Result<void> Hub::discard(const std::string& campaign) {
  return vault_->give_up(campaign,
                         [&](TableSession& session) { return store_->remove(campaign, session); });
}

void Hub::remove(const std::string& campaign, http::Reply reply) {
  post(campaign, {nullptr, nullptr, std::move(reply)});
}

Result<void> Hub::finish_removal(const std::string& campaign) {
  TRY(store_->remove_ledger(campaign));
  return vault_->forget_ledger(campaign);
}

void Hub::command(const std::string& campaign, Command command, http::Reply reply,
                  std::vector<std::string> keys) {
  post(campaign, {std::move(command), nullptr, std::move(reply), std::move(keys)});
}

void Hub::look(const std::string& campaign, Look look, http::Reply reply) {
  post(campaign, {nullptr, std::move(look), std::move(reply)});
}

/// With the mutex held.
Hub::Mailbox& Hub::mailbox(const std::string& campaign) {
  auto& box = boxes_[campaign];
  if (!box) box = std::make_unique<Mailbox>(campaign);
  return *box;
}

void Hub::post(const std::string& campaign, Letter letter) {
  std::optional<http::Response> refused;
  bool begins = false;
  {
    const std::scoped_lock lock(mutex_);
    Mailbox& box = mailbox(campaign);
    if (stopping_) {
      refused = busy(kStopping);
    } else if (box.removed) {
      refused = no_such_campaign(campaign);
    } else if (box.letters.size() >= options_.most_waiting) {
      refused = busy("too many requests wait for this campaign");
    } else {
      box.letters.push_back(std::move(letter));
      begins = !box.at_work;
      box.at_work = true;
      // Pushed under the mutex: `stop` sets its flag under it, and then waits for what is pushed.
      if (begins) pool_->push([this, &box] { serve(box); });
    }
  }
  if (refused) return letter.reply(*std::move(refused));
  if (begins) pool_->wake();
}

void Hub::serve(Mailbox& box) {
  std::vector<Letter> letters;
  {
    const std::scoped_lock lock(mutex_);
    letters.swap(box.letters);
    box.last_used = ++uses_;
    ++batches_;
  }
  answer(box, letters);
  letters.clear();
  if (std::exchange(box.lacks_point, false) && box.open) {
    // A point that cannot be made now is made after the next batch.
    static_cast<void>(result_of([&]() -> Result<void> {
      box.open->accuracy_history().follow(**box.open);
      return {};
    }));
  }
  std::vector<std::unique_ptr<OpenCampaign>> closed;  // closed without the mutex
  {
    const std::scoped_lock lock(mutex_);
    box.at_work = !box.letters.empty();
    // This thread takes a task next, so no other is woken for it.
    if (box.at_work) pool_->push([this, &box] { serve(box); });
    closed = close_idle();
    if (box.moved && !box.at_work && box.open) closed.push_back(std::move(box.open));
  }
  watchers_.wake_ready(box.campaign);
}

void Hub::answer(Mailbox& box, std::vector<Letter>& letters) {
  // The deletion comes first, and needs no campaign that can be opened.
  const auto removals = std::ranges::stable_partition(
      letters, [](const Letter& letter) { return !letter.removes(); });
  for (const Letter& letter : removals) letter.reply(guarded([&] { return remove(box); }));
  letters.erase(removals.begin(), removals.end());
  if (box.removed) {
    for (const Letter& letter : letters) letter.reply(no_such_campaign(box.campaign));
    return;
  }
  if (letters.empty()) return;
  const auto ready = result_of([&] { return open_campaign(box); });
  if (!ready) {
    for (const Letter& letter : letters) letter.reply(problem(ready.error()));
    return;
  }
  const auto looks = std::ranges::stable_partition(
      letters, [](const Letter& letter) { return letter.command != nullptr; });
  const std::span commands(letters.begin(), looks.begin());
  if (!commands.empty()) decide(box, commands);
  for (const Letter& letter : looks) {
    letter.reply(guarded([&] { return letter.look(*box.open); }));
  }
  if (!looks.empty()) publish(box);
  const std::scoped_lock lock(mutex_);
  commands_ += commands.size();
}

http::Response Hub::remove(Mailbox& box) {
  const auto entry = vault_->campaign(box.campaign);
  if (!entry) return no_such_campaign(box.campaign);
  if (!entry->archived) {
    return problem(Error{ErrorCode::conflict,
                         fmt::format("campaign {} is not archived; expected it to be archived "
                                     "before it is deleted",
                                     in_quotes(entry->name))});
  }
  std::unique_ptr<OpenCampaign> closed;
  {
    const std::scoped_lock lock(mutex_);
    closed = std::move(box.open);
  }
  closed.reset();
  if (const auto removed = vault_->remove(box.campaign); !removed) return problem(removed.error());
  {
    const std::scoped_lock lock(mutex_);
    box.removed = box.moved = true;
    box.sums.reset();
  }
  watchers_.reached(box.campaign, UINT64_MAX);  // wakes all, whose streams then end
  // The campaign is gone for everybody; what cannot be removed now, the next start removes.
  http::Response done{.status = 204};
  if (const auto finished = finish_removal(box.campaign); !finished) {
    done.cause = finished.error().message;
  }
  return done;
}

/// Hands the commands to the campaign as one commit, and replies.
void Hub::decide(Mailbox& box, std::span<Letter> commands) {
  OpenCampaign& open = *box.open;
  std::vector<http::Response> responses(commands.size());
  std::vector<campaign::BatchRequest> requests;
  requests.reserve(commands.size());
  for (std::size_t n = 0; n < commands.size(); ++n) {
    requests.emplace_back([&, n](campaign::Batch& batch) {
      OpenBatch open_batch(open, batch);
      responses[n] = commands[n].command(open_batch);
    });
  }
  // The last of the batch sees where the campaign stands after it.
  std::optional<Standing> after;
  requests.emplace_back([&](campaign::Batch& batch) {
    const auto now =
        batch.view().read([&](const campaign::State& state) { return standing_of(open, state); });
    if (now) after = *now;
  });
  std::vector<std::string> keys;
  for (Letter& letter : commands) std::ranges::move(letter.keys, std::back_inserter(keys));
  const auto begin = std::chrono::steady_clock::now();
  const auto results = open->commit(requests, keys);
  {
    const std::scoped_lock lock(mutex_);
    ++commits_;
    commit_seconds_ +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  // Before any client knows that it happened.
  if (results.back() && after) {
    note(box, *after);
  } else {
    publish(box);
  }
  std::vector<Delivery> deliveries;
  deliveries.reserve(commands.size());
  for (std::size_t n = 0; n < commands.size(); ++n) {
    deliveries.push_back({std::move(commands[n].reply),
                          results[n] ? std::move(responses[n]) : problem(results[n].error())});
  }
  deliver(std::move(deliveries));
}

/// Tells watchers and monitoring where the campaign stands.
void Hub::publish(Mailbox& box) {
  const auto now =
      box.open->read([&](const campaign::State& state) { return standing_of(*box.open, state); });
  if (now) note(box, *now);
}

Hub::Standing Hub::standing_of(OpenCampaign& open, const campaign::State& state) {
  return {state.sequence(), Sums::of(state), open.accuracy_history().lacks_point(state)};
}

void Hub::note(Mailbox& box, const Standing& now) {
  watchers_.reached(box.campaign, now.sequence);
  const std::scoped_lock lock(mutex_);
  box.lacks_point = now.lacks_point;
  box.sums = now.sums;
  // A campaign counts from when it was opened, and from zero if it had to read its ledger again.
  const std::uint64_t refits = (*box.open)->refits();
  refits_ += refits >= box.refits ? refits - box.refits : refits;
  box.refits = refits;
}

void Hub::deliver(std::vector<Delivery> deliveries) {
  const auto all = std::make_shared<std::vector<Delivery>>(std::move(deliveries));
  const auto reply = [all] {
    for (Delivery& delivery : *all) delivery.reply(std::move(delivery.response));
  };
  if (all->size() < kFewResponses) return reply();
  // Another thread sends them; this one decides for the requests that wait already.
  pool_->push(reply);
  pool_->wake();
}

Result<void> Hub::open_campaign(Mailbox& box) {
  if (box.open) return {};
  auto [store, name] = TRY(store_->open_ledger(box.campaign));
  auto campaign = TRY(Campaign::open(*store, name));
  campaign->fit_ahead(true);
  auto open = std::make_unique<OpenCampaign>(box.campaign, std::move(store), std::move(campaign),
                                             *accuracy_);
  TRY(note_archived(*open, box.campaign));
  const std::scoped_lock lock(mutex_);
  box.open = std::move(open);
  box.refits = 0;
  return {};
}

void Hub::visit(std::vector<std::string> campaigns, std::size_t next) {
  if (next == campaigns.size() || stopping_) return;
  const std::string id = campaigns[next];
  look(
      id, [](OpenCampaign&) { return http::Response(); },
      [this, campaigns = std::move(campaigns), next](const http::Response& response) mutable {
        if (!response.cause.empty()) {
          ++unopened_;
          if (options_.unopened) options_.unopened(campaigns[next], response.cause);
        }
        visit(std::move(campaigns), next + 1);
      });
}

Result<void> Hub::note_archived(const OpenCampaign& open, const std::string& campaign) {
  const bool archived =
      TRY(open.read([](const campaign::State& state) { return state.archived(); }));
  const auto entry = vault_->campaign(campaign);
  if (!entry || entry->archived == archived) return {};
  return vault_->change(campaign, [&](CampaignEntry& now) { now.archived = archived; });
}

/// With the mutex held: takes the campaigns that were idle longest out of their mailboxes, so that
/// no more than `most_open` stay.
std::vector<std::unique_ptr<OpenCampaign>> Hub::close_idle() {
  std::vector<std::unique_ptr<OpenCampaign>> closed;
  if (boxes_.size() <= options_.most_open) return closed;
  std::vector<Mailbox*> idle;
  std::size_t open = 0;
  for (const auto& [id, box] : boxes_) {
    open += box->open != nullptr;
    if (box->open && !box->at_work) idle.push_back(box.get());
  }
  std::ranges::sort(idle, {}, &Mailbox::last_used);
  for (Mailbox* box : idle) {
    if (open-- <= options_.most_open) break;
    closed.push_back(std::move(box->open));
  }
  return closed;
}

void Hub::move(const std::string& campaign, bool away) {
  std::unique_ptr<OpenCampaign> closed;
  {
    const std::scoped_lock lock(mutex_);
    const auto found = boxes_.find(campaign);
    if (found == boxes_.end()) return;
    Mailbox& box = *found->second;
    box.moved = away;
    if (!away) return;
    if (!box.at_work) closed = std::move(box.open);
  }
  watchers_.wake_all(campaign);
}

bool Hub::has_moved(const std::string& campaign) const {
  const std::scoped_lock lock(mutex_);
  const auto found = boxes_.find(campaign);
  return found != boxes_.end() && found->second->moved;
}

void Hub::wait_for_event(const std::string& campaign, std::uint64_t after,
                         std::chrono::milliseconds timeout, std::function<void()> wake) {
  watchers_.wait(campaign, after, std::chrono::steady_clock::now() + timeout, std::move(wake));
}

void Hub::keep_time() {
  constexpr std::chrono::milliseconds kTick{50};
  auto expire_at = std::chrono::steady_clock::now() + options_.expire_every;
  while (!stopping_) {
    {
      std::unique_lock lock(mutex_);
      ticked_.wait_for(lock, kTick, [&] { return stopping_.load(); });
    }
    const auto now = std::chrono::steady_clock::now();
    watchers_.wake_overdue(now);
    if (stopping_ || now < expire_at) continue;
    expire_at = now + options_.expire_every;
    expire_leases();
  }
}

/// Asks every open campaign to end its leases that are over, and to rest if it is idle.
void Hub::expire_leases() {
  std::vector<std::string> open;
  {
    const std::scoped_lock lock(mutex_);
    for (const auto& [id, box] : boxes_) {
      if (box->open) open.push_back(id);
    }
  }
  const auto expire = [this](OpenCampaign& campaign) {
    const auto any_over = campaign.read([&](const campaign::State& state) {
      if (state.phase() == campaign::Phase::closed || state.leases().count() == 0) return false;
      const Time time = now();
      return state.clock_went_back(time) || !state.leases().over(time).empty();
    });
    if (any_over && *any_over) expired_ += campaign->expire(now()).value_or(0);
    campaign.rest_if_idle();
    return http::Response();
  };
  for (const std::string& id : open) look(id, expire, [](http::Response) {});
}

Hub::Sums Hub::Sums::of(const campaign::State& state) {
  return {.items = state.item_count(),
          .workers = state.worker_count(),
          .leases = state.leases().count(),
          .labels = state.label_counts().all,
          .spent = state.account().spent.value(),
          .left = state.account().left().value()};
}

Hub::Sums& Hub::Sums::operator+=(const Sums& other) {
  items += other.items;
  workers += other.workers;
  leases += other.leases;
  labels += other.labels;
  spent += other.spent;
  left += other.left;
  return *this;
}

Hub::Figures Hub::figures() const {
  const std::scoped_lock lock(mutex_);
  Figures figures{.batches = batches_,
                  .commands = commands_,
                  .expired = expired_,
                  .commits = commits_,
                  .refits = refits_,
                  .commit_seconds = commit_seconds_};
  figures.watchers = watchers_.count();
  figures.unopened = unopened_;
  for (const auto& [id, box] : boxes_) {
    if (box->sums && !box->moved) {
      ++figures.known;
      figures.sums += *box->sums;
    }
    if (box->open) {
      ++figures.open;
      figures.bytes += store_->bytes(id);
    }
    figures.waiting += box->letters.size();
  }
  if (cluster_) figures.cluster = cluster_->figures();
  return figures;
}

void Hub::stop() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  ticked_.notify_all();
  watchers_.stop();
  if (pool_) pool_->stop();
  if (timer_.joinable()) timer_.join();
  if (cluster_) cluster_->leave();
  std::vector<std::unique_ptr<OpenCampaign>> closed;
  const std::scoped_lock lock(mutex_);
  for (const auto& [id, box] : boxes_) closed.push_back(std::move(box->open));
}

}  // namespace allot::serve
