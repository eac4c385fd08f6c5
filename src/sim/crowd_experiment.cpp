#include "allot/sim/crowd_experiment.hpp"

#include <algorithm>
#include <limits>

#include "allot/base/check.hpp"
#include "sim/courses.hpp"
#include "sim/crowd_desk.hpp"
#include "sim/crowd_world.hpp"

namespace allot::sim {
namespace {

using aggregate::ClassAnswers;
using policy::Offers;
using policy::Pair;

/// One policy's campaign in one run.
class Campaign {
 public:
  Campaign(const CrowdExperiment& experiment, std::shared_ptr<const CrowdWorld> world,
           const policy::PairPolicy& policy, std::uint64_t run)
      : experiment_(experiment),
        world_(std::move(world)),
        offers_(world_->offers()),
        desk_(open_desk(experiment, policy, offers_)),
        ties_(experiment.seed, Rng::Purpose::tie, run),
        arrivals_(experiment.seed, Rng::Purpose::arrival, run),
        labels_{offers_.item_count(), offers_.worker_count(), class_count(experiment), {}} {}

  void ask() {
    const Pair pair = choose();
    const ClassId label = world_->label(pair);
    labels_.labels.push_back({pair.item, pair.worker, label});
    desk_->record(pair, label);
  }

  ClassAnswers own_answers() const { return desk_->answers(); }

  Result<ClassAnswers> answers_by(const aggregate::SeededMethod& method, std::uint64_t seed) const {
    return method(labels_, seed).map([](aggregate::Aggregation result) {
      return std::move(result.answers);
    });
  }

  Score score(const ClassAnswers& answers) const {
    return {
        aggregate::accuracy(answers.answers, world_->truth()).value(),
        aggregate::expected_accuracy(answers).value_or(std::numeric_limits<double>::quiet_NaN()),
        0};
  }

  aggregate::Calibration calibration(const ClassAnswers& answers) const {
    aggregate::Calibration result;
    result.add(answers, world_->truth());
    return result;
  }

 private:
  Pair choose() {
    if (experiment_.marketplace == Marketplace::push) return desk_->choose(ties_);
    const WorkerId worker = arriving_worker();
    return {desk_->choose(worker, ties_), worker};
  }

  /// Any of those with labels left, with the same chance.
  WorkerId arriving_worker() {
    std::vector<std::uint32_t> present;
    for (std::uint32_t j = 0; j < offers_.worker_count(); ++j) {
      if (offers_.left(WorkerId{j}) > 0) present.push_back(j);
    }
    return WorkerId{present[below(arrivals_, present.size())]};
  }

  const CrowdExperiment& experiment_;
  const std::shared_ptr<const CrowdWorld> world_;
  Offers offers_;
  const std::unique_ptr<CrowdDesk> desk_;
  Rng ties_, arrivals_;
  model::LabelSet labels_;
};

class Runner {
 public:
  Runner(const CrowdExperiment& experiment, Progress* progress)
      : experiment_(experiment),
        progress_(progress),
        worlds_(experiment),
        courses_(experiment.budgets, experiment.runs) {
    for (std::size_t i = 0; i < experiment.policies.size(); ++i) courses_.add(false);
  }

  Result<std::vector<Row>> run() {
    std::vector<std::string> names;
    for (const auto& policy : experiment_.policies) names.push_back(policy->name());
    return courses_
        .run(experiment_.threads, progress_,
             [&](const Course& course, std::uint64_t run) { return play(course, run); })
        .map([&] { return courses_.rows(names, item_count(experiment_)); });
  }

 private:
  Result<void> play(const Course& course, std::uint64_t run) {
    const policy::PairPolicy& policy = *experiment_.policies[course.policy];
    double begun = thread_seconds(), seconds = 0;
    Campaign campaign(experiment_, worlds_.of_run(run), policy, run);
    std::uint64_t spent = 0;
    for (std::size_t i = 0; i < course.milestones.size(); ++i) {
      for (; spent < course.milestones[i]; ++spent) {
        campaign.ask();
        if (progress_) ++progress_->done;
      }
      seconds += thread_seconds() - begun;
      const auto reached = answers(campaign, policy, run);
      if (!reached) return tl::unexpected(reached.error());
      Score score = campaign.score(*reached);
      score.seconds = seconds;
      courses_.set(course.rows[i], run, score, campaign.calibration(*reached));
      begun = thread_seconds();
    }
    return {};
  }

  Result<ClassAnswers> answers(const Campaign& campaign, const policy::PairPolicy& policy,
                               std::uint64_t run) const {
    const std::uint64_t seed = Rng(experiment_.seed, Rng::Purpose::messages, run)();
    if (experiment_.final_answers) return campaign.answers_by(experiment_.final_answers, seed);
    if (policy.answers_by().empty()) return campaign.own_answers();
    return aggregate::make_seeded_method(policy.answers_by()).and_then([&](const auto& method) {
      return campaign.answers_by(method, seed);
    });
  }

  const CrowdExperiment& experiment_;
  Progress* progress_;
  const Worlds worlds_;
  Courses courses_;
};

}  // namespace

Result<std::vector<Row>> run(const CrowdExperiment& experiment, Progress* progress) {
  constexpr std::string_view kName = "sim::run";
  if (const auto* recorded = std::get_if<std::shared_ptr<const Recording>>(&experiment.world)) {
    require(*recorded != nullptr, kName, "recording", 0, "expected one");
    check(**recorded);
  }
  const std::uint32_t believed =
      experiment.class_beliefs
          ? static_cast<std::uint32_t>(experiment.class_beliefs->item_prior.size())
          : 2;
  require(class_count(experiment) == believed, kName, "class_count", class_count(experiment),
          "expected as many as beliefs have");
  for (const auto& policy : experiment.policies) {
    require(!experiment.class_beliefs || policy->for_several_classes(), kName, "policy", 0,
            "expected one for several classes");
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
