#include <fmt/format.h>

#include <algorithm>

#include "allot/io/budget_text.hpp"
#include "allot/io/distribution_text.hpp"
#include "allot/sim/crowd_experiment.hpp"
#include "allot/sim/experiment.hpp"
#include "cli/commands.hpp"
#include "cli/label_files.hpp"
#include "cli/options.hpp"
#include "cli/progress_bar.hpp"
#include "cli/rows.hpp"

namespace allot::cli {
namespace {

using sim::Marketplace;
using sim::Recording;

enum class Workers { differ, ignore };

Result<Workers> read_workers(const ReplayOptions& options) {
  return read_choice<Workers, 2>("--workers", options.workers,
                                 {{{"differ", Workers::differ}, {"ignore", Workers::ignore}}});
}

Result<void> check_ignored(const ReplayOptions& options) {
  const auto given = options.crowd.given();
  if (!given) return {};
  return fail(
      ErrorCode::invalid_argument,
      fmt::format("{} is about workers who differ; expected without --workers ignore", *given));
}

/// Why the labels cannot be played back, if they cannot.
Result<void> check_files(const ReplayOptions& options, const LabelFiles& files) {
  const auto& classes = files.labels.classes;
  if (classes.size() != 2) {
    return fail(
        ErrorCode::invalid_argument,
        fmt::format("{} and {}: {} ({}); expected labels of two classes, such as 0 and 1",
                    file_name(options.labels), file_name(options.truth),
                    classes.size() == 1 ? "one class" : fmt::format("{} classes", classes.size()),
                    shortened(fmt::format("{}", fmt::join(classes, ", ")))));
  }
  if (files.truth->known == 0) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("{}: no item of {} is in it; expected the same item names",
                            file_name(options.truth), file_name(options.labels)));
  }
  return {};
}

Result<std::shared_ptr<const Recording>> read_recording(const ReplayOptions& options) {
  const auto duplicates = read_duplicates(options.duplicates);
  if (!duplicates) return tl::unexpected(duplicates.error());
  return read_label_files(options.labels, options.truth, *duplicates)
      .and_then([&](LabelFiles files) -> Result<std::shared_ptr<const Recording>> {
        if (const auto fit = check_files(options, files); !fit) {
          return tl::unexpected(fit.error());
        }
        return std::make_shared<const Recording>(
            Recording{std::move(files.labels.set), std::move(files.truth->of_item)});
      });
}

Result<std::vector<std::uint64_t>> read_budgets(const ReplayOptions& options,
                                                const Recording& recording) {
  return in_option("--budget", io::parse_budgets(options.budget, recording.labels.item_count,
                                                 recording.labels.labels.size()));
}

/// As given, or those that suit.
std::vector<std::string> policies(const ReplayOptions& options, const char* usual) {
  return options.policies.empty() ? std::vector<std::string>{usual} : options.policies;
}

Result<sim::Experiment> read_alike(const ReplayOptions& options) {
  sim::Experiment experiment;
  policy::TieBreak ties{};
  Reader read;
  const bool ok =
      read(experiment.prior, in_option("--prior", io::parse_prior(options.prior))) &&
      read(ties, read_ties(options.ties)) &&
      read(
          experiment.policies,
          in_option("--policy", read_policies(policies(options, "uniform,kg,opt-kg,nlu"), ties))) &&
      read(experiment.runs, read_whole("--runs", options.runs, 1, kMostRuns)) &&
      read(experiment.seed, read_whole("--seed", options.seed, 0, UINT64_MAX)) &&
      read(experiment.threads, read_threads(options.threads)) &&
      read(experiment.recording, read_recording(options)) &&
      read(experiment.budgets, read_budgets(options, *experiment.recording));
  if (!ok) return tl::unexpected(read.error());
  experiment.item_count = experiment.recording->labels.item_count;
  return experiment;
}

