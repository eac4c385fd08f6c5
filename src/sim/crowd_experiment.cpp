#include "allot/sim/crowd_experiment.hpp"

#include <algorithm>
#include <limits>

#include "allot/base/check.hpp"
#include "allot/policy/desk.hpp"
#include "allot/policy/purse.hpp"
#include "base/try.hpp"
#include "sim/courses.hpp"
#include "sim/crowd_world.hpp"

namespace allot::sim {
namespace {

using aggregate::ClassAnswers;
using policy::Offers;
using policy::Pair;
using policy::StopReason;

/// Open pairs, with prices if there are any.
Offers priced(Offers offers, const std::vector<Money>& prices) {
  if (!prices.empty()) offers.set_prices(prices);
  return offers;
}

/// One policy's campaign in one run.
class Campaign {
 public:
  /// With a budget only if that is money which buys different numbers of labels.
  Campaign(const CrowdExperiment& experiment, std::shared_ptr<const CrowdWorld> world,
           std::shared_ptr<const policy::PairPolicy> policy, std::uint64_t run,
           std::optional<Money> budget)
      : experiment_(experiment),
        world_(std::move(world)),
        desk_(
            model::make_crowd(experiment.beliefs, item_count(experiment), worker_count(experiment)),
            std::move(policy), priced(world_->offers(), experiment.prices), experiment.stop),
        ties_(experiment.seed, Rng::Purpose::tie, run),
        arrivals_(experiment.seed, Rng::Purpose::arrival, run),
        labels_{item_count(experiment), worker_count(experiment), class_count(experiment), {}} {
    if (!budget) return;
    purse_.emplace(*budget, desk_.offers());
    leave_out_unpayable();
  }

  void ask() {
    const Pair pair = choose();
    const ClassId label = world_->label(pair);
    labels_.labels.push_back({pair.item, pair.worker, label});
    desk_.record(pair, label);
    spent_ += desk_.offers().price(pair.worker);
    if (!purse_) return;
    purse_->pay(pair.worker);
    leave_out_unpayable();
  }

  /// Why no further label can or should be asked for, apart from a budget in labels.
  std::optional<StopReason> reason() {
    if (const auto rule = desk_.stop_reason()) return rule;
    if (desk_.offers().left() > 0) return {};
    return unpaid_ ? StopReason::budget : StopReason::exhausted;
  }

  Money spent() const { return spent_; }

  /// From the beliefs after all labels.
  ClassAnswers own_answers() const {
    const bool binary = desk_.crowd().binary() != nullptr;
    ClassAnswers result{class_count(experiment_), {}, desk_.crowd().final_probabilities()};
    for (std::uint32_t i = 0; i < item_count(experiment_); ++i) {
      const std::span<const double> shares = result.of(ItemId{i});
      if (binary) {
        result.answers.push_back(ClassId{shares[1] >= shares[0] ? 1U : 0U});
        continue;
      }
      // Of classes that only rounding tells apart, the smallest [CLZ sec:multi].
      const double most = std::ranges::max(shares) * (1 - 1e-9);
      const auto best =
          std::ranges::find_if(shares, [&](double p) { return p >= most; }) - shares.begin();
      result.answers.push_back(ClassId{static_cast<std::uint32_t>(best)});
    }
    return result;
  }

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
  void leave_out_unpayable() {
    while (const auto worker = purse_->unpayable()) {
      if (desk_.offers().left(*worker) == 0) continue;
      unpaid_ = true;
      desk_.exclude(*worker);
    }
  }

  Pair choose() {
    if (experiment_.marketplace == Marketplace::push) return desk_.choose(ties_).value();
    const WorkerId worker = arriving_worker();
    return {desk_.choose(worker, ties_).value(), worker};
  }

  /// Any of those with labels left, with the same chance.
  WorkerId arriving_worker() {
    std::vector<std::uint32_t> present;
    for (std::uint32_t j = 0; j < worker_count(experiment_); ++j) {
      if (desk_.offers().left(WorkerId{j}) > 0) present.push_back(j);
    }
    return WorkerId{present[below(arrivals_, present.size())]};
  }

  const CrowdExperiment& experiment_;
  const std::shared_ptr<const CrowdWorld> world_;
  policy::Desk desk_;
  Rng ties_, arrivals_;
  model::LabelSet labels_;
  Money spent_;
  std::optional<policy::Purse> purse_;
  bool unpaid_ = false;  // whether somebody could have been asked for more money
};

bool prices_differ(const CrowdExperiment& experiment) {
  return std::ranges::any_of(experiment.prices,
                             [&](Money price) { return price != experiment.prices.front(); });
}

class Runner {
 public:
  Runner(const CrowdExperiment& experiment, Progress* progress)
      : experiment_(experiment),
        progress_(progress),
        worlds_(experiment),
        own_purses_(!experiment.money.empty() && prices_differ(experiment)),
        courses_(label_budgets(experiment), experiment.runs) {
    for (std::size_t i = 0; i < experiment.policies.size(); ++i) courses_.add(own_purses_);
  }

