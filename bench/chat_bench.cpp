// Language models as workers: labels per second with a stand-in endpoint that takes 200 ms per
// reply.
#include <benchmark/benchmark.h>

#include <stdexcept>

#include "allot/store/sqlite_store.hpp"
#include "bridge/chat_worker.hpp"
#include "support/chat_endpoint.hpp"
#include "support/folder.hpp"

namespace allot {
namespace {

using namespace std::chrono_literals;

/// Labels of one model by that many requests at once; the endpoint itself allows 5 labels per
/// second for each.
void chat_labels(benchmark::State& state, std::uint32_t at_once) {
  const auto labels = std::uint64_t{20} * at_once;
  double all = 0;
  for ([[maybe_unused]] const auto round : state) {
    const test::Folder folder;
    const auto store =
        store::open_sqlite(folder / "c.db", {.mode = store::OpenMode::create}).value();
    const auto now =
        std::chrono::time_point_cast<std::chrono::microseconds>(std::chrono::system_clock::now());
    campaign::Options options;
    options.budget = Money::whole(labels);
    std::vector<campaign::ItemDraft> items(2 * labels);
    for (std::size_t i = 0; i < items.size(); ++i) items[i].id = "i" + std::to_string(i);
    const auto campaign =
        campaign::Campaign::create(*store, "c", options, now, {items, {}}).value();
    test::ChatEndpoint endpoint(
        [](const test::ChatEndpoint::Asked&) { return test::ChatEndpoint::says("yes"); }, 200ms);
    const bridge::StopFlag stop;
    const auto web = bridge::WebApi::open({.base = endpoint.url()}, stop).value();
    bridge::ChatOptions chat{
        .models = {"model"},
        .prompt = bridge::PromptTemplate::parse("{{item}} {{classes}}").value(),
        .at_once = at_once};
    const auto report = bridge::ChatWorkers(*campaign, *web, chat, stop).run().value();
    if (report.models.at("model").labels != labels) throw std::runtime_error("labels are missing");
    all += static_cast<double>(labels);
  }
  state.counters["labels_per_second"] = benchmark::Counter(all, benchmark::Counter::kIsRate);
}

const int registered = [] {
  benchmark::RegisterBenchmark("chat_labels/at_once:32", chat_labels, 32U)
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime()
      ->Iterations(1);
  return 0;
}();

}  // namespace
}  // namespace allot
