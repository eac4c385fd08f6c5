#include "allot/sim/crowd_experiment.hpp"

#include <algorithm>
#include <limits>
#include <mutex>

#include "allot/base/check.hpp"
#include "sim/courses.hpp"
#include "sim/crowd_world.hpp"

namespace allot::sim {
namespace {

using policy::Offers;
using policy::Pair;

/// One policy's campaign in one run.
class Campaign {
 public:
  Campaign(const CrowdExperiment& experiment, const policy::PairPolicy& policy, std::uint64_t run)
      : experiment_(experiment),
        world_(make_world(experiment, run)),
        offers_(world_->offers()),
        crowd_(model::make_crowd(experiment.beliefs, offers_.item_count(), offers_.worker_count())),
        chooser_(policy.start(*crowd_, offers_)),
        ties_(experiment.seed, Rng::Purpose::tie, run),
        arrivals_(experiment.seed, Rng::Purpose::arrival, run),
        labels_{offers_.item_count(), offers_.worker_count(), 2, {}} {}

  void ask() {
    const Pair pair = choose();
    const Label label = world_->label(pair);
    labels_.labels.push_back({pair.item, pair.worker, to_class(label)});
    const bool all = crowd_->record(pair.item, pair.worker, label);
    offers_.close(pair);
    chooser_->refresh(pair, all);
  }

  Score own_score() const {
    const std::vector<model::ItemState> items = crowd_->settled();
    double promised = 0;
    std::vector<ClassId> answers;
    for (const model::ItemState& item : items) {
      answers.push_back(to_class(answer(item)));
      promised += 1 - error_probability(item);
    }
    return {accuracy(answers), promised / static_cast<double>(items.size()), 0};
  }

  Result<Score> score_by(const aggregate::Method& method) const {
    return method(labels_).map([&](const aggregate::Aggregation& result) {
      return Score{accuracy(result.answers.answers),
                   aggregate::expected_accuracy(result.answers)
                       .value_or(std::numeric_limits<double>::quiet_NaN()),
                   0};
    });
  }

 private:
  Pair choose() {
    if (experiment_.marketplace == Marketplace::push) return chooser_->choose(ties_).value();
    const WorkerId worker = arriving_worker();
    return {chooser_->choose(worker, ties_).value(), worker};
  }

  /// Any of those with labels left, with the same chance.
  WorkerId arriving_worker() {
    std::vector<std::uint32_t> present;
    for (std::uint32_t j = 0; j < offers_.worker_count(); ++j) {
      if (offers_.left(WorkerId{j}) > 0) present.push_back(j);
    }
    return WorkerId{present[below(arrivals_, present.size())]};
  }

  double accuracy(const std::vector<ClassId>& answers) const {
    std::size_t right = 0, known = 0;
    for (std::uint32_t i = 0; i < answers.size(); ++i) {
      const std::optional<ClassId> truth = world_->truth(i);
      known += truth.has_value();
      right += truth == answers[i];
    }
    return static_cast<double>(right) / static_cast<double>(known);
  }

  const CrowdExperiment& experiment_;
  const std::unique_ptr<CrowdWorld> world_;
  Offers offers_;
  const std::unique_ptr<model::Crowd> crowd_;
  const std::unique_ptr<policy::PairChooser> chooser_;
  Rng ties_, arrivals_;
  model::LabelSet labels_;
};

class Runner {
 public:
  Runner(const CrowdExperiment& experiment, Progress* progress)
      : experiment_(experiment),
        progress_(progress),
        courses_(experiment.budgets, experiment.runs) {
    for (std::size_t i = 0; i < experiment.policies.size(); ++i) courses_.add(false);
  }

  Result<std::vector<Row>> run() {
    courses_.run(experiment_.threads, progress_,
                 [&](const Course& course, std::uint64_t run) { play(course, run); });
    if (refusal_) return tl::unexpected(*refusal_);
    std::vector<std::string> names;
    for (const auto& policy : experiment_.policies) names.push_back(policy->name());
    return courses_.rows(names, item_count(experiment_));
  }

 private:
  void play(const Course& course, std::uint64_t run) {
    const policy::PairPolicy& policy = *experiment_.policies[course.policy];
    double begun = thread_seconds(), seconds = 0;
    Campaign campaign(experiment_, policy, run);
    std::uint64_t spent = 0;
    for (std::size_t i = 0; i < course.milestones.size(); ++i) {
      for (; spent < course.milestones[i]; ++spent) {
        campaign.ask();
        if (progress_) ++progress_->done;
      }
      seconds += thread_seconds() - begun;
      keep(course.rows[i], run, score(campaign, policy, run), seconds);
      begun = thread_seconds();
    }
  }

  Result<Score> score(const Campaign& campaign, const policy::PairPolicy& policy,
                      std::uint64_t run) const {
    if (experiment_.final_answers) return campaign.score_by(experiment_.final_answers);
    if (policy.answers_by().empty()) return campaign.own_score();
    aggregate::MethodOptions options;
    options.kos.seed = Rng(experiment_.seed, Rng::Purpose::messages, run)();
    return aggregate::make_method(policy.answers_by(), options)
        .and_then([&](const aggregate::Method& method) { return campaign.score_by(method); });
  }

  void keep(std::size_t row, std::uint64_t run, Result<Score> score, double seconds) {
    if (score) {
      score->seconds = seconds;
      courses_.set(row, run, *score);
      return;
    }
    const std::lock_guard lock(refusal_mutex_);
    refusal_ = score.error();
  }

  const CrowdExperiment& experiment_;
  Progress* progress_;
  Courses courses_;
  std::mutex refusal_mutex_;
  std::optional<Error> refusal_;
};

}  // namespace

Result<std::vector<Row>> run(const CrowdExperiment& experiment, Progress* progress) {
  constexpr std::string_view kName = "sim::run";
  if (const auto* recorded = std::get_if<std::shared_ptr<const Recording>>(&experiment.world)) {
    require(*recorded != nullptr, kName, "recording", 0, "expected one");
    check(**recorded);
  }
  require(item_count(experiment) > 0, kName, "number of items", 0, "expected at least 1");
  require(worker_count(experiment) > 0, kName, "number of workers", 0, "expected at least 1");
  require(experiment.runs > 0, kName, "runs", 0, "expected at least 1");
  require(experiment.threads > 0, kName, "threads", 0, "expected at least 1");
  require(!experiment.budgets.empty(), kName, "number of budgets", 0, "expected at least 1");
  const std::uint64_t most = std::ranges::max(experiment.budgets);
  require(most <= pair_count(experiment), kName, "budget", static_cast<double>(most),
          "expected at most as many as there are pairs to ask");
  return Courses::check(experiment.policies.size(), experiment.budgets.size(), experiment.runs)
      .and_then([&] { return Runner(experiment, progress).run(); });
}

}  // namespace allot::sim
