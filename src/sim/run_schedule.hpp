// The runs of an experiment: its counts, which policy runs what, on which thread, and how scores
// become rows.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <vector>

#include "allot/base/money.hpp"
#include "allot/base/progress.hpp"
#include "allot/base/result.hpp"
#include "allot/sim/experiment.hpp"

namespace allot::sim {

/// The labels to be played back; null if labels are simulated.
const Recording* recording_of(const Experiment& experiment);

/// The number of workers who differ; 0 where workers are alike.
std::uint32_t worker_count(const Experiment& experiment);
/// The number of labels that can be had; the largest number if unlimited.
std::uint64_t label_count(const Experiment& experiment);
/// The price of a label, one per worker; a single one where workers are alike.
std::vector<Money> worker_prices(const Experiment& experiment);
/// The most labels that each budget can buy.
std::vector<std::uint64_t> label_budgets(const Experiment& experiment);

struct Score {
  double accuracy = 0;
  double expected_accuracy = 0;
  double seconds = 0;
  std::uint64_t labels = 0;
  Money spent = {};
  policy::StopReason reason = policy::StopReason::budget;
};

/// One policy's way through its budgets, stopped at each of them to be scored.
struct Series {
  std::size_t policy;                     // its place among the policies
  std::vector<std::size_t> rows;          // where the scores go
  std::vector<std::uint64_t> milestones;  // ascending budgets
};

/// Processor time of this thread.
double thread_seconds();

/// Calls task(0), task(1), ... on up to so many threads; nothing more is begun after a false.
void in_parallel(std::size_t tasks, std::uint32_t threads,
                 const std::function<bool(std::size_t)>& task);

/// The runs of a checked experiment.
Result<EachRun> run_alike(const Experiment& experiment, const AlikeWorkers& workers,
                          Progress* progress);
Result<EachRun> run_crowd(const Experiment& experiment, const DifferingWorkers& workers,
                          Progress* progress);

class RunSchedule {
 public:
  /// `own_runs`: every budget has runs of its own, under every policy. A policy whose decisions
  /// depend on the budget has them in any case.
  RunSchedule(const Experiment& experiment, bool own_runs);

  /// Refuses an experiment whose scores would not fit memory.
  static Result<void> check(const Experiment& experiment);

  std::span<const Series> all() const { return series_; }

  /// Calls play(series, run) for every series and run, on the threads of the experiment, run by
  /// run, and makes the rows of the scores. `progress` counts labels: play adds what it did. After
  /// a refusal or an exception nothing more is begun; what was begun before ends, so the first one
  /// in the order of calls is the same on any number of threads, and that one is passed on.
  Result<EachRun> run(Progress* progress,
                      const std::function<Result<void>(const Series&, std::uint64_t run)>& play);

  /// Keeps the score of a milestone; play must call it for each.
  void set(std::size_t row, std::uint64_t run, const Score& score,
           const aggregate::Calibration& calibration);

 private:
  void add(std::size_t policy, bool own_runs);
  EachRun each_run() const;

  const Experiment& experiment_;
  const std::vector<std::uint64_t> budgets_;
  std::vector<Series> series_;
  std::vector<std::vector<Score>> scores_;            // [row][run]
  std::vector<aggregate::Calibration> calibrations_;  // by row, all runs together
  std::mutex mutex_;                                  // of these
};

}  // namespace allot::sim
