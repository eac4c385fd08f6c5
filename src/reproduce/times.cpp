// Processor time of Opt-KG and of Gittins-inf, measured here [CLZ tab:comp_time].
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reproduce/contest.hpp"
#include "reproduce/setups.hpp"

namespace allot::reproduce {
namespace {

constexpr std::uint32_t kTimedItems = 800;
constexpr std::uint32_t kMostRuns = 20;

struct Column {
  std::uint32_t labels_an_item;
  double paper_opt_kg, paper_gittins;
};
constexpr Column kColumns[] = {
    {2, 1.09, 25.87}, {4, 2.19, 35.70}, {6, 3.29, 45.59}, {10, 5.48, 130.68}};

/// Every run makes its own policies, so that its tables count, and uses one thread.
Result<Tables> time_tables(const Settings& settings, Meter& meter) {
  Data data({"policy", "labels_per_item", "budget", "seconds", "stderr", "paper_seconds"});
  const std::uint32_t runs = std::min(settings.runs, kMostRuns);
  for (const char* name : {"opt-kg", "gittins"}) {
    for (const Column& column : kColumns) {
      std::vector<double> seconds;
      for (std::uint32_t run = 0; run < runs; ++run) {
        sim::Experiment experiment = alike(settings, kUniform, kUniform, {name});
        std::get<sim::Simulation>(experiment.world).item_count = kTimedItems;
        experiment.budgets = {std::uint64_t{column.labels_an_item} * kTimedItems};
        experiment.runs = 1;
        experiment.seed = settings.seed + run;
        experiment.threads = 1;
        const auto rows =
            meter.step(1.0 / (2 * std::size(kColumns) * runs),
                       [&](Progress* progress) { return sim::run(experiment, progress); });
        if (!rows) return tl::unexpected(rows.error());
        seconds.push_back(rows->front().seconds);
      }
      const Estimate mean = estimate(seconds);
      const bool optimistic = std::string_view(name) == "opt-kg";
      data.add({name, fmt::format("{}", column.labels_an_item),
                fmt::format("{}", column.labels_an_item * kTimedItems), number_text(mean.mean),
                number_text(mean.error),
                number_text(optimistic ? column.paper_opt_kg : column.paper_gittins)});
    }
  }
  return Tables{{"", data}};
}

std::vector<ShownTable> shown(const Tables& tables) {
  const Data& data = tables.at("");
  ShownTable table{{"CPU time in seconds"}, {}};
  for (const std::size_t row : data.where({{"policy", "opt-kg"}})) {
    table.header.push_back(
        fmt::format("T = {}K = {}", data.text(row, "labels_per_item"), data.text(row, "budget")));
  }
  const std::pair<const char*, const char*> kRows[] = {{"opt-kg", "Opt-KG"},
                                                       {"gittins", "Gittins-inf"}};
  for (const auto& [policy, name] : kRows) {
    std::vector<std::string> ours{fmt::format("{}, here", name)},
        paper{fmt::format("{}, paper", name)};
    for (const std::size_t row : data.where({{"policy", policy}})) {
      const double error = data.number(row, "stderr");
      ours.push_back(fmt::format("{:.5f}{}", data.number(row, "seconds"),
                                 std::isnan(error) ? "" : fmt::format(" ±{:.5f}", error)));
      paper.push_back(fmt::format("{:.2f}", data.number(row, "paper_seconds")));
    }
    table.rows.push_back(ours);
    table.rows.push_back(paper);
  }
  return {table};
}

std::vector<Claim> claims(const Tables& tables) {
  const Data& data = tables.at("");
  const auto seconds = [&](const char* policy, std::uint32_t labels) {
    const std::size_t row =
        data.only({{"policy", policy}, {"labels_per_item", fmt::format("{}", labels)}});
    return Estimate{data.number(row, "seconds"), data.number(row, "stderr")};
  };
  std::vector<Verdict> dearer;
  std::string ratios;
  for (const Column& column : kColumns) {
    const Estimate opt_kg = seconds("opt-kg", column.labels_an_item),
                   gittins = seconds("gittins", column.labels_an_item);
    dearer.push_back(
        at_least({gittins.mean - opt_kg.mean, std::hypot(gittins.error, opt_kg.error)}, 0));
    ratios += fmt::format("{}{:.1f} (paper {:.1f})", ratios.empty() ? "" : ", ",
                          gittins.mean / opt_kg.mean, column.paper_gittins / column.paper_opt_kg);
  }
  const Estimate few = seconds("opt-kg", 2), many = seconds("opt-kg", 10);
  // Linear in T is a factor of 5; anything up to 10 passes, quadratic is 25.
  const Estimate room{10 * few.mean - many.mean, std::hypot(10 * few.error, many.error)};
  return {
      {"Gittins-inf takes more processor time than Opt-KG at every budget.", all_of(dearer),
       fmt::format("ratio {} at 2K, 4K, 6K, 10K", ratios),
       "Here Opt-KG takes O(log K) steps per decision instead of visiting all items. Gittins-inf "
       "solves each state once instead of a system of O(T^2) unknowns at every stage. So the gap "
       "is far smaller than in the paper."},
      {"The time of Opt-KG grows about in proportion to the budget.", at_least(room, 0),
       fmt::format(
           "{:.1f} times as long for five times the labels (paper 5.0; criterion: less than 10)",
           many.mean / few.mean)}};
}

}  // namespace

std::vector<Study> time_studies() {
  return {
      {.label = "tab:comp_time",
       .section = "8.2 Real data",
       .title = "Processor time of Opt-KG and Gittins-inf",
       .caption =
           "Mean processor time of one run with 800 items, measured here and including label draws "
           "and Gittins tables, and the paper's own figures (on the authors' machine of 2015).",
       .parameters = {{"items", "800, soft labels Beta(1,1), prior Beta(1,1)"},
                      {"budgets", "2K, 4K, 6K and 10K"},
                      {"runs", fmt::format("at most {}, one thread, every run makes its own tables",
                                           kMostRuns)},
                      ties_parameter()},
       .by_hand =
           "allot simulate --items 800 --budget 2x,4x,6x,10x --policy opt-kg,gittins --runs 1 "
           "--threads 1",
       .random = true,
       .parts = {{"all", 900, 0, time_tables}},
       .shown_tables = shown,
       .claims = claims}};
}

}  // namespace allot::reproduce
