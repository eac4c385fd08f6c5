#include "serve/hub.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <tuple>

#include "allot/base/text.hpp"
#include "allot/store/sqlite_store.hpp"
#include "base/try.hpp"
#include "serve/problem.hpp"
#include "serve/secret.hpp"

namespace allot::serve {
namespace {

namespace fs = std::filesystem;
using campaign::Campaign;

constexpr std::size_t kIdBytes = 16;
/// Answers that are not worth waking a thread for.
constexpr std::size_t kFew = 8;

Time system_time() {
  return std::chrono::time_point_cast<std::chrono::microseconds>(std::chrono::system_clock::now());
}

/// The descriptor that holds the lock.
Result<int> lock_folder(const std::string& folder) {
  const std::string path = folder + "/lock";
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) {
    return fail(ErrorCode::write_failure,
                fmt::format("{} cannot be written; expected a folder that can", in_quotes(path)));
  }
  if (::flock(file, LOCK_EX | LOCK_NB) == 0) {
    const std::string owner = fmt::format("{}\n", ::getpid());
    if (::ftruncate(file, 0) == 0 && ::pwrite(file, owner.data(), owner.size(), 0) >= 0)
      return file;
    ::close(file);
    return fail(ErrorCode::write_failure,
                fmt::format("{} cannot be written; is the disk full?", in_quotes(path)));
  }
  std::string owner(20, '\0');
  const auto read = ::pread(file, owner.data(), owner.size(), 0);
  owner.resize(read > 0 ? static_cast<std::size_t>(read) : 0);
  ::close(file);
  return fail(ErrorCode::conflict,
              fmt::format("{} is in use by another allot serve (process {}); expected one server a "
                          "folder",
                          in_quotes(folder), trim(split(owner, '\n').front())));
}

http::Response answered(const Hub::Job& job, Room& room) {
  try {
    return job(room);
  } catch (const std::exception& wrong) {
    return broken(wrong.what());
  }
}

}  // namespace

Room::Room(std::string id, std::unique_ptr<store::Store> store, std::unique_ptr<Campaign> campaign,
           CourseStore& courses)
    : id_(std::move(id)),
      store_(std::move(store)),
      campaign_(std::move(campaign)),
      course_(courses, id_) {}

Room::~Room() = default;

Result<std::string> Room::content(ItemId item) {
  return store_->content(campaign_->name(), position(item))
      .map([](std::optional<std::string> text) { return std::move(text).value_or(""); });
}

Result<std::uint64_t> Room::sequence() {
  return seen([](const campaign::State& state) { return state.sequence(); });
}

Result<Room::Answers> Room::answers() {
  const auto now = TRY(sequence());
  if (answers_ && answers_at_ == now) return answers_;
  return campaign_->answers().map([&](std::vector<campaign::AnswerRow> rows) {
    answers_at_ = now;
    answers_ = std::make_shared<const std::vector<campaign::AnswerRow>>(std::move(rows));
    return answers_;
  });
}

Result<Room::Workers> Room::workers() {
  const auto now = TRY(sequence());
  if (workers_ && workers_at_ == now) return workers_;
  return campaign_->workers().map([&](std::vector<campaign::WorkerRow> rows) {
    workers_at_ = now;
    workers_ = std::make_shared<const std::vector<campaign::WorkerRow>>(std::move(rows));
    return workers_;
  });
}

Result<Room::Boards> Room::board() {
  const auto now = TRY(sequence());
  if (board_ && board_->sequence == now) return board_;
  return campaign_->board().map([&](campaign::Board board) {
    return board_ = std::make_shared<const campaign::Board>(std::move(board));
  });
}

std::uint32_t Room::count_revision(const std::string& worker, const std::string& item) {
  auto& [last, count] = revised_[worker];
  if (last != item) count = 0;
  last = item;
  return ++count;
}

Result<std::unique_ptr<Hub>> Hub::open(HubOptions options) {
  if (!options.clock) options.clock = system_time;
  if (options.threads == 0) options.threads = std::max(4U, 2 * std::thread::hardware_concurrency());
  std::unique_ptr<Hub> hub(new Hub(std::move(options)));
  return hub->prepare().map([&] { return std::move(hub); });
}

