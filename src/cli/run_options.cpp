#include "cli/run_options.hpp"

#include "allot/io/distribution_text.hpp"

namespace allot::cli {
namespace {

template <typename Experiment>
bool read_runs(Reader& read, const RunFlags& flags, Experiment& experiment) {
  return read(experiment.runs, read_whole("--runs", flags.runs, 1, kMostRuns)) &&
         read(experiment.seed, read_whole("--seed", flags.seed, 0, UINT64_MAX)) &&
         read(experiment.threads, read_threads(flags.threads));
}

}  // namespace

Result<Format> read_output(const RunFlags& flags) {
  return read_format(flags.format).and_then([&](Format format) -> Result<Format> {
    if (!flags.plot) return format;
    return check_plot(*flags.plot).map([&] { return format; });
  });
}

Result<sim::Experiment> read_alike(const RunFlags& flags) {
  sim::Experiment experiment;
  policy::TieBreak ties{};
  Reader read;
  const bool ok =
      read(experiment.prior, in_option("--prior", io::parse_prior(flags.prior))) &&
      read(ties, read_ties(flags.ties)) &&
      read(experiment.policies, in_option("--policy", read_policies(flags.policies, ties))) &&
      read_runs(read, flags, experiment);
  if (!ok) return tl::unexpected(read.error());
  return experiment;
}

Result<sim::CrowdExperiment> read_differing(const RunFlags& flags, const CrowdFlags& crowd,
                                            std::string_view refit) {
  sim::CrowdExperiment experiment;
  policy::TieBreak ties{};
  Reader read;
  const bool ok =
      read(experiment.marketplace, read_mode(crowd)) &&
      read(experiment.beliefs, read_beliefs(crowd, flags.prior, refit)) &&
      read(ties, read_ties(flags.ties)) &&
      read(experiment.policies, in_option("--policy", read_pair_policies(flags.policies, ties))) &&
      read_runs(read, flags, experiment) &&
      read(experiment.final_answers, read_final(crowd, experiment.beliefs.item_prior));
  if (!ok) return tl::unexpected(read.error());
  return experiment;
}

}  // namespace allot::cli
