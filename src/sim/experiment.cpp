#include "allot/sim/experiment.hpp"

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

#include "allot/aggregate/posterior_vote.hpp"
#include "allot/base/check.hpp"

namespace allot::sim {
namespace {

using model::Beliefs;

/// 24 bytes each.
constexpr double kMostScores = 1e8;

struct Score {
  double accuracy = 0;
  double expected_accuracy = 0;
  double seconds = 0;
};

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

Score score(const Beliefs& beliefs, const std::vector<double>& truth, double seconds) {
  const std::vector<aggregate::Answer> answers = aggregate::posterior_vote(beliefs);
  std::size_t right = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    right += (answers[i].label == Label::positive) == (truth[i] >= 0.5);
  }
  return {static_cast<double>(right) / static_cast<double>(truth.size()),
          aggregate::expected_accuracy(answers), seconds};
}

/// One run of a policy, stopped at each of its budgets to be scored.
struct Course {
  const policy::Policy* policy;
  std::vector<std::size_t> rows;          // where the scores go
  std::vector<std::uint64_t> milestones;  // ascending budgets
};

class Runner {
 public:
  Runner(const Experiment& experiment, Progress* progress)
      : experiment_(experiment), progress_(progress) {
    for (const auto& policy : experiment.policies) add_courses(*policy);
    scores_.assign(row_count_, std::vector<Score>(experiment.runs));
    for (const Course& course : courses_) labels_a_run_ += course.milestones.back();
  }

  /// Policies without an index may refuse a problem.
  Result<void> check() const {
    for (const Course& course : courses_) {
      if (course.policy->ranking(course.milestones.back())) continue;
      const Beliefs beliefs(experiment_.item_count, experiment_.prior);
      const auto started = course.policy->start(beliefs, course.milestones.back());
      if (!started) return tl::unexpected(started.error());
    }
    return {};
  }

  void run() {
    if (progress_) progress_->total = labels_a_run_ * experiment_.runs;
    const std::size_t tasks = courses_.size() * experiment_.runs;
    std::atomic<std::size_t> next = 0;
    std::exception_ptr failure;
    std::mutex failure_mutex;
    const auto work = [&] {
      try {
        for (std::size_t task; (task = next++) < tasks;) {
          play(courses_[task % courses_.size()], task / courses_.size());
        }
      } catch (...) {
        const std::lock_guard lock(failure_mutex);
        failure = std::current_exception();
        next = tasks;
      }
    };
    {
      std::vector<std::jthread> helpers;
      const std::size_t wanted = std::min<std::size_t>(experiment_.threads, tasks);
      try {
        for (std::size_t i = 1; i < wanted; ++i) helpers.emplace_back(work);
      } catch (const std::system_error&) {
        // The machine gives no more threads; those there are do the work.
      }
      work();
    }
    if (failure) std::rethrow_exception(failure);
  }

  std::vector<Row> rows() const {
    std::vector<Row> result;
    for (const auto& policy : experiment_.policies) {
      for (const std::uint64_t budget : experiment_.budgets) {
        result.push_back(summary(policy->name(), budget, scores_[result.size()]));
      }
    }
    return result;
  }

 private:
  void add_courses(const policy::Policy& policy) {
    const std::vector<std::uint64_t>& budgets = experiment_.budgets;
    std::vector<std::size_t> order(budgets.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return budgets[i]; });
    Course all{&policy, {}, {}};
    for (const std::size_t i : order) {
      if (policy.depends_on_budget()) {
        courses_.push_back({&policy, {row_count_ + i}, {budgets[i]}});
      } else {
        all.rows.push_back(row_count_ + i);
        all.milestones.push_back(budgets[i]);
      }
    }
    if (!all.rows.empty()) courses_.push_back(std::move(all));
    row_count_ += budgets.size();
  }

  void play(const Course& course, std::uint64_t run) {
    const std::vector<double> truth =
        model::soft_labels(experiment_.truth, experiment_.item_count, experiment_.seed, run);
    Rng ties(experiment_.seed, Rng::Purpose::tie, run);
    double begun = thread_seconds(), seconds = 0;
    Beliefs beliefs(experiment_.item_count, experiment_.prior);
    const auto chooser = course.policy->start(beliefs, course.milestones.back()).value();
    std::uint64_t spent = 0;
    for (std::size_t i = 0; i < course.milestones.size(); ++i) {
      while (spent < course.milestones[i]) {
        const std::uint64_t pause = std::min(course.milestones[i], spent + kReport);
        const std::uint64_t labels = pause - spent;
        for (; spent < pause; ++spent) ask(*chooser, beliefs, truth, run, ties);
        if (progress_) progress_->done += labels;
      }
      seconds += thread_seconds() - begun;
      scores_[course.rows[i]][run] = score(beliefs, truth, seconds);
      begun = thread_seconds();
    }
  }

  void ask(policy::Chooser& chooser, Beliefs& beliefs, const std::vector<double>& truth,
           std::uint64_t run, Rng& ties) const {
    const ItemId item = chooser.choose(ties);
    const Rng labels(experiment_.seed, Rng::Purpose::label, run, position(item));
    const double draw = unit_interval(labels.at(beliefs.counts(item).total()));
    beliefs.record(item, draw < truth[position(item)] ? Label::positive : Label::negative);
    chooser.refresh(item);
  }

  Row summary(std::string policy, std::uint64_t budget, const std::vector<Score>& scores) const {
    const auto runs = static_cast<double>(scores.size());
    Row row{std::move(policy),
            budget,
            static_cast<double>(budget) / experiment_.item_count,
            0,
            0,
            0,
            0};
    const auto mean = [&](double Score::*member) {
      double sum = 0;
      for (const Score& score : scores) sum += score.*member;
      return sum / runs;
    };
    row.accuracy = mean(&Score::accuracy);
    row.expected_accuracy = mean(&Score::expected_accuracy);
    row.seconds = mean(&Score::seconds);
    double squares = 0;
    for (const Score& score : scores) squares += std::pow(score.accuracy - row.accuracy, 2);
    row.standard_error = std::sqrt(squares / (runs - 1) / runs);  // 0/0 for a single run
    return row;
  }

  static constexpr std::uint64_t kReport = 4096;  // labels between two reports of progress

  const Experiment& experiment_;
  Progress* progress_;
  std::vector<Course> courses_;
  std::size_t row_count_ = 0;
  std::uint64_t labels_a_run_ = 0;
  std::vector<std::vector<Score>> scores_;  // [row][run]
};

}  // namespace

Result<std::vector<Row>> run(const Experiment& experiment, Progress* progress) {
  constexpr std::string_view kName = "sim::run";
  require(experiment.item_count > 0, kName, "item_count", 0, "expected at least 1");
  require(experiment.runs > 0, kName, "runs", 0, "expected at least 1");
  require(experiment.threads > 0, kName, "threads", 0, "expected at least 1");
  require(!experiment.budgets.empty(), kName, "number of budgets", 0, "expected at least 1");
  const std::size_t rows = experiment.policies.size() * experiment.budgets.size();
  if (static_cast<double>(rows) * experiment.runs > kMostScores) {
    return fail(ErrorCode::too_large, fmt::format("{} rows (policies times budgets) of {} runs are "
                                                  "too many to keep; at most {:.0e} in all",
                                                  rows, experiment.runs, kMostScores));
  }
  Runner runner(experiment, progress);
  return runner.check().map([&] {
    runner.run();
    return runner.rows();
  });
}

}  // namespace allot::sim
