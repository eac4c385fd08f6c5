#include "cli/run_options.hpp"

#include "allot/io/distribution_text.hpp"
#include "base/try.hpp"
#include "cli/calibration.hpp"

namespace allot::cli {
namespace {

/// Multiply-adds of a decision among items with features; many thousand decisions are to be made.
constexpr double kDecisionCost = 2e8;

template <typename Experiment>
bool read_runs(Reader& read, const RunFlags& flags, Experiment& experiment) {
  return read(experiment.runs, read_whole("--runs", flags.runs, 1, kMostRuns)) &&
         read(experiment.seed, read_whole("--seed", flags.seed, 0, UINT64_MAX)) &&
         read(experiment.threads, read_threads(flags.threads));
}

}  // namespace

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

Result<sim::Experiment> read_alike(const RunFlags& flags) {
  sim::Experiment experiment;
  policy::TieBreak ties{};
  Reader read;
  io::ItemPrior prior;
  const bool ok =
      read(prior, in_option("--prior", io::parse_item_prior(flags.prior))) &&
      read(ties, read_ties(flags.ties)) &&
      read(experiment.policies, in_option("--policy", read_policies(flags.policies, ties))) &&
      read_runs(read, flags, experiment);
  if (!ok) return tl::unexpected(read.error());
  experiment.prior = prior.prior;
  experiment.learn = prior.learn;
  return experiment;
}

Result<sim::CrowdExperiment> read_differing(const RunFlags& flags, const CrowdFlags& crowd,
                                            std::string_view refit, const ItemKind& items) {
  sim::CrowdExperiment experiment;
  policy::TieBreak ties{};
  aggregate::MethodOptions method;
  Reader read;
  bool ok = read(experiment.marketplace, read_mode(crowd)) && read(ties, read_ties(flags.ties)) &&
            read_runs(read, flags, experiment);
  if (ok && items.is_yes_no()) {
    ok = read(experiment.beliefs, read_beliefs(crowd, flags.prior, refit)) &&
         read(experiment.policies, in_option("--policy", read_pair_policies(flags.policies, ties)));
    if (ok) method.prior = std::get<model::Prior>(experiment.beliefs.item_prior);
  } else if (ok) {
    ok = read(experiment.beliefs, read_multiclass_beliefs(crowd, flags.prior, refit, items)) &&
         read(experiment.policies,
              in_option("--policy", read_pair_policies(flags.policies, ties, true)));
    if (ok) method.class_prior = std::get<model::DirichletPrior>(experiment.beliefs.item_prior);
    method.design = items.design;
    method.contextual.weight_variance = items.weight_variance;
  }
  if (!ok || !read(experiment.final_answers, read_final(crowd, method))) {
    return tl::unexpected(read.error());
  }
  return experiment;
}

Result<sim::MulticlassExperiment> read_alike_classes(const RunFlags& flags, const ItemKind& items,
                                                     math::LogisticMethod method) {
  policy::TieBreak ties{};
  sim::MulticlassExperiment experiment{.budgets = {}, .model = sim::WithFeatures{}};
  Reader read;
  if (!read(ties, read_ties(flags.ties)) || !read_runs(read, flags, experiment)) {
    return tl::unexpected(read.error());
  }
  if (items.design) {
    if (flags.prior != RunFlags{}.prior) {
      return fail(
          ErrorCode::invalid_argument,
          "--prior is of no use where features say all there is to say of an item; expected "
          "--feature-variance, or without --workers ignore");
    }
    const double variance =
        items.weight_variance > 0 ? items.weight_variance : 1.0 / items.design->column_count;
    sim::WithFeatures model{items.design, items.class_count, {variance, method}, {}};
    const policy::ContextualPolicyOptions options{
        .ties = ties, .cost_limit = kDecisionCost, .seed = experiment.seed};
    if (!read(model.policies,
              in_option("--policy", read_contextual_policies(flags.policies, options)))) {
      return tl::unexpected(read.error());
    }
    experiment.model = std::move(model);
    return experiment;
  }
  const auto prior =
      TRY(in_option("--prior", io::parse_dirichlet_prior(flags.prior, items.class_count)));
  sim::SeveralClasses model{prior, prior, {}};
  if (!read(model.policies, in_option("--policy", read_class_policies(flags.policies, ties)))) {
    return tl::unexpected(read.error());
  }
  experiment.model = std::move(model);
  return experiment;
}

}  // namespace allot::cli
