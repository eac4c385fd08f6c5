// Runs all benchmarks, then prints how the variants of each group compare.
//
// A benchmark is named GROUP/VARIANT if others do the same work in another way. Ratios within one
// run mean more than times, which depend on the machine and its load.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

namespace {

class RatioReporter : public benchmark::ConsoleReporter {
 public:
  RatioReporter() : ConsoleReporter(OO_None) {}

  void ReportRuns(const std::vector<Run>& runs) override {
    ConsoleReporter::ReportRuns(runs);
    for (const Run& run : runs) {
      if (run.error_occurred) failed_ = true;
      if (run.error_occurred || run.run_type != Run::RT_Iteration) continue;
      const std::string& name = run.run_name.function_name;
      const std::size_t slash = name.rfind('/');
      if (slash == std::string::npos) continue;
      // Variants share the work done per second; without it, the time of one iteration.
      const auto items = run.counters.find("items_per_second");
      const double speed =
          items != run.counters.end() ? items->second.value : 1 / run.real_accumulated_time;
      groups_[name.substr(0, slash)].push_back({name.substr(slash + 1), speed});
    }
  }

  void Finalize() override {
    fmt::print("\nRatios within this run\n");
    for (const auto& [group, variants] : groups_) {
      for (std::size_t i = 1; i < variants.size(); ++i) {
        fmt::print("  {:<34} {:<14} {:>10.1f} times as fast as {}\n", group, variants[0].name,
                   variants[0].speed / variants[i].speed, variants[i].name);
      }
    }
  }

  bool failed() const { return failed_; }

 private:
  struct Variant {
    std::string name;
    double speed;
  };
  std::map<std::string, std::vector<Variant>> groups_;
  bool failed_ = false;
};

}  // namespace

int main(int count, char** words) {
  benchmark::Initialize(&count, words);
  if (benchmark::ReportUnrecognizedArguments(count, words)) return 2;
  RatioReporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  return reporter.failed() ? 1 : 0;
}
