#include <fmt/format.h>

#include "allot/io/distribution_text.hpp"
#include "allot/io/pool_text.hpp"
#include "base/try.hpp"
#include "cli/commands.hpp"
#include "cli/crowd_options.hpp"
#include "cli/price_options.hpp"
#include "cli/rows.hpp"

namespace allot::cli {
namespace {

using sim::Experiment;

constexpr std::uint32_t kItems = 50;
constexpr const char* kClasses = "2";
/// Simulated items have soft labels, which refits do not model.
constexpr const char* kRefit = "off";
constexpr std::uint64_t kMostWorkers = 1'000'000;
constexpr std::uint64_t kMostClasses = 100;
constexpr const char* kUsualReliability = "beta:4,1";

struct SimulateOptions {
  std::optional<std::string> items;
  std::string budget = "10x";
  std::string truth = "uniform";
  std::optional<std::string> classes;
  RunFlags run{.policies = {"uniform,kg,opt-kg"}};
  /// Workers who differ; all are alike if not given.
  std::optional<std::string> workers;
  std::optional<std::string> worker_truth;
  CrowdFlags crowd;
};

Result<std::uint32_t> read_items(const std::optional<std::string>& text,
                                 const model::SoftLabels& truth) {
  const auto* listed = std::get_if<std::vector<double>>(&truth);
  if (!text) return listed ? static_cast<std::uint32_t>(listed->size()) : kItems;
  return read_whole("--items", *text, 1, kMostItems)
      .and_then([&](std::uint64_t items) -> Result<std::uint32_t> {
        if (listed && listed->size() != items) {
          return fail(ErrorCode::invalid_argument,
                      fmt::format("--items {} does not fit --truth, which lists {} soft labels; "
                                  "leave --items out or "
                                  "give a distribution",
                                  items, listed->size()));
        }
        return static_cast<std::uint32_t>(items);
      });
}

/// What was read for workers who are alike or who differ.
template <typename Read>
struct Prepared {
  Read experiment;
  Budgets budgets = {};
  std::optional<Prices> prices = {};
};

/// Prices, budgets and stop rules of workers who are alike, when the number of items is known.
template <typename Alike>
bool read_money(Reader& read, const SimulateOptions& options, bool yes_no,
                Prepared<Alike>& result) {
  const bool ok = read(result.prices, read_one_price(options.run)) &&
                  read(result.experiment.stop, read_stop(options.run, yes_no)) &&
                  read(result.budgets.written,
                       read_budgets(options.budget, result.experiment.item_count, result.prices));
  if (ok) set_budgets(result.budgets.written, result.prices, result.experiment);
  return ok;
}

Result<Prepared<Experiment>> read_experiment(const SimulateOptions& options) {
  Prepared<Experiment> result;
  Experiment& experiment = result.experiment;
  Reader read;
  const bool ok =
      read(experiment, read_alike(options.run)) &&
      read(experiment.truth, in_option("--truth", io::parse_soft_labels(options.truth))) &&
      read(experiment.item_count, read_items(options.items, experiment.truth)) &&
      read_money(read, options, true, result);
  if (!ok) return tl::unexpected(read.error());
  return result;
}

Result<ItemKind> read_classes(const SimulateOptions& options) {
  if (!options.classes) return ItemKind{};
  return read_whole("--classes", *options.classes, 2, kMostClasses).map([](std::uint64_t classes) {
    return ItemKind{.class_count = static_cast<std::uint32_t>(classes)};
  });
}

Result<model::DirichletPrior> read_class_truth(const SimulateOptions& options,
                                               const ItemKind& items) {
  return in_option("--truth", io::parse_dirichlet_prior(options.truth, items.class_count));
}

Result<Prepared<sim::MulticlassExperiment>> read_multiclass_experiment(
    const SimulateOptions& options, const ItemKind& items) {
  const auto truth = TRY(read_class_truth(options, items));
  auto experiment = TRY(read_alike_classes(options.run, items, math::LogisticMethod::laplace));
  Prepared<sim::MulticlassExperiment> result{std::move(experiment)};
  std::get<sim::SeveralClasses>(result.experiment.model).truth = truth;
  Reader read;
  const bool ok =
      read(result.experiment.item_count, read_items(options.items, model::Prior::uniform())) &&
      read_money(read, options, false, result);
  if (!ok) return tl::unexpected(read.error());
  return result;
}

Result<void> check_alike(const SimulateOptions& options) {
  const auto given = options.worker_truth ? "--worker-truth" : options.crowd.given();
  if (!given) return {};
  return fail(ErrorCode::invalid_argument,
              fmt::format("{} is about workers who differ; expected with it --workers and their "
                          "number",
                          *given));
}

/// Types of workers; nothing if their number alone is given.
Result<std::optional<model::WorkerPool>> read_pool(const SimulateOptions& options) {
  const std::string& text = *options.workers;
  if (text.find_first_of("*=@+(") == std::string::npos) return std::optional<model::WorkerPool>();
  return in_option("--workers", io::parse_pool(text))
      .and_then([&](model::WorkerPool pool) -> Result<std::optional<model::WorkerPool>> {
        const auto refuse = [&](const std::string& why) {
          return fail(ErrorCode::invalid_argument, why);
        };
        if (model::worker_count(pool) > kMostWorkers) {
          return refuse(fmt::format("--workers {} has {} workers; expected at most {}",
                                    in_quotes(text), model::worker_count(pool), kMostWorkers));
        }
        if (options.worker_truth) {
          return refuse(
              fmt::format("--worker-truth is of no use with --workers {}, which says it "
                          "by type; expected one of them",
                          in_quotes(text)));
        }
        if (options.run.price && text.find('@') != std::string::npos) {
          return refuse(
              fmt::format("--price {} and --workers {} both have prices; expected one "
                          "price for all or prices by type",
                          in_quotes(*options.run.price), in_quotes(text)));
        }
        return std::optional(std::move(pool));
      });
}

Result<std::uint64_t> read_worker_count(const SimulateOptions& options,
                                        const std::optional<model::WorkerPool>& pool) {
  if (pool) return model::worker_count(*pool);
  return read_whole("--workers", *options.workers, 1, kMostWorkers).map_error([](Error error) {
    error.message += ", nor types such as llm=3*beta(9,1)@0.001+people=20*beta(4,1)@0.08";
    return error;
  });
}

/// By type if the pool has any, else one for all.
Result<std::optional<Prices>> read_prices(const SimulateOptions& options,
                                          const std::optional<model::WorkerPool>& pool) {
  if (pool && options.workers->find('@') != std::string::npos)
    return std::optional(Prices{model::prices(*pool)});
  return read_one_price(options.run);
}

/// Workers of a pool are drawn, and believed to be, as their types are.
void set_pool(const SimulateOptions& options, const model::WorkerPool& pool,
              sim::SimulatedCrowd& crowd, sim::CrowdExperiment& experiment) {
  crowd.reliabilities = model::reliability_priors(pool);
  if (options.crowd.worker_prior) return;
  experiment.beliefs.worker_priors = crowd.reliabilities;
}

/// What one label by every worker about every item would cost.
std::optional<Money> price_of_all(const std::optional<Prices>& prices, std::uint32_t workers,
                                  std::uint32_t items) {
  if (!prices) return {};
  Money sum;
  if (prices->of_worker.size() == 1) return prices->of_worker.front() * workers * items;
  for (const Money price : prices->of_worker) sum += price * items;
  return sum;
}

/// One for each of the workers, or a distribution.
Result<model::SoftLabels> read_reliabilities(const SimulateOptions& options,
                                             std::uint32_t workers) {
  return in_option("--worker-truth",
                   io::parse_soft_labels(options.worker_truth.value_or(kUsualReliability),
                                         "reliabilities"))
      .and_then([&](const model::SoftLabels& truth) -> Result<model::SoftLabels> {
        const auto* listed = std::get_if<std::vector<double>>(&truth);
        if (!listed || listed->size() == workers) return truth;
        return fail(ErrorCode::invalid_argument,
                    fmt::format("--worker-truth lists {} reliabilities, --workers says {}; "
                                "expected one a worker or a distribution",
                                listed->size(), workers));
      });
}

Result<Prepared<sim::CrowdExperiment>> read_crowd_experiment(const SimulateOptions& options,
                                                             const ItemKind& items) {
  Prepared<sim::CrowdExperiment> result;
  sim::SimulatedCrowd crowd;
  std::optional<model::WorkerPool> pool;
  Reader read;
  const bool ok =
      read(result.experiment, read_differing(options.run, options.crowd, kRefit, items)) &&
      (items.is_yes_no()
           ? read(crowd.truth, in_option("--truth", io::parse_soft_labels(options.truth)))
           : read(crowd.class_truth, read_class_truth(options, items))) &&
      read(crowd.item_count, read_items(options.items, crowd.truth)) &&
      read(pool, read_pool(options)) &&
      read(crowd.worker_count, read_worker_count(options, pool)) &&
      read(crowd.reliability, read_reliabilities(options, crowd.worker_count)) &&
      read(result.prices, read_prices(options, pool)) &&
      read(result.experiment.stop, read_stop(options.run, items.is_yes_no()));
  if (!ok) return tl::unexpected(read.error());
  if (pool) set_pool(options, *pool, crowd, result.experiment);
  result.budgets.all_labels = std::uint64_t{crowd.item_count} * crowd.worker_count;
  if (!read(result.budgets.written,
            read_budgets(options.budget, crowd.item_count, result.prices, result.budgets.all_labels,
                         price_of_all(result.prices, crowd.worker_count, crowd.item_count)))) {
    return tl::unexpected(read.error());
  }
  set_budgets(result.budgets.written, result.prices, crowd.worker_count, result.experiment);
  result.experiment.world = std::move(crowd);
  return result;
}

/// What prices and stop rules add to a comparison.
void add_money(const SimulateOptions& options, const std::optional<Prices>& prices,
               Comparison& result) {
  result.conditions += price_text(options.run);
  append(result.settings, price_settings(options.run));
  result.ends = shows_ends(options.run, prices);
}

/// "100 workers, worker truth beta:4,1", or the pool.
std::string workers_text(const SimulateOptions& options, const sim::SimulatedCrowd& crowd) {
  const std::string count = count_text(crowd.worker_count, "worker");
  if (!crowd.reliabilities.empty()) return fmt::format("{} {}", count, shortened(*options.workers));
  return fmt::format("{}, worker truth {}", count,
                     shortened(options.worker_truth.value_or(kUsualReliability)));
}

/// "50 items", "50 items of 4 classes".
std::string items_text(const SimulateOptions& options, std::uint32_t items) {
  return count_text(items, "item") +
         (options.classes ? fmt::format(" of {} classes", *options.classes) : "");
}

template <typename Alike>
Comparison comparison(const SimulateOptions& options, const Prepared<Alike>& prepared) {
  const Alike& experiment = prepared.experiment;
  Comparison result{
      fmt::format("{}, truth {}, prior {}, {}", items_text(options, experiment.item_count),
                  shortened(options.truth), shortened(options.run.prior), runs_text(experiment)),
      {{"items", fmt::format("{}", experiment.item_count)},
       {"classes", options.classes.value_or(kClasses)},
       {"truth", json_string(options.truth)},
       {"prior", json_string(options.run.prior)}},
      {},
      prepared.budgets};
  append(result.settings, run_settings(options.run, experiment));
  result.calibration = options.run.calibration;
  add_money(options, prepared.prices, result);
  return result;
}

Comparison comparison(const SimulateOptions& options,
                      const Prepared<sim::CrowdExperiment>& prepared) {
  const sim::CrowdExperiment& experiment = prepared.experiment;
  const auto& crowd = std::get<sim::SimulatedCrowd>(experiment.world);
  const bool types = !crowd.reliabilities.empty();
  const std::string reliability =
      types ? *options.workers : options.worker_truth.value_or(kUsualReliability);
  Comparison result{fmt::format("{}, truth {}, prior {}, {}, {}, {}",
                                items_text(options, crowd.item_count), shortened(options.truth),
                                shortened(options.run.prior), workers_text(options, crowd),
                                crowd_text(options.crowd, experiment), runs_text(experiment)),
                    {{"items", fmt::format("{}", crowd.item_count)},
                     {"classes", options.classes.value_or(kClasses)},
                     {"truth", json_string(options.truth)},
                     {"prior", json_string(options.run.prior)},
                     {"workers", fmt::format("{}", crowd.worker_count)},
                     {types ? "pool" : "worker_truth", json_string(reliability)}},
                    {},
                    prepared.budgets};
  append(result.settings, crowd_settings(options.crowd, experiment));
  append(result.settings, run_settings(options.run, experiment));
  result.calibration = options.run.calibration;
  add_money(options, prepared.prices, result);
  return result;
}

/// Runs what was read and says how it went.
template <typename Read>
Result<Output> simulate(const SimulateOptions& options, Format format,
                        const Result<Prepared<Read>>& prepared) {
  if (!prepared) return tl::unexpected(prepared.error());
  return compare("simulating", prepared->experiment, comparison(options, *prepared), format,
                 options.run.plot);
}

Result<Output> simulate(const SimulateOptions& options) {
  const auto format = TRY(read_output(options.run));
  const auto items = TRY(read_classes(options));
  if (options.workers) return simulate(options, format, read_crowd_experiment(options, items));
  TRY(check_alike(options));
  if (items.is_yes_no()) return simulate(options, format, read_experiment(options));
  return simulate(options, format, read_multiclass_experiment(options, items));
}

void add_options(Command& command, SimulateOptions& options) {
  command.add("--items", &options.items, "N", "Number of items")
      .by_default(fmt::format("{}, or as many as `--truth` lists", kItems));
  command.add("--budget", &options.budget, "B",
              "Labels to buy, such as `500` or `10x` per item; a list or a range compares several");
  command.add("--truth", &options.truth, "D",
              "Distribution of the true soft labels, or the soft labels: `0.1,0.5,0.9`");
  add_item_prior(command, options.run);
  command.add("--classes", &options.classes, "C", "Number of classes per item")
      .by_default(fmt::format("`{}`", kClasses));
  add_policies(command, options.run.policies);
  add_run_options(command, options.run);
  add_price_options(command, options.run, "P", "Price of a label; budgets are then money");
  command
      .add("--workers", &options.workers, "M|POOL",
           "Workers who differ: their number, or types such as `llm=3*beta(9,1)@0.001`")
      .by_default("all alike");
  command
      .add("--worker-truth", &options.worker_truth, "D",
           "Distribution of the true reliabilities, or one value per worker")
      .by_default(fmt::format("`{}`", kUsualReliability));
  add_crowd_options(command, options.crowd, kRefit);
}

}  // namespace

Command simulate_command() {
  const auto options = std::make_shared<SimulateOptions>();
  Command command{"simulate", "Compare policies on simulated labels",
                  [options] { return simulate(*options); }};
  add_options(command, *options);
  command.notes = {
      "Budgets: `500` labels, `10x` per item, lists `2x,5x,10x`, ranges `2x..20x` or "
      "`100..500:50`. With --workers also `40%` of one label per worker and item. With prices "
      "budgets are money: `12.50`, lists and ranges.",
      kDistributionNote, kStopNote,
      "Worker types: `NAME=COUNT*RELIABILITY@PRICE`, joined by `+`. The options after --workers "
      "need it."};
  command.examples = {
      "allot simulate --items 50 --budget 2x..20x --truth beta:2,1 --policy opt-kg,nlu --runs "
      "1000"};
  return command;
}

}  // namespace allot::cli
