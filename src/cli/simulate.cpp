#include <fmt/format.h>

#include "allot/io/distribution_text.hpp"
#include "cli/commands.hpp"
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

/// What was read for workers who are alike or who differ.
template <typename Read>
struct Prepared {
  Read experiment;
  Budgets budgets;
};

Result<Prepared<Experiment>> read_experiment(const SimulateOptions& options) {
  Prepared<Experiment> result;
  Experiment& experiment = result.experiment;
  Reader read;
  const bool ok =
      read(experiment, read_alike(options.run)) &&
      read(experiment.truth, in_option("--truth", io::parse_soft_labels(options.truth))) &&
      read(experiment.item_count, read_items(options.items, experiment.truth)) &&
      read(result.budgets.written,
           in_option("--budget", io::parse_budgets(options.budget, experiment.item_count)));
  if (!ok) return tl::unexpected(read.error());
  set_budgets(result.budgets.written, experiment);
  return result;
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
                   io::parse_soft_labels(options.worker_truth.value_or(kUsualReliability),
                                         "reliabilities"))
      .and_then([&](const model::SoftLabels& truth) -> Result<model::SoftLabels> {
        const auto* listed = std::get_if<std::vector<double>>(&truth);
        if (!listed || listed->size() == workers) return truth;
        return fail(ErrorCode::invalid_argument,
                    fmt::format("--worker-truth lists {} reliabilities, --workers says {}; "
                                "expected one a worker or a distribution",
                                listed->size(), workers));
      });
}

Result<Prepared<sim::CrowdExperiment>> read_crowd_experiment(const SimulateOptions& options) {
  Prepared<sim::CrowdExperiment> result;
  sim::SimulatedCrowd crowd;
  Reader read;
  const bool ok =
      read(result.experiment, read_differing(options.run, options.crowd, "off")) &&
      read(crowd.truth, in_option("--truth", io::parse_soft_labels(options.truth))) &&
      read(crowd.item_count, read_items(options.items, crowd.truth)) &&
      read(crowd.worker_count, read_whole("--workers", *options.workers, 1, kMostWorkers)) &&
      read(crowd.reliability, read_reliabilities(options, crowd.worker_count));
  if (!ok) return tl::unexpected(read.error());
  result.budgets.all_labels = std::uint64_t{crowd.item_count} * crowd.worker_count;
  if (!read(result.budgets.written,
            in_option("--budget", io::parse_budgets(options.budget, crowd.item_count,
                                                    result.budgets.all_labels)))) {
    return tl::unexpected(read.error());
  }
  set_budgets(result.budgets.written, result.experiment);
  result.experiment.world = std::move(crowd);
  return result;
}

Comparison comparison(const SimulateOptions& options, const Prepared<Experiment>& prepared) {
  const Experiment& experiment = prepared.experiment;
  Comparison result{
      fmt::format("{}, truth {}, prior {}, {}", count_text(experiment.item_count, "item"),
                  shortened(options.truth), shortened(options.run.prior), runs_text(experiment)),
      {{"items", fmt::format("{}", experiment.item_count)},
       {"truth", json_string(options.truth)},
       {"prior", json_string(options.run.prior)}},
      {},
      prepared.budgets};
  append(result.settings, run_settings(options.run, experiment));
  return result;
}

Comparison comparison(const SimulateOptions& options,
                      const Prepared<sim::CrowdExperiment>& prepared) {
  const sim::CrowdExperiment& experiment = prepared.experiment;
  const auto& crowd = std::get<sim::SimulatedCrowd>(experiment.world);
  const std::string reliability = options.worker_truth.value_or(kUsualReliability);
  Comparison result{
      fmt::format("{}, truth {}, prior {}, {}, worker truth {}, {}, {}",
                  count_text(crowd.item_count, "item"), shortened(options.truth),
                  shortened(options.run.prior), count_text(crowd.worker_count, "worker"),
                  shortened(reliability),
                  crowd_text(experiment.marketplace, options.crowd, experiment.beliefs),
                  runs_text(experiment)),
      {{"items", fmt::format("{}", crowd.item_count)},
       {"truth", json_string(options.truth)},
       {"prior", json_string(options.run.prior)},
       {"workers", fmt::format("{}", crowd.worker_count)},
       {"worker_truth", json_string(reliability)}},
      {},
      prepared.budgets};
  append(result.settings,
         crowd_settings(experiment.marketplace, options.crowd, experiment.beliefs));
  append(result.settings, run_settings(options.run, experiment));
  return result;
}

/// Runs what was read and says how it went.
template <typename Read>
Result<Output> simulate(const SimulateOptions& options, Format format,
                        const Result<Prepared<Read>>& prepared) {
  if (!prepared) return tl::unexpected(prepared.error());
  return compare("simulating", prepared->experiment, comparison(options, *prepared), format,
                 options.run.plot);
}

}  // namespace

Result<Output> simulate(const SimulateOptions& options) {
  const auto format = read_output(options.run);
  if (!format) return tl::unexpected(format.error());
  if (options.workers) return simulate(options, *format, read_crowd_experiment(options));
  if (const auto alike = check_alike(options); !alike) return tl::unexpected(alike.error());
  return simulate(options, *format, read_experiment(options));
}

}  // namespace allot::cli
