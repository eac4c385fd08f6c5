#include <fmt/format.h>

#include "allot/io/budget_text.hpp"
#include "allot/io/distribution_text.hpp"
#include "allot/sim/experiment.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/progress_bar.hpp"
#include "cli/rows.hpp"

namespace allot::cli {
namespace {

using sim::Experiment;

constexpr std::uint64_t kMostRuns = 100'000'000;

Result<std::uint32_t> read_items(const std::optional<std::string>& text,
                                 const model::SoftLabels& truth) {
  const auto* listed = std::get_if<std::vector<double>>(&truth);
  if (!text) return listed ? static_cast<std::uint32_t>(listed->size()) : 50;
  return read_whole("--items", *text, 1, kMostItems)
      .and_then([&](std::uint64_t items) -> Result<std::uint32_t> {
        if (listed && listed->size() != items) {
          return fail(ErrorCode::invalid_argument,
                      fmt::format("--items {} does not fit --truth, which lists {} soft labels; "
                                  "leave --items out or "
                                  "give a distribution",
                                  items, listed->size()));
        }
        return static_cast<std::uint32_t>(items);
      });
}

Result<Experiment> read_experiment(const SimulateOptions& options) {
  Experiment experiment;
  policy::TieBreak ties{};
  Reader read;
  const bool ok =
      read(experiment.truth, in_option("--truth", io::parse_soft_labels(options.truth))) &&
      read(experiment.item_count, read_items(options.items, experiment.truth)) &&
      read(experiment.budgets,
           in_option("--budget", io::parse_budgets(options.budget, experiment.item_count))) &&
      read(experiment.prior, in_option("--prior", io::parse_prior(options.prior))) &&
      read(ties, read_ties(options.ties)) &&
      read(experiment.policies, in_option("--policy", read_policies(options.policies, ties))) &&
      read(experiment.runs, read_whole("--runs", options.runs, 1, kMostRuns)) &&
      read(experiment.seed, read_whole("--seed", options.seed, 0, UINT64_MAX)) &&
      read(experiment.threads, read_threads(options.threads));
  if (!ok) return tl::unexpected(read.error());
  return experiment;
}

Comparison comparison(const SimulateOptions& options, const Experiment& experiment,
                      std::vector<sim::Row> rows) {
  return {
      fmt::format("{}, truth {}, prior {}, mean of {} (seed {})",
                  count_text(experiment.item_count, "item"), shortened(options.truth),
                  shortened(options.prior), count_text(experiment.runs, "run"), experiment.seed),
      {{"items", fmt::format("{}", experiment.item_count)},
       {"truth", json_string(options.truth)},
       {"prior", json_string(options.prior)},
       {"ties", json_string(options.ties)},
       {"runs", fmt::format("{}", experiment.runs)},
       {"seed", fmt::format("{}", experiment.seed)}},
      std::move(rows)};
}

}  // namespace

Result<Output> simulate(const SimulateOptions& options) {
  const auto format = read_format(options.format);
  if (!format) return tl::unexpected(format.error());
  const auto experiment = read_experiment(options);
  if (!experiment) return tl::unexpected(experiment.error());
  if (options.plot) {
    if (const auto fit = check_plot(*options.plot); !fit) return tl::unexpected(fit.error());
  }
  Progress progress;
  const ProgressBar bar("simulating", progress);
  return sim::run(*experiment, &progress).map([&](std::vector<sim::Row> rows) {
    const Comparison compared = comparison(options, *experiment, std::move(rows));
    Output output{rows_text(compared, *format), {}};
    if (options.plot) output.files.push_back({*options.plot, rows_figure(compared)});
    return output;
  });
}

}  // namespace allot::cli
