#include <fmt/format.h>

#include "allot/io/distribution_text.hpp"
#include "cli/commands.hpp"
#include "cli/rows.hpp"

namespace allot::cli {
namespace {

using sim::Experiment;

constexpr std::uint64_t kMostWorkers = 1'000'000;
constexpr std::uint64_t kMostClasses = 100;
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

Result<ItemKind> read_classes(const SimulateOptions& options) {
  if (!options.classes) return ItemKind{};
  return read_whole("--classes", *options.classes, 2, kMostClasses).map([](std::uint64_t classes) {
    return ItemKind{.class_count = static_cast<std::uint32_t>(classes)};
  });
}

Result<model::ClassPrior> read_class_truth(const SimulateOptions& options, const ItemKind& items) {
  return in_option("--truth", io::parse_class_prior(options.truth, items.class_count));
}

Result<Prepared<sim::ClassExperiment>> read_class_experiment(const SimulateOptions& options,
                                                             const ItemKind& items) {
  const auto truth = read_class_truth(options, items);
  if (!truth) return tl::unexpected(truth.error());
  auto experiment = read_alike_classes(options.run, items, math::LogisticMethod::laplace);
  if (!experiment) return tl::unexpected(experiment.error());
  Prepared<sim::ClassExperiment> result{*std::move(experiment), {}};
  std::get<sim::SeveralClasses>(result.experiment.model).truth = *truth;
  Reader read;
  const bool ok =
      read(result.experiment.item_count, read_items(options.items, model::Prior::uniform())) &&
      read(result.budgets.written,
           in_option("--budget", io::parse_budgets(options.budget, result.experiment.item_count)));
  if (!ok) return tl::unexpected(read.error());
  set_budgets(result.budgets.written, result.experiment);
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

Result<Prepared<sim::CrowdExperiment>> read_crowd_experiment(const SimulateOptions& options,
                                                             const ItemKind& items) {
  Prepared<sim::CrowdExperiment> result;
  sim::SimulatedCrowd crowd;
  Reader read;
  const bool ok =
      read(result.experiment, read_differing(options.run, options.crowd, "off", items)) &&
      (items.is_yes_no()
           ? read(crowd.truth, in_option("--truth", io::parse_soft_labels(options.truth)))
           : read(crowd.class_truth, read_class_truth(options, items))) &&
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

/// "50 items", "50 items of 4 classes".
std::string items_text(const SimulateOptions& options, std::uint32_t items) {
  return count_text(items, "item") +
         (options.classes ? fmt::format(" of {} classes", *options.classes) : "");
}

template <typename Alike>
Comparison comparison(const SimulateOptions& options, const Prepared<Alike>& prepared) {
  const Alike& experiment = prepared.experiment;
  Comparison result{
      fmt::format("{}, truth {}, prior {}, {}", items_text(options, experiment.item_count),
                  shortened(options.truth), shortened(options.run.prior), runs_text(experiment)),
      {{"items", fmt::format("{}", experiment.item_count)},
       {"classes", options.classes.value_or("2")},
       {"truth", json_string(options.truth)},
       {"prior", json_string(options.run.prior)}},
      {},
      prepared.budgets};
  append(result.settings, run_settings(options.run, experiment));
  result.calibration = options.run.calibration;
  return result;
}

Comparison comparison(const SimulateOptions& options,
                      const Prepared<sim::CrowdExperiment>& prepared) {
  const sim::CrowdExperiment& experiment = prepared.experiment;
  const auto& crowd = std::get<sim::SimulatedCrowd>(experiment.world);
  const std::string reliability = options.worker_truth.value_or(kUsualReliability);
  Comparison result{fmt::format("{}, truth {}, prior {}, {}, worker truth {}, {}, {}",
                                items_text(options, crowd.item_count), shortened(options.truth),
                                shortened(options.run.prior),
                                count_text(crowd.worker_count, "worker"), shortened(reliability),
                                crowd_text(options.crowd, experiment), runs_text(experiment)),
                    {{"items", fmt::format("{}", crowd.item_count)},
                     {"classes", options.classes.value_or("2")},
                     {"truth", json_string(options.truth)},
                     {"prior", json_string(options.run.prior)},
                     {"workers", fmt::format("{}", crowd.worker_count)},
                     {"worker_truth", json_string(reliability)}},
                    {},
                    prepared.budgets};
  append(result.settings, crowd_settings(options.crowd, experiment));
  append(result.settings, run_settings(options.run, experiment));
  result.calibration = options.run.calibration;
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
  const auto items = read_classes(options);
  if (!items) return tl::unexpected(items.error());
  if (options.workers) return simulate(options, *format, read_crowd_experiment(options, *items));
  if (const auto alike = check_alike(options); !alike) return tl::unexpected(alike.error());
  if (items->is_yes_no()) return simulate(options, *format, read_experiment(options));
  return simulate(options, *format, read_class_experiment(options, *items));
}

}  // namespace allot::cli