  Result<EachRun> run() {
    std::vector<std::string> names;
    for (const auto& policy : experiment_.policies) names.push_back(policy->name());
    return courses_
        .run(experiment_.threads, progress_,
             [&](const Course& course, std::uint64_t run) { return play(course, run); })
        .map([&] {
          EachRun result = courses_.each_run(names, item_count(experiment_));
          for (Row& row : result.rows) {
            if (own_purses_) row.labels_per_item = row.labels / item_count(experiment_);
          }
          return result;
        });
  }

 private:
  /// The budget of a row that has runs of its own.
  std::optional<Money> purse(std::size_t row) const {
    if (!own_purses_) return {};
    return experiment_.money[row % experiment_.money.size()];
  }

  Result<void> play(const Course& course, std::uint64_t run) {
    const auto& policy = experiment_.policies[course.policy];
    double begun = thread_seconds(), seconds = 0;
    Campaign campaign(experiment_, worlds_.of_run(run), policy, run, purse(course.rows.front()));
    std::uint64_t labels = 0;
    for (std::size_t i = 0; i < course.milestones.size(); ++i) {
      for (; labels < course.milestones[i] && !campaign.reason(); ++labels) {
        campaign.ask();
        if (progress_) ++progress_->done;
      }
      seconds += thread_seconds() - begun;
      const auto reached = TRY(answers(campaign, *policy, run));
      Score score = campaign.score(reached);
      score.seconds = seconds;
      score.labels = labels;
      score.spent = campaign.spent();
      score.reason = reason(campaign, !own_purses_ && labels == course.milestones[i]);
      courses_.set(course.rows[i], run, score, campaign.calibration(reached));
      begun = thread_seconds();
    }
    if (progress_) progress_->done += course.milestones.back() - labels;
    return {};
  }

  /// That all pairs are asked may be what the budget was for.
  static StopReason reason(Campaign& campaign, bool used_up) {
    const auto found = campaign.reason();
    if (!found || (*found == StopReason::exhausted && used_up)) return StopReason::budget;
    return *found;
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
  const bool own_purses_;  // whether every budget has runs of its own
  Courses courses_;
};

constexpr std::string_view kName = "sim::run";

void check_prices(const CrowdExperiment& experiment) {
  require(experiment.money.empty() || experiment.budgets.empty(), kName, "number of budgets",
          static_cast<double>(experiment.budgets.size()), "expected none in labels beside money");
  require(experiment.prices.empty() || experiment.prices.size() == worker_count(experiment), kName,
          "number of prices", static_cast<double>(experiment.prices.size()),
          "expected one a worker");
  for (const Money price : experiment.prices)
    require(price > Money(), kName, "price", price.value(), "expected more than 0");
  const auto* simulated = std::get_if<SimulatedCrowd>(&experiment.world);
  const std::size_t types = simulated ? simulated->reliabilities.size() : 0;
  require(types == 0 || types == worker_count(experiment), kName, "number of reliabilities",
          static_cast<double>(types), "expected one a worker");
}

}  // namespace

Result<EachRun> run_each(const CrowdExperiment& experiment, Progress* progress) {
  if (const auto* recorded = std::get_if<std::shared_ptr<const Recording>>(&experiment.world)) {
    require(*recorded != nullptr, kName, "recording", 0, "expected one");
    check(**recorded);
  }
  const bool multiclass = experiment.beliefs.is_multiclass();
  require(class_count(experiment) == experiment.beliefs.class_count(), kName, "class_count",
          class_count(experiment), "expected as many as beliefs have");
  for (const auto& policy : experiment.policies) {
    require(!multiclass || policy->for_several_classes(), kName, "policy", 0,
            "expected one for several classes");
  }
  require(item_count(experiment) > 0, kName, "number of items", 0, "expected at least 1");
  require(worker_count(experiment) > 0, kName, "number of workers", 0, "expected at least 1");
  require(experiment.runs > 0, kName, "runs", 0, "expected at least 1");
  require(experiment.threads > 0, kName, "threads", 0, "expected at least 1");
  check_prices(experiment);
  policy::check(experiment.stop);
  require(!experiment.stop.worth || !multiclass, kName, "worth of a right answer",
          experiment.stop.worth.value_or(Money()).value(), "expected none but of yes/no items");
  const std::vector<std::uint64_t> budgets = label_budgets(experiment);
  require(!budgets.empty(), kName, "number of budgets", 0, "expected at least 1");
  const std::uint64_t most = std::ranges::max(budgets);
  require(most <= pair_count(experiment), kName, "budget", static_cast<double>(most),
          "expected at most as many as there are pairs to ask");
  return Courses::check(experiment.policies.size(), budgets.size(), experiment.runs).and_then([&] {
    return Runner(experiment, progress).run();
  });
}

Result<std::vector<Row>> run(const CrowdExperiment& experiment, Progress* progress) {
  return rows_alone(run_each(experiment, progress));
}

}  // namespace allot::sim
