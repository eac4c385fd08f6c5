// Campaigns in a file: durable labels per second against a bare loop, and opening a large campaign.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "allot/base/rng.hpp"
#include "allot/campaign/campaign.hpp"
#include "allot/store/sqlite_store.hpp"
#include "support/folder.hpp"

namespace allot {
namespace {

using campaign::Answer;
using campaign::Campaign;
using Clock = std::chrono::steady_clock;

using test::Folder;

campaign::Time now() {
  return std::chrono::time_point_cast<std::chrono::microseconds>(std::chrono::system_clock::now());
}

template <typename T>
void must(const Result<T>& done) {
  if (!done) throw std::runtime_error(done.error().message);
}

std::string id(std::uint64_t item) { return fmt::format("item-{:07}", item); }

std::unique_ptr<store::Store> open(const Folder& folder) {
  return store::open_sqlite(folder / "c.db", {.mode = store::OpenMode::create}).value();
}

void add_items(Campaign& campaign, std::uint32_t count) {
  constexpr std::uint32_t kAtOnce = 50'000;
  for (std::uint32_t from = 0; from < count; from += kAtOnce) {
    std::vector<campaign::ItemDraft> items(std::min(kAtOnce, count - from));
    for (std::uint32_t i = 0; i < items.size(); ++i) {
      items[i].id = id(from + i);
      items[i].fields = "{\"text\":\"some words to be labelled\"}";
    }
    must(campaign.add_items(items, now()));
  }
}

/// Answers to leased items: in batches by one thread, or one answer at a time by each of several
/// threads.
void campaign_labels(benchmark::State& state, std::uint32_t batch, std::uint32_t threads) {
  constexpr std::uint32_t kLabels = 20'480;
  for (auto _ : state) {
    const Folder folder;
    const auto store = open(folder);
    campaign::Options options;
    options.budget = Money::whole(1'000'000);
    const auto campaign = Campaign::create(*store, "c", options, now()).value();
    add_items(*campaign, kLabels);
    std::vector<std::vector<Answer>> answers(threads);
    for (std::uint32_t t = 0; t < threads; ++t) {
      const std::string worker = fmt::format("w{}", t);
      const auto handed = campaign->next(worker, kLabels / threads, now()).value();
      for (const auto& assignment : handed.assignments) {
        answers[t].push_back(
            {assignment.item, worker, position(ItemId{t}) % 2 == 0 ? "yes" : "no"});
      }
    }
    const auto begun = Clock::now();
    {
      std::vector<std::jthread> working;
      for (const auto& mine : answers) {
        working.emplace_back([&] {
          for (std::size_t n = 0; n < mine.size(); n += batch) {
            const auto part =
                std::span(mine).subspan(n, std::min<std::size_t>(batch, mine.size() - n));
            for (const auto& outcome : campaign->record(part, now())) outcome.value();
          }
        });
      }
    }
    state.SetIterationTime(std::chrono::duration<double>(Clock::now() - begun).count());
    if (campaign->view().status()->labels != kLabels)
      state.SkipWithError("ERROR: labels are missing");
  }
  state.SetItemsProcessed(state.iterations() * kLabels);
}

/// The bare loop: inserts the same rows and does nothing else.
void bare_sqlite(benchmark::State& state, std::uint32_t batch) {
  constexpr std::uint32_t kLabels = 20'480;
  for (auto _ : state) {
    const Folder folder;
    sqlite3* file = nullptr;
    sqlite3_open((folder / "c.db").c_str(), &file);
    const auto run = [&](const char* sql) {
      if (sqlite3_exec(file, sql, nullptr, nullptr, nullptr) != SQLITE_OK) {
        state.SkipWithError(sqlite3_errmsg(file));
      }
    };
    run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
        "CREATE TABLE label (sequence INTEGER PRIMARY KEY, time INTEGER, kind INTEGER,"
        " payload BLOB) STRICT");
    sqlite3_stmt* insert = nullptr;
    sqlite3_prepare_v2(file, "INSERT INTO label VALUES (?1, ?2, ?3, ?4)", -1, &insert, nullptr);
    const std::string payload(13, 'x');
    const auto begun = Clock::now();
    for (std::uint32_t n = 0; n < kLabels; n += batch) {
      run("BEGIN IMMEDIATE");
      for (std::uint32_t i = n; i < std::min(n + batch, kLabels); ++i) {
        sqlite3_bind_int64(insert, 1, i + 1);
        sqlite3_bind_int64(insert, 2, now().time_since_epoch().count());
        sqlite3_bind_int64(insert, 3, 6);
        sqlite3_bind_blob(insert, 4, payload.data(), static_cast<int>(payload.size()),
                          SQLITE_STATIC);
        sqlite3_step(insert);
        sqlite3_reset(insert);
      }
      run("COMMIT");
    }
    state.SetIterationTime(std::chrono::duration<double>(Clock::now() - begun).count());
    sqlite3_finalize(insert);
    sqlite3_close(file);
  }
  state.SetItemsProcessed(state.iterations() * kLabels);
}

constexpr std::uint32_t kKeys = 256'000, kKeysAtOnce = 128;

std::string random_key(Rng& rng) { return fmt::format("{:016x}-{:016x}", rng(), rng()); }

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// Records with keys in random order, each looked up first, as on a server.
void keyed_store(benchmark::State& state) {
  for (auto _ : state) {
    const Folder folder;
    open(folder);
    const auto store = store::open_sqlite(folder / "c.db", {.background_checkpoint = true}).value();
    Rng rng(1);
    const double begun = processor_seconds();
    for (std::uint32_t n = 0; n < kKeys; n += kKeysAtOnce) {
      const auto turn = store->begin("c").value();
      std::vector<store::Draft> drafts;
      for (std::uint32_t i = 0; i < kKeysAtOnce; ++i) {
        drafts.push_back({1, 6, random_key(rng), std::string(13, 'x')});
        if (turn->find(drafts.back().key).value()) state.SkipWithError("ERROR: known");
      }
      must(turn->append(drafts));
      must(turn->commit());
    }
    state.SetIterationTime(processor_seconds() - begun);
  }
  state.SetItemsProcessed(state.iterations() * kKeys);
}

/// The bare loop with an index that refuses duplicate keys.
void keyed_index(benchmark::State& state) {
  for (auto _ : state) {
    const Folder folder;
    sqlite3* file = nullptr;
    sqlite3_open((folder / "c.db").c_str(), &file);
    const auto run = [&](const char* sql) {
      if (sqlite3_exec(file, sql, nullptr, nullptr, nullptr) != SQLITE_OK) {
        state.SkipWithError(sqlite3_errmsg(file));
      }
    };
    run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -16000;"
        "PRAGMA wal_autocheckpoint = 4000;"
        "CREATE TABLE label (sequence INTEGER PRIMARY KEY, time INTEGER, kind INTEGER,"
        " key TEXT UNIQUE, payload BLOB) STRICT");
    sqlite3_stmt* insert = nullptr;
    sqlite3_prepare_v2(file, "INSERT INTO label VALUES (?1, 1, 6, ?2, ?3)", -1, &insert, nullptr);
    const std::string payload(13, 'x');
    Rng rng(1);
    const double begun = processor_seconds();
    for (std::uint32_t n = 0; n < kKeys; n += kKeysAtOnce) {
      run("BEGIN IMMEDIATE");
      for (std::uint32_t i = n; i < n + kKeysAtOnce; ++i) {
        const std::string key = random_key(rng);
        sqlite3_bind_int64(insert, 1, i + 1);
        sqlite3_bind_text(insert, 2, key.data(), static_cast<int>(key.size()), SQLITE_STATIC);
        sqlite3_bind_blob(insert, 3, payload.data(), static_cast<int>(payload.size()),
                          SQLITE_STATIC);
        sqlite3_step(insert);
        sqlite3_reset(insert);
      }
      run("COMMIT");
    }
    state.SetIterationTime(processor_seconds() - begun);
    sqlite3_finalize(insert);
    sqlite3_close(file);
  }
  state.SetItemsProcessed(state.iterations() * kKeys);
}