Result<void> Hub::prepare() {
  std::error_code wrong;
  const std::string campaigns = options_.folder + "/campaigns";
  if (fs::create_directories(campaigns, wrong) && !wrong) {
    // Labels, known answers and workers' names are not for others on this machine.
    fs::permissions(campaigns, fs::perms::owner_all, wrong);
  }
  if (wrong) {
    return fail(ErrorCode::write_failure,
                fmt::format("the folder {} cannot be made ({}); expected one that can be written",
                            in_quotes(options_.folder), wrong.message()));
  }
  lock_ = TRY(lock_folder(options_.folder));
  auto vault = TRY(Vault::open(options_.folder + "/server.db"));
  vault_ = std::move(vault);
  const auto unfinished = TRY(vault_->unfinished());
  for (const std::string& one : unfinished) {
    TRY(take_away(one));
  }
  auto webhooks = TRY(WebhookStore::open(options_.folder + "/server.db"));
  webhooks_ = std::move(webhooks);
  auto courses = TRY(CourseStore::open(options_.folder + "/server.db"));
  courses_ = std::move(courses);
  for (unsigned n = 0; n < options_.threads; ++n)
    threads_.emplace_back([this] { run(tasks_, arrived_); });
  for (unsigned n = 0; n < options_.threads_apart; ++n) {
    threads_.emplace_back([this] { run(tasks_apart_, arrived_apart_); });
  }
  threads_.emplace_back([this] { run(tasks_slow_, arrived_slow_); });
  timer_ = std::thread([this] { keep_time(); });
  return {};
}

Hub::~Hub() {
  stop();
  if (lock_ >= 0) ::close(lock_);
}

std::string Hub::file_of(const std::string& campaign) const {
  return fmt::format("{}/campaigns/{}.db", options_.folder, campaign);
}

Result<Entry> Hub::create(Entry draft, const campaign::Options& options,
                          const campaign::Beginning& beginning, const Asked& by) {
  const Entry entry = [&] {
    draft.id = random_hex(kIdBytes);
    draft.created = now();
    return std::move(draft);
  }();
  // Whatever happens between these two, the next start finds the file and takes it away.
  TRY(vault_->begin(entry.id));
  const auto made =
      store::open_sqlite(file_of(entry.id), {.mode = store::OpenMode::create})
          .and_then([&](const auto& store) {
            return Campaign::create(*store, entry.name, options, entry.created, beginning)
                .map([](const auto&) {});
          })
          .and_then([&] { return vault_->add(entry, by); });
  if (made) return entry;
  static_cast<void>(take_away(entry.id));
  return tl::unexpected(made.error());
}

Result<void> Hub::take_away(const std::string& campaign) {
  for (const char* part : {"", "-wal", "-shm", "-journal"}) {
    std::error_code wrong;
    fs::remove(file_of(campaign) + part, wrong);
    if (wrong) {
      return fail(ErrorCode::write_failure,
                  fmt::format("{} cannot be removed ({}); expected a folder that can be written",
                              in_quotes(file_of(campaign) + part), wrong.message()));
    }
  }
  return vault_->give_up(campaign);
}

void Hub::command(const std::string& campaign, Job job, http::Reply reply) {
  post(campaign, {std::move(job), std::move(reply), true});
}

void Hub::look(const std::string& campaign, Job job, http::Reply reply) {
  post(campaign, {std::move(job), std::move(reply), false});
}

void Hub::post(const std::string& campaign, Letter letter) {
  const char* refused = nullptr;
  bool begins = false;
  {
    const std::scoped_lock lock(mutex_);
    auto& box = boxes_[campaign];
    if (!box) box = std::make_unique<Mailbox>(campaign);
    if (stopping_) {
      refused = "the server is about to stop";
    } else if (box->letters.size() >= options_.most_waiting) {
      refused = "too many requests wait for this campaign";
    } else {
      box->letters.push_back(std::move(letter));
      begins = !box->at_work;
      if (begins) {
        box->at_work = true;
        tasks_.emplace_back([this, to = box.get()] { serve(*to); });
      }
    }
  }
  if (refused) return letter.reply(busy(refused));
  if (begins) arrived_.notify_one();
}

bool Hub::work(std::function<void()> task) {
  {
    const std::scoped_lock lock(mutex_);
    if (stopping_) return false;
    tasks_.push_back(std::move(task));
  }
  arrived_.notify_one();
  return true;
}

bool Hub::apart(std::function<void()> task) {
  {
    const std::scoped_lock lock(mutex_);
    if (stopping_) return false;
    tasks_apart_.push_back(std::move(task));
  }
  arrived_apart_.notify_one();
  return true;
}

bool Hub::slowly(std::function<void()> task) {
  {
    const std::scoped_lock lock(mutex_);
    if (stopping_ || tasks_slow_.size() >= options_.most_slow) return false;
    tasks_slow_.push_back(std::move(task));
  }
  arrived_slow_.notify_one();
  return true;
}

