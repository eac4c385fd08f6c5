#include "cli/compare.hpp"

#include "base/try.hpp"
#include "cli/progress_bar.hpp"

namespace allot::cli {

Result<Output> compare(const char* doing, const sim::Experiment& experiment, Comparison comparison,
                       Format format, const std::optional<std::string>& plot) {
  Progress progress;
  const ProgressBar bar(doing, progress);
  comparison.rows = TRY(sim::run(experiment, &progress));
  comparison.bounds = sim::bounds(experiment);
  return comparison_output(comparison, format, plot);
}

}  // namespace allot::cli
