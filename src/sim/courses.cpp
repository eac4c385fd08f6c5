#include "sim/courses.hpp"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <mutex>
#include <numeric>
#include <optional>
#include <system_error>
#include <thread>

namespace allot::sim {
namespace {

/// 48 bytes each.
constexpr double kMostScores = 1e8;

/// What went wrong first, in the order of tasks.
class FirstFailure {
 public:
  void add(std::size_t task, std::exception_ptr thrown) { add(task, {}, std::move(thrown)); }
  void add(std::size_t task, Error refusal) { add(task, std::move(refusal), nullptr); }

  /// To be called when all have ended.
  Result<void> outcome() const {
    if (thrown_) std::rethrow_exception(thrown_);
    if (refusal_) return tl::unexpected(*refusal_);
    return {};
  }

 private:
  void add(std::size_t task, std::optional<Error> refusal, std::exception_ptr thrown) {
    const std::lock_guard lock(mutex_);
    if (task >= task_) return;
    task_ = task;
    refusal_ = std::move(refusal);
    thrown_ = std::move(thrown);
  }

  std::mutex mutex_;
  std::size_t task_ = SIZE_MAX;
  std::optional<Error> refusal_;
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

Courses::Courses(std::vector<std::uint64_t> budgets, std::uint32_t runs)
    : budgets_(std::move(budgets)), runs_(runs) {}

Result<void> Courses::check(std::size_t policies, std::size_t budgets, std::uint32_t runs) {
  const std::size_t rows = policies * budgets;
  if (static_cast<double>(rows) * runs <= kMostScores) return {};
  return fail(ErrorCode::too_large, fmt::format("{} rows (policies times budgets) of {} runs are "
                                                "too many to keep; at most {:.0e} in all",
                                                rows, runs, kMostScores));
}

void Courses::add(bool depends_on_budget) {
  std::vector<std::size_t> order(budgets_.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return budgets_[i]; });
  Course all{policies_, {}, {}};
  for (const std::size_t i : order) {
    const std::size_t row = policies_ * budgets_.size() + i;
    if (depends_on_budget) {
      courses_.push_back({policies_, {row}, {budgets_[i]}});
    } else {
      all.rows.push_back(row);
      all.milestones.push_back(budgets_[i]);
    }
  }
  if (!all.rows.empty()) courses_.push_back(std::move(all));
  ++policies_;
  scores_.resize(policies_ * budgets_.size(), std::vector<Score>(runs_));
  calibrations_.resize(scores_.size());
}

Result<void> Courses::run(
    std::uint32_t threads, Progress* progress,
    const std::function<Result<void>(const Course&, std::uint64_t)>& play) const {
  std::uint64_t labels_a_run = 0;
  for (const Course& course : courses_) labels_a_run += course.milestones.back();
  if (progress) progress->total = labels_a_run * runs_;
  const std::size_t tasks = courses_.size() * runs_;
  std::atomic<std::size_t> next = 0;
  FirstFailure failure;
  const auto succeeds = [&](std::size_t task) {
    try {
      const auto played = play(courses_[task % courses_.size()], task / courses_.size());
      if (!played) failure.add(task, played.error());
      return played.has_value();
    } catch (...) {
      failure.add(task, std::current_exception());
      return false;
    }
  };
  const auto work = [&] {
    for (std::size_t task; (task = next++) < tasks;) {
      if (!succeeds(task)) next = tasks;
    }
  };
  {
    std::vector<std::jthread> helpers;
    const std::size_t wanted = std::min<std::size_t>(threads, tasks);
    try {
      for (std::size_t i = 1; i < wanted; ++i) helpers.emplace_back(work);
    } catch (const std::system_error&) {
      // The machine gives no more threads; those there are do the work.
    }
    work();
  }
  return failure.outcome();
}

void Courses::set(std::size_t row, std::uint64_t run, const Score& score,
                  const aggregate::Calibration& calibration) {
  scores_[row][run] = score;
  const std::lock_guard lock(mutex_);
  calibrations_[row] += calibration;
}

std::vector<Row> Courses::rows(std::span<const std::string> policies,
                               std::uint32_t item_count) const {
  std::vector<Row> result;
  for (const std::string& policy : policies) {
    for (const std::uint64_t budget : budgets_) {
      result.push_back(summary(policy, budget, item_count, scores_[result.size()]));
      result.back().calibration = calibrations_[result.size() - 1];
    }
  }
  return result;
}

EachRun Courses::each_run(std::span<const std::string> policies, std::uint32_t item_count) const {
  EachRun result{rows(policies, item_count), {}};
  for (const std::vector<Score>& scores : scores_) {
    auto& accuracies = result.accuracies.emplace_back();
    for (const Score& score : scores) accuracies.push_back(score.accuracy);
  }
  return result;
}

}  // namespace allot::sim