Result<sim::CrowdExperiment> read_differing(const ReplayOptions& options) {
  sim::CrowdExperiment experiment;
  policy::TieBreak ties{};
  std::shared_ptr<const Recording> recording;
  Reader read;
  if (!read(experiment.marketplace, read_mode(options.crowd))) return tl::unexpected(read.error());
  const bool push = experiment.marketplace == Marketplace::push;
  const auto names = policies(options, push ? "uniform,opt-kg,scout" : "uniform,opt-kg,eig");
  const bool ok =
      read(experiment.beliefs, read_beliefs(options.crowd, options.prior, "20")) &&
      read(ties, read_ties(options.ties)) &&
      read(experiment.policies, in_option("--policy", read_pair_policies(names, ties))) &&
      read(experiment.runs, read_whole("--runs", options.runs, 1, kMostRuns)) &&
      read(experiment.seed, read_whole("--seed", options.seed, 0, UINT64_MAX)) &&
      read(experiment.threads, read_threads(options.threads)) &&
      read(experiment.final_answers,
           read_final(options.crowd, experiment.beliefs.item_prior)) &&
      read(recording, read_recording(options)) &&
      read(experiment.budgets, read_budgets(options, *recording));
  if (!ok) return tl::unexpected(read.error());
  experiment.world = recording;
  return experiment;
}

const Recording& recording_of(const sim::Experiment& experiment) { return *experiment.recording; }
const Recording& recording_of(const sim::CrowdExperiment& experiment) {
  return *std::get<std::shared_ptr<const Recording>>(experiment.world);
}

std::string workers_text(const ReplayOptions&, const sim::Experiment&) { return "workers alike"; }
std::string workers_text(const ReplayOptions& options, const sim::CrowdExperiment& experiment) {
  return crowd_text(experiment.marketplace, options.crowd, experiment.beliefs);
}

Fields worker_settings(const ReplayOptions&, const sim::Experiment&) { return {}; }
Fields worker_settings(const ReplayOptions& options, const sim::CrowdExperiment& experiment) {
  return crowd_settings(experiment.marketplace, options.crowd, experiment.beliefs);
}

template <typename Experiment>
Comparison comparison(const ReplayOptions& options, const Experiment& experiment,
                      std::vector<sim::Row> rows) {
  const model::LabelSet& labels = recording_of(experiment).labels;
  Comparison result{
      fmt::format("{} of {} about {}, prior {}, {}, mean of {} (seed {})",
                  count_text(labels.labels.size(), "label"),
                  count_text(labels.worker_count, "worker"), count_text(labels.item_count, "item"),
                  shortened(options.prior), workers_text(options, experiment),
                  count_text(experiment.runs, "run"), experiment.seed),
      {{"labels", json_string(options.labels)},
       {"truth", json_string(options.truth)},
       {"items", fmt::format("{}", labels.item_count)},
       {"recorded_labels", fmt::format("{}", labels.labels.size())},
       {"recorded_workers", fmt::format("{}", labels.worker_count)},
       {"workers", json_string(options.workers)},
       {"prior", json_string(options.prior)}},
      std::move(rows)};
  append(result.settings, worker_settings(options, experiment));
  append(result.settings, {{"ties", json_string(options.ties)},
                           {"runs", fmt::format("{}", experiment.runs)},
                           {"seed", fmt::format("{}", experiment.seed)}});
  return result;
}

template <typename Experiment>
Result<Output> compare(const ReplayOptions& options, Format format,
                       const Result<Experiment>& experiment) {
  if (!experiment) return tl::unexpected(experiment.error());
  Progress progress;
  const ProgressBar bar("replaying", progress);
  return sim::run(*experiment, &progress).map([&](std::vector<sim::Row> rows) {
    return rows_output(comparison(options, *experiment, std::move(rows)), format, options.plot);
  });
}

}  // namespace

Result<Output> replay(const ReplayOptions& options) {
  const auto format = read_format(options.format);
  if (!format) return tl::unexpected(format.error());
  const auto workers = read_workers(options);
  if (!workers) return tl::unexpected(workers.error());
  if (options.plot) {
    if (const auto fit = check_plot(*options.plot); !fit) return tl::unexpected(fit.error());
  }
  if (*workers == Workers::differ) return compare(options, *format, read_differing(options));
  if (const auto fit = check_ignored(options); !fit) return tl::unexpected(fit.error());
  return compare(options, *format, read_alike(options));
}

}  // namespace allot::cli
