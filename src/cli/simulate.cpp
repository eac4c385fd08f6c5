#include <fmt/format.h>

#include "allot/io/budget_text.hpp"
#include "allot/io/distribution_text.hpp"
#include "allot/sim/crowd_experiment.hpp"
#include "allot/sim/experiment.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/progress_bar.hpp"
#include "cli/rows.hpp"

namespace allot::cli {
namespace {

using sim::Experiment;

constexpr std::uint64_t kMostWorkers = 1'000'000;
constexpr const char* kUsualReliability = "beta:4,1";

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

Result<void> check_alike(const SimulateOptions& options) {
  const auto given = options.worker_truth ? "--worker-truth" : options.crowd.given();
  if (!given) return {};
  return fail(ErrorCode::invalid_argument,
              fmt::format("{} is about workers who differ; expected with it --workers and their "
                          "number",
                          *given));
}

/// One for each of the workers, or a distribution.
Result<model::SoftLabels> read_reliabilities(const SimulateOptions& options,
                                             std::uint32_t workers) {
  return in_option("--worker-truth",
                   io::parse_soft_labels(options.worker_truth.value_or(kUsualReliability)))
      .and_then([&](const model::SoftLabels& truth) -> Result<model::SoftLabels> {
        const auto* listed = std::get_if<std::vector<double>>(&truth);
        if (!listed || listed->size() == workers) return truth;
        return fail(ErrorCode::invalid_argument,
                    fmt::format("--worker-truth lists {} reliabilities, --workers says {}; "
                                "expected one a worker or a distribution",
                                listed->size(), workers));
      });
}

Result<sim::CrowdExperiment> read_crowd_experiment(const SimulateOptions& options) {
  sim::CrowdExperiment experiment;
  sim::SimulatedCrowd crowd;
  policy::TieBreak ties{};
  Reader read;
  const bool ok =
      read(crowd.truth, in_option("--truth", io::parse_soft_labels(options.truth))) &&
      read(crowd.item_count, read_items(options.items, crowd.truth)) &&
      read(crowd.worker_count, read_whole("--workers", *options.workers, 1, kMostWorkers)) &&
      read(crowd.reliability, read_reliabilities(options, crowd.worker_count)) &&
      read(experiment.budgets,
           in_option("--budget",
                     io::parse_budgets(options.budget, crowd.item_count,
                                       std::uint64_t{crowd.item_count} * crowd.worker_count))) &&
      read(experiment.marketplace, read_mode(options.crowd)) &&
      read(experiment.beliefs, read_beliefs(options.crowd, options.prior, "off")) &&
      read(ties, read_ties(options.ties)) &&
      read(experiment.policies,
           in_option("--policy", read_pair_policies(options.policies, ties))) &&
      read(experiment.runs, read_whole("--runs", options.runs, 1, kMostRuns)) &&
      read(experiment.seed, read_whole("--seed", options.seed, 0, UINT64_MAX)) &&
      read(experiment.threads, read_threads(options.threads)) &&
      read(experiment.final_answers,
           read_final(options.crowd, experiment.beliefs.item_prior));
  if (!ok) return tl::unexpected(read.error());
  experiment.world = crowd;
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

Comparison comparison(const SimulateOptions& options, const sim::CrowdExperiment& experiment,
                      std::vector<sim::Row> rows) {
  const auto& crowd = std::get<sim::SimulatedCrowd>(experiment.world);
  const std::string reliability = options.worker_truth.value_or(kUsualReliability);
  Comparison result{
      fmt::format("{}, truth {}, prior {}, {}, worker truth {}, {}, mean of {} (seed {})",
                  count_text(crowd.item_count, "item"), shortened(options.truth),
                  shortened(options.prior), count_text(crowd.worker_count, "worker"),
                  shortened(reliability),
                  crowd_text(experiment.marketplace, options.crowd, experiment.beliefs),
                  count_text(experiment.runs, "run"), experiment.seed),
      {{"items", fmt::format("{}", crowd.item_count)},
       {"truth", json_string(options.truth)},
       {"prior", json_string(options.prior)},
       {"workers", fmt::format("{}", crowd.worker_count)},
       {"worker_truth", json_string(reliability)}},
      std::move(rows)};
  append(result.settings,
         crowd_settings(experiment.marketplace, options.crowd, experiment.beliefs));
  append(result.settings, {{"ties", json_string(options.ties)},
                           {"runs", fmt::format("{}", experiment.runs)},
                           {"seed", fmt::format("{}", experiment.seed)}});
  return result;
}

/// Runs what was read and says how it went.
template <typename Read>
Result<Output> compare(const SimulateOptions& options, Format format, const Read& experiment) {
  if (!experiment) return tl::unexpected(experiment.error());
  if (options.plot) {
    if (const auto fit = check_plot(*options.plot); !fit) return tl::unexpected(fit.error());
  }
  Progress progress;
  const ProgressBar bar("simulating", progress);
  return sim::run(*experiment, &progress).map([&](std::vector<sim::Row> rows) {
    return rows_output(comparison(options, *experiment, std::move(rows)), format, options.plot);
  });
}

}  // namespace

Result<Output> simulate(const SimulateOptions& options) {
  const auto format = read_format(options.format);
  if (!format) return tl::unexpected(format.error());
  if (options.workers) return compare(options, *format, read_crowd_experiment(options));
  if (const auto alike = check_alike(options); !alike) return tl::unexpected(alike.error());
  return compare(options, *format, read_experiment(options));
}

}  // namespace allot::cli
