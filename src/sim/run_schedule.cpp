#include "sim/run_schedule.hpp"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <mutex>
#include <numeric>
#include <system_error>
#include <thread>

namespace allot::sim {
namespace {

/// The most scores that are kept, 48 bytes each.
constexpr double kMostScores = 1e8;

/// The first failure in the order of tasks.
class FirstFailure {
 public:
  void add(std::size_t task, Result<void> refusal, std::exception_ptr thrown = nullptr) {
    const std::lock_guard lock(mutex_);
    if (task >= task_) return;
    task_ = task;
    refusal_ = std::move(refusal);
    thrown_ = std::move(thrown);
  }

  /// Must be called when all tasks have ended.
  Result<void> outcome() const {
    if (thrown_) std::rethrow_exception(thrown_);
    return refusal_;
  }

 private:
  std::mutex mutex_;
  std::size_t task_ = SIZE_MAX;
  Result<void> refusal_;
  std::exception_ptr thrown_;
};

Row summary(std::string policy, std::uint64_t budget, std::uint32_t item_count,
            const std::vector<Score>& scores) {
  const auto runs = static_cast<double>(scores.size());
  Row row{std::move(policy), budget, static_cast<double>(budget) / item_count, 0, 0, 0, 0, 1, {}};
  const auto mean = [&](double Score::*member) {
    double sum = 0;
    for (const Score& score : scores) sum += score.*member;
    return sum / runs;
  };
  row.accuracy = mean(&Score::accuracy);
  row.expected_accuracy = mean(&Score::expected_accuracy);
  row.seconds = mean(&Score::seconds);
  double squares = 0;
  for (const Score& score : scores) {
    row.labels += static_cast<double>(score.labels) / runs;
    row.spent += score.spent.value() / runs;
    ++row.stopped[static_cast<std::size_t>(score.reason)];
    squares += std::pow(score.accuracy - row.accuracy, 2);
    row.worst = std::min(row.worst, score.accuracy);
  }
  row.standard_error = std::sqrt(squares / (runs - 1) / runs);  // 0/0 for a single run
  return row;
}

}  // namespace

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void in_parallel(std::size_t tasks, std::uint32_t threads,
                 const std::function<bool(std::size_t)>& task) {
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t number; (number = next++) < tasks;) {
      if (!task(number)) next = tasks;
    }
  };
  std::vector<std::jthread> helpers;
  try {
    while (helpers.size() + 1 < std::min<std::size_t>(threads, tasks)) helpers.emplace_back(work);
  } catch (const std::system_error&) {
    // The machine gives no more threads; the existing ones do the work.
  }
  work();
}

RunSchedule::RunSchedule(const Experiment& experiment, bool own_runs)
    : experiment_(experiment), budgets_(label_budgets(experiment)) {
  for (std::size_t policy = 0; policy < experiment.policies.size(); ++policy) {
    add(policy, own_runs || experiment.policies[policy]->depends_on_budget());
  }
  scores_.resize(experiment.policies.size() * budgets_.size(), std::vector<Score>(experiment.runs));
  calibrations_.resize(scores_.size());
}

Result<void> RunSchedule::check(const Experiment& experiment) {
  const std::size_t rows =
      experiment.policies.size() * std::max(experiment.budgets.size(), experiment.money.size());
  if (static_cast<double>(rows) * experiment.runs <= kMostScores) return {};
  return fail(ErrorCode::too_large, fmt::format("{} rows (policies times budgets) of {} runs are "
                                                "too many to keep; at most {:.0e} in all",
                                                rows, experiment.runs, kMostScores));
}

void RunSchedule::add(std::size_t policy, bool own_runs) {
  std::vector<std::size_t> order(budgets_.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return budgets_[i]; });
  Series all{policy, {}, {}};
  for (const std::size_t i : order) {
    const std::size_t row = policy * budgets_.size() + i;
    if (own_runs) {
      series_.push_back({policy, {row}, {budgets_[i]}});
    } else {
      all.rows.push_back(row);
      all.milestones.push_back(budgets_[i]);
    }
  }
  if (!all.rows.empty()) series_.push_back(std::move(all));
}

Result<EachRun> RunSchedule::run(
    Progress* progress, const std::function<Result<void>(const Series&, std::uint64_t)>& play) {
  const std::uint64_t runs = experiment_.runs;
  std::uint64_t labels_per_run = 0;
  for (const Series& series : series_) labels_per_run += series.milestones.back();
  if (progress) progress->total = labels_per_run * runs;
  const std::size_t tasks = series_.size() * runs;
  FirstFailure failure;
  const auto succeeds = [&](std::size_t task) {
    try {
      const auto played = play(series_[task % series_.size()], task / series_.size());
      if (!played) failure.add(task, played);
      return played.has_value();
    } catch (...) {
      failure.add(task, {}, std::current_exception());
      return false;
    }
  };
  in_parallel(tasks, experiment_.threads, succeeds);
  return failure.outcome().map([&] { return each_run(); });
}

void RunSchedule::set(std::size_t row, std::uint64_t run, const Score& score,
                      const aggregate::Calibration& calibration) {
  scores_[row][run] = score;
  const std::lock_guard lock(mutex_);
  calibrations_[row] += calibration;
}

EachRun RunSchedule::each_run() const {
  EachRun result;
  for (const auto& policy : experiment_.policies) {
    for (const std::uint64_t budget : budgets_) {
      const std::size_t row = result.rows.size();
      const std::vector<Score>& scores = scores_[row];
      result.rows.push_back(summary(policy->name(), budget, item_count(experiment_), scores));
      result.rows.back().calibration = calibrations_[row];
      auto& accuracies = result.accuracies.emplace_back();
      for (const Score& score : scores) accuracies.push_back(score.accuracy);
    }
  }
  return result;
}

}  // namespace allot::sim