void Hub::run(Tasks& tasks, std::condition_variable& arrived) {
  std::unique_lock lock(mutex_);
  while (true) {
    arrived.wait(lock, [&] { return !tasks.empty() || (stopping_ && busy_ == 0); });
    if (tasks.empty()) return;
    const auto task = std::move(tasks.front());
    tasks.pop_front();
    ++busy_;
    lock.unlock();
    task();
    lock.lock();
    --busy_;
    if (stopping_) wake_all();
  }
}

void Hub::wake_all() {
  arrived_.notify_all();
  arrived_apart_.notify_all();
  arrived_slow_.notify_all();
}

void Hub::serve(Mailbox& box) {
  std::vector<Letter> letters;
  {
    const std::scoped_lock lock(mutex_);
    letters.swap(box.letters);
    box.rested = ++uses_;
    ++batches_;
  }
  answer(box, letters);
  letters.clear();
  if (box.room) box.room->course().follow(**box.room);
  std::vector<Watcher> awake;
  std::vector<std::unique_ptr<Room>> closed;
  {
    const std::scoped_lock lock(mutex_);
    const auto news = std::ranges::partition(
        box.watchers, [&](const Watcher& one) { return one.after >= box.last; });
    std::ranges::move(news, std::back_inserter(awake));
    box.watchers.erase(news.begin(), news.end());
    box.at_work = !box.letters.empty();
    // This thread looks for tasks next, so nobody needs to be woken for it.
    if (box.at_work) tasks_.emplace_back([this, to = &box] { serve(*to); });
    closed = resting();
  }
  for (const Watcher& one : awake) one.wake();
}

void Hub::publish(Mailbox& box) {
  const auto now = box.room->seen(
      [](const campaign::State& state) { return std::pair(state.sequence(), Sums::of(state)); });
  const std::scoped_lock lock(mutex_);
  if (!now) return;
  std::tie(box.last, box.sums) = *now;
  box.sums.refits = (*box.room)->refits();
}

void Hub::answer(Mailbox& box, std::vector<Letter>& letters) {
  const auto ready = open_room(box);
  if (!ready) {
    for (const Letter& one : letters) one.reply(problem(ready.error()));
    return;
  }
  const auto looks = std::ranges::stable_partition(letters, &Letter::is_command);
  const std::span commands(letters.begin(), looks.begin());
  if (!commands.empty() && !decide(box, commands)) {
    // One of them threw, and took the others with it: each for itself.
    for (Letter& one : commands) {
      if (!decide(box, {&one, 1})) one.reply(broken("a command threw"));
    }
  }
  for (const Letter& one : looks) one.reply(answered(one.job, *box.room));
  if (!looks.empty()) publish(box);
  const std::scoped_lock lock(mutex_);
  commands_ += commands.size();
}

