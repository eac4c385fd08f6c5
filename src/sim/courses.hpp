// Runs of policies side by side: who runs what, on which thread, and how the scores become rows.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "allot/base/money.hpp"
#include "allot/base/progress.hpp"
#include "allot/base/result.hpp"
#include "allot/sim/each_run.hpp"
#include "allot/sim/row.hpp"

namespace allot::sim {

struct Score {
  double accuracy = 0;
  double expected_accuracy = 0;
  double seconds = 0;
  std::uint64_t labels = 0;
  Money spent = {};
  policy::StopReason reason = policy::StopReason::budget;
};

/// One policy's way through its budgets, stopped at each of them to be scored.
struct Course {
  std::size_t policy;                     // its place among the policies
  std::vector<std::size_t> rows;          // where the scores go
  std::vector<std::uint64_t> milestones;  // ascending budgets
};

/// Processor time of this thread.
double thread_seconds();

class Courses {
 public:
  Courses(std::vector<std::uint64_t> budgets, std::uint32_t runs);

  /// Refuses what would not fit memory.
  static Result<void> check(std::size_t policies, std::size_t budgets, std::uint32_t runs);

  /// The next policy. One whose decisions depend on the budget starts anew for each.
  void add(bool depends_on_budget);

  std::span<const Course> all() const { return courses_; }

  /// Calls play(course, run) for every course and run, on so many threads, run by run. `progress`
  /// counts labels: play adds what it did. After a refusal or an exception nothing more is begun;
  /// what was begun before ends, so the first one in the order of calls is the same on any number
  /// of threads, and that one is passed on.
  Result<void> run(std::uint32_t threads, Progress* progress,
                   const std::function<Result<void>(const Course&, std::uint64_t run)>& play) const;

  /// To be called by play for every milestone.
  void set(std::size_t row, std::uint64_t run, const Score& score,
           const aggregate::Calibration& calibration);

  std::vector<Row> rows(std::span<const std::string> policies, std::uint32_t item_count) const;
  EachRun each_run(std::span<const std::string> policies, std::uint32_t item_count) const;

 private:
  const std::vector<std::uint64_t> budgets_;
  const std::uint32_t runs_;
  std::vector<Course> courses_;
  std::size_t policies_ = 0;
  std::vector<std::vector<Score>> scores_;            // [row][run]
  std::vector<aggregate::Calibration> calibrations_;  // by row, all runs together
  std::mutex mutex_;                                  // of these
};

inline Result<std::vector<Row>> rows_alone(Result<EachRun> runs) {
  return std::move(runs).map([](EachRun&& all) { return std::move(all.rows); });
}

}  // namespace allot::sim
