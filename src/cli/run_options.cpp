#include "cli/run_options.hpp"

#include <fmt/format.h>

#include "allot/io/distribution_text.hpp"
#include "base/try.hpp"
#include "cli/calibration.hpp"

namespace allot::cli {

void add_item_prior(Command& command, RunFlags& flags) {
  command.add("--prior", &flags.prior, "D",
              "Belief about every item before its first label: a distribution, or `learn`");
}

void add_run_options(Command& command, RunFlags& flags) {
  add_ties(command, flags.ties);
  command.add("--runs", &flags.runs, "N", "Independent runs to average");
  add_seed(command, flags.seed);
  add_threads(command, flags.threads);
  add_format(command, flags.format);
  add_plot(command, flags.plot);
  command.add("--calibration", &flags.calibration, "FILE",
              "Also report calibration: `FILE.csv`, `FILE.svg` (a figure) or `-`; repeatable");
}

Result<Format> read_output(const RunFlags& flags) {
  return read_format(flags.format).and_then([&](Format format) {
    return (flags.plot ? check_plot(*flags.plot) : Result<void>())
        .and_then([&] { return check_calibration(flags.calibration, format); })
        .map([&] { return format; });
  });
}

Result<sim::AlikeWorkers> read_alike(const RunFlags& flags, const ItemKind& items,
                                     math::LogisticMethod method) {
  if (items.design) {
    if (flags.prior != RunFlags{}.prior) {
      return fail(ErrorCode::invalid_argument,
                  "--prior has no effect with --features and --workers ignore; expected "
                  "--feature-variance instead");
    }
    const double variance =
        items.weight_variance > 0 ? items.weight_variance : 1.0 / items.design->column_count;
    return sim::AlikeWorkers{.design = items.design, .features = {variance, method}};
  }
  if (items.is_yes_no()) {
    const auto read = TRY(in_option("--prior", io::parse_item_prior(flags.prior)));
    return sim::AlikeWorkers{.prior = read.prior, .learn = read.learn};
  }
  const auto prior =
      TRY(in_option("--prior", io::parse_dirichlet_prior(flags.prior, items.class_count)));
  return sim::AlikeWorkers{.prior = prior};
}

Result<sim::DifferingWorkers> read_differing(const RunFlags& flags, const CrowdFlags& crowd,
                                             std::string_view refit, const ItemKind& items) {
  sim::DifferingWorkers workers;
  workers.marketplace = TRY(read_mode(crowd));
  aggregate::MethodOptions method;
  if (items.is_yes_no()) {
    workers.beliefs = TRY(read_beliefs(crowd, flags.prior, refit));
    method.prior = std::get<model::Prior>(workers.beliefs.item_prior);
  } else {
    workers.beliefs = TRY(read_multiclass_beliefs(crowd, flags.prior, refit, items));
    method.class_prior = std::get<model::DirichletPrior>(workers.beliefs.item_prior);
    method.design = items.design;
    method.contextual.weight_variance = items.weight_variance;
  }
  workers.final_answers = TRY(read_final(crowd, method));
  return workers;
}

Result<sim::Experiment> read_experiment(const RunFlags& flags, Workers workers) {
  sim::Experiment experiment{.workers = std::move(workers)};
  const auto ties = TRY(read_ties(flags.ties));
  experiment.policies =
      TRY(in_option("--policy", read_policies(flags.policies, ties, form_of(experiment))));
  experiment.runs = static_cast<std::uint32_t>(TRY(read_whole("--runs", flags.runs, 1, kMostRuns)));
  experiment.seed = TRY(read_whole("--seed", flags.seed, 0, UINT64_MAX));
  experiment.threads = TRY(read_threads(flags.threads));
  return experiment;
}

std::string runs_text(const sim::Experiment& experiment) {
  return fmt::format("mean of {} (seed {})", count_text(experiment.runs, "run"), experiment.seed);
}

Fields run_settings(const RunFlags& flags, const sim::Experiment& experiment) {
  return {{"ties", json_string(flags.ties)},
          {"runs", fmt::format("{}", experiment.runs)},
          {"seed", fmt::format("{}", experiment.seed)}};
}

}  // namespace allot::cli