bool Hub::decide(Mailbox& box, std::span<Letter> commands) {
  Room& room = *box.room;
  std::vector<http::Response> responses;
  responses.reserve(commands.size());
  bool threw = false;
  const auto begin = std::chrono::steady_clock::now();
  const auto kept = room->together([&] {
    threw = true;
    for (const Letter& one : commands) responses.push_back(one.job(room));
    threw = false;
  });
  if (threw) return false;
  {
    const std::scoped_lock lock(mutex_);
    ++commits_;
    commit_seconds_ +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  publish(box);  // before anybody knows that it happened
  std::vector<Answered> answers;
  answers.reserve(commands.size());
  for (std::size_t n = 0; n < commands.size(); ++n) {
    answers.push_back(
        {std::move(commands[n].reply), kept ? std::move(responses[n]) : problem(kept.error())});
  }
  deliver(std::move(answers));
  return true;
}

void Hub::deliver(std::vector<Answered> answers) {
  const auto all = std::make_shared<std::vector<Answered>>(std::move(answers));
  const auto reply = [all] {
    for (Answered& one : *all) one.reply(std::move(one.response));
  };
  if (all->size() < kFew) return reply();
  // Meanwhile this thread decides for those who wait already.
  {
    const std::scoped_lock lock(mutex_);
    tasks_.emplace_back(reply);
  }
  arrived_.notify_one();
}

Result<void> Hub::open_room(Mailbox& box) {
  if (box.room) return {};
  auto store = TRY(store::open_sqlite(file_of(box.campaign), {.background_checkpoint = true}));
  const auto names = TRY(store->campaigns());
  if (names.size() != 1) {
    return fail(ErrorCode::store_failure,
                fmt::format("{} holds {} campaigns; expected one", in_quotes(file_of(box.campaign)),
                            names.size()));
  }
  auto campaign = TRY(Campaign::open(*store, names.front()));
  campaign->fit_ahead(true);
  auto room =
      std::make_unique<Room>(box.campaign, std::move(store), std::move(campaign), *courses_);
  const std::scoped_lock lock(mutex_);
  box.room = std::move(room);
  return {};
}

std::vector<std::unique_ptr<Room>> Hub::resting() {
  std::vector<Mailbox*> idle;
  std::size_t open = 0;
  for (const auto& [id, box] : boxes_) {
    open += box->room != nullptr;
    if (box->room && !box->at_work) idle.push_back(box.get());
  }
  std::vector<std::unique_ptr<Room>> closed;
  if (open <= options_.most_open) return closed;
  std::ranges::sort(idle, {}, &Mailbox::rested);
  for (Mailbox* box : idle) {
    if (open-- <= options_.most_open) break;
    closed.push_back(std::move(box->room));
  }
  return closed;
}

void Hub::wait_for_event(const std::string& campaign, std::uint64_t after,
                         std::chrono::milliseconds patience, std::function<void()> wake) {
  {
    const std::scoped_lock lock(mutex_);
    auto& box = boxes_[campaign];
    if (!box) box = std::make_unique<Mailbox>(campaign);
    if (!stopping_ && box->last <= after) {
      box->watchers.push_back(
          {after, std::chrono::steady_clock::now() + patience, std::move(wake)});
      return;
    }
  }
  wake();
}

void Hub::keep_time() {
  constexpr std::chrono::milliseconds kTick{50};
  auto expire_at = std::chrono::steady_clock::now() + options_.expire_every;
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    ticked_.wait_for(lock, kTick, [&] { return stopping_.load(); });
    const auto now = std::chrono::steady_clock::now();
    std::vector<Watcher> awake;
    for (const auto& [id, box] : boxes_) {
      const auto late = std::ranges::partition(
          box->watchers, [&](const Watcher& one) { return !stopping_ && one.until > now; });
      std::ranges::move(late, std::back_inserter(awake));
      box->watchers.erase(late.begin(), late.end());
    }
    const bool expire = !stopping_ && now >= expire_at;
    if (expire) expire_at = now + options_.expire_every;
    lock.unlock();
    for (const Watcher& one : awake) one.wake();
    if (expire) {
      each_open([this](Room& room) {
        const auto over = room.seen([&](const campaign::State& state) {
          return state.phase() != campaign::Phase::closed && !state.over(this->now()).empty();
        });
        if (!over || !*over) return;
        expired_ += room->expire(this->now()).value_or(0);
      });
    }
    lock.lock();
  }
}

void Hub::each_open(const std::function<void(Room&)>& visit) {
  std::vector<std::string> open;
  {
    const std::scoped_lock lock(mutex_);
    for (const auto& [id, box] : boxes_) {
      if (box->room) open.push_back(id);
    }
  }
  for (const std::string& id : open) {
    look(
        id,
        [visit](Room& room) {
          visit(room);
          return http::Response();
        },
        [](http::Response) {});
  }
}

Hub::Sums Hub::Sums::of(const campaign::State& state) {
  return {.items = state.item_count(),
          .workers = state.worker_count(),
          .leases = state.lease_count(),
          .labels = state.label_count(),
          .spent = state.spent().value(),
          .left = state.left().value()};
}

Hub::Sums& Hub::Sums::operator+=(const Sums& other) {
  items += other.items;
  workers += other.workers;
  leases += other.leases;
  labels += other.labels;
  refits += other.refits;
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
                  .commit_seconds = commit_seconds_};
  for (const auto& [id, box] : boxes_) {
    figures.open += box->room != nullptr;
    if (box->room) {
      figures.sums += box->sums;
      for (const char* part : {"", "-wal"}) {
        std::error_code none;
        const auto size = fs::file_size(file_of(id) + part, none);
        if (!none) figures.bytes += size;
      }
    }
    figures.waiting += box->letters.size();
    figures.watchers += box->watchers.size();
  }
  return figures;
}

void Hub::stop() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  wake_all();
  ticked_.notify_all();
  for (std::thread& one : threads_) {
    if (one.joinable()) one.join();
  }
  if (timer_.joinable()) timer_.join();
  std::vector<std::unique_ptr<Room>> closed;
  std::vector<Watcher> awake;
  {
    const std::scoped_lock lock(mutex_);
    for (const auto& [id, box] : boxes_) {
      closed.push_back(std::move(box->room));
      std::ranges::move(box->watchers, std::back_inserter(awake));
      box->watchers.clear();
    }
  }
  for (const Watcher& one : awake) one.wake();
}

}  // namespace allot::serve
