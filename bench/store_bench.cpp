// Appends of small batches to one campaign, on SQLite and on PostgreSQL, each commit on disk.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "allot/store/postgres_store.hpp"
#include "allot/store/sqlite_store.hpp"
#include "support/folder.hpp"
#include "support/postgres_server.hpp"

namespace allot {
namespace {

/// Appends batches to each of so many campaigns at once, as a server with that many would.
void append_batches(benchmark::State& state, store::Store& store, std::size_t records,
                    int campaigns) {
  constexpr int kBatches = 500;
  std::vector<store::Draft> drafts(records, {1'700'000'000'000'000, 6, "", std::string(13, 'x')});
  std::uint64_t last = 0;
  for (auto _ : state) {
    std::vector<std::jthread> writers;
    for (int c = 0; c < campaigns; ++c) {
      writers.emplace_back([&, name = "c" + std::to_string(c), at = last]() mutable {
        for (int n = 0; n < kBatches; ++n, at += records) {
          const auto turn = store.begin(name).value();
          if (turn->last().value() != at || !turn->append(drafts) || !turn->commit()) {
            state.SkipWithError("ERROR: not appended");
            return;
          }
        }
      });
    }
    writers.clear();
    last += kBatches * records;
  }
  state.SetItemsProcessed(state.iterations() * kBatches * campaigns);
}

void on_sqlite(benchmark::State& state, std::size_t records, int campaigns) {
  const test::Folder folder;
  const auto store = store::open_sqlite(folder / "c.db", {.mode = store::OpenMode::create}).value();
  append_batches(state, *store, records, campaigns);
}

void on_postgres(benchmark::State& state, std::size_t records, int campaigns) {
  if (!test::PostgresServer::is_installed()) return state.SkipWithError("PostgreSQL is missing");
  static test::PostgresServer server(true);
  const auto store =
      store::open_postgres(server.new_database(), {.mode = store::OpenMode::create}).value();
  append_batches(state, *store, records, campaigns);
}

/// Items per second are commits per second.
void add(const char* name, void (*run)(benchmark::State&, std::size_t, int), std::size_t records,
         int campaigns) {
  benchmark::RegisterBenchmark(name,
                               [=](benchmark::State& state) { run(state, records, campaigns); })
      ->Iterations(2)
      ->UseRealTime()
      ->Unit(benchmark::kMillisecond);
}

[[maybe_unused]] const bool kAdded = [] {
  add("appends/records:2/campaigns:1/sqlite", on_sqlite, 2, 1);
  add("appends/records:2/campaigns:1/postgres", on_postgres, 2, 1);
  add("appends/records:64/campaigns:1/sqlite", on_sqlite, 64, 1);
  add("appends/records:64/campaigns:1/postgres", on_postgres, 64, 1);
  add("appends/records:64/campaigns:4/sqlite", on_sqlite, 64, 4);
  add("appends/records:64/campaigns:4/postgres", on_postgres, 64, 4);
  return true;
}();

}  // namespace
}  // namespace allot