BENCHMARK(keyed_store)
    ->Name("keyed_records/store")
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(keyed_index)
    ->Name("keyed_records/unique_index")
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

BENCHMARK_CAPTURE(campaign_labels, batch512, 512, 1)
    ->Name("durable_labels/batch:512/campaign")
    ->Iterations(3)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(bare_sqlite, batch512, 512)
    ->Name("durable_labels/batch:512/bare_sqlite")
    ->Iterations(3)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(campaign_labels, threads32, 1, 32)
    ->Name("durable_labels/at_once:32/campaign")
    ->Iterations(3)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(bare_sqlite, threads32, 32)
    ->Name("durable_labels/at_once:32/bare_sqlite")
    ->Iterations(3)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

/// Ten labels per item by a thousand workers, and a snapshot.
void make_large(const Folder& folder, std::uint32_t items, std::uint32_t labels_per_item) {
  const auto store = open(folder);
  campaign::Options options;
  options.budget = Money::whole(1'000'000'000);
  options.refit_every = 1'000'000'000;  // keeps refits out of the measurement
  const auto campaign = Campaign::create(*store, "c", options, now()).value();
  add_items(*campaign, items);
  Rng rng(1);
  std::vector<Answer> labels;
  const auto flush = [&] {
    for (const auto& outcome : campaign->import(labels, now())) outcome.value();
    labels.clear();
  };
  for (std::uint32_t i = 0; i < items; ++i) {
    const std::uint64_t from = below(rng, 1000);
    for (std::uint32_t n = 0; n < labels_per_item; ++n) {
      const bool yes = uniform(rng) < (i % 2 == 0 ? 0.8 : 0.3);
      labels.push_back(
          {id(i), fmt::format("worker-{}", (from + 97 * n) % 1000), yes ? "yes" : "no"});
    }
    if (labels.size() >= 20'000) flush();
  }
  flush();
  must(campaign->save_snapshot());
}

struct Opened {
  double seconds, cpu, first_choice, choice, megabytes;  // first_choice in seconds of work
};

/// Measures in a separate process, so that memory is measured separately too.
Opened open_alone(const Folder& folder) {
  int ends[2];
  if (pipe(ends) != 0) std::abort();
  const pid_t child = fork();
  if (child == 0) {
    constexpr int kRounds = 100;
    Opened result{};
    const auto begun = Clock::now();
    const auto since = [](Clock::time_point from) {
      return std::chrono::duration<double>(Clock::now() - from).count();
    };
    const auto work = [] { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; };
    const double start = work();
    const auto store = open(folder);
    const auto campaign = Campaign::open(*store, "c").value();
    result.seconds = since(begun);
    result.cpu = work() - start;
    must(campaign->view().ranking("worker-7", 1));
    result.first_choice = work() - start - result.cpu;
    for (int n = 0; n < kRounds; ++n) {
      const auto item = campaign->next("worker-7", 1, now())->assignments.front().item;
      campaign->record(Answer{item, "worker-7", "yes"}, now()).value();
      must(campaign->view().ranking("worker-7", 1));
      const auto choosing = Clock::now();
      must(campaign->view().ranking("worker-7", 1));
      result.choice += since(choosing) / kRounds;
    }
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("VmHWM:")) result.megabytes = std::atof(line.c_str() + 6) / 1024;
    }
    const auto sent = write(ends[1], &result, sizeof result);
    _exit(sent == sizeof result ? 0 : 1);
  }
  close(ends[1]);
  Opened result{};
  if (read(ends[0], &result, sizeof result) != sizeof result) result.seconds = -1;
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return result;
}

void open_large(benchmark::State& state, std::uint32_t items, std::uint32_t labels_per_item) {
  const Folder folder;
  const pid_t maker = fork();
  if (maker == 0) {
    make_large(folder, items, labels_per_item);
    _exit(0);
  }
  waitpid(maker, nullptr, 0);
  for (auto _ : state) {
    const Opened opened = open_alone(folder);
    if (opened.seconds < 0) state.SkipWithError("ERROR: it was not opened");
    state.SetIterationTime(opened.seconds);
    state.counters["cpu_ms"] = opened.cpu * 1e3;
    state.counters["first_choice_ms"] = opened.first_choice * 1e3;
    state.counters["choice_ms"] = opened.choice * 1e3;
    state.counters["MB"] = opened.megabytes;
  }
}
BENCHMARK_CAPTURE(open_large, small, 10'000, 10)
    ->Name("open_1e4_items_1e5_labels")
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(open_large, large, 1'000'000, 10)
    ->Name("open_1e6_items_1e7_labels")
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace allot
