#include "cli/simulate.hpp"

#include "allot/io/distribution_text.hpp"
#include "allot/io/pool_text.hpp"
#include "base/errors.hpp"
#include "cli/commands.hpp"
#include "cli/progress_bar.hpp"

namespace allot::cli {
namespace {

using sim::Experiment;
using sim::Simulation;

constexpr std::uint32_t kItems = 50;
constexpr const char* kClasses = "2";
/// Simulated items have soft labels, which refits do not model.
constexpr const char* kSimulateRefit = "off";
/// Groups of workers and confidences need refits.
constexpr const char* kGroupsRefit = "20";
constexpr const char* kGroups = "declared";
/// By how much informative workers state larger log-odds for right labels.
constexpr double kConfidenceGap = 2.5;
constexpr std::uint64_t kMostWorkers = 1'000'000;
constexpr std::uint64_t kMostClasses = 100;
constexpr const char* kDefaultReliability = "beta:4,1";

Result<std::uint32_t> read_item_count(const std::optional<std::string>& text,
                                      const model::SoftLabels& truth) {
  const auto* listed = std::get_if<std::vector<double>>(&truth);
  if (!text) return listed ? static_cast<std::uint32_t>(listed->size()) : kItems;
  const auto items = TRY(read_whole<std::uint32_t>("--items", *text, 1, kMostItems));
  if (!listed || listed->size() == items) return items;
  return invalid(
      "--items {} contradicts --truth, which lists {} soft labels; expected one of them, or a "
      "distribution",
      items, listed->size());
}

/// An experiment with its budgets.
struct Prepared {
  Experiment experiment;
  Budgets budgets = {};
};

Result<ItemKind> read_classes(const SimulateOptions& options) {
  if (!options.classes) return ItemKind{};
  return ItemKind{TRY(read_whole<std::uint32_t>("--classes", *options.classes, 2, kMostClasses))};
}

/// Items, how many and with which soft labels.
Result<Simulation> read_items(const SimulateOptions& options, const ItemKind& items) {
  Simulation simulation;
  if (items.is_yes_no()) {
    simulation.truth = TRY(in_option("--truth", io::parse_soft_labels(options.truth)));
  } else {
    simulation.class_truth =
        TRY(in_option("--truth", io::parse_dirichlet_prior(options.truth, items.class_count)));
  }
  simulation.item_count = TRY(read_item_count(options.items, simulation.truth));
  return simulation;
}

Result<void> check_alike(const SimulateOptions& options) {
  const auto given = options.worker_truth ? "--worker-truth"
                     : options.groups     ? "--groups"
                     : options.confidence ? "--confidence"
                                          : options.crowd.given();
  if (!given) return {};
  return invalid("{} needs workers who differ; expected --workers with their number", *given);
}

/// Reads types of workers; none if only their number is given.
Result<std::optional<model::WorkerPool>> read_pool(const SimulateOptions& options) {
  const std::string& text = *options.workers;
  if (text.find_first_of("*=@+(") == std::string::npos) return std::optional<model::WorkerPool>();
  auto pool = TRY(in_option("--workers", io::parse_pool(text)));
  if (model::worker_count(pool) > kMostWorkers) {
    return invalid("--workers {} has {} workers; expected at most {}", in_quotes(text),
                   model::worker_count(pool), kMostWorkers);
  }
  if (options.worker_truth) {
    return invalid(
        "--worker-truth cannot be combined with --workers {}, which says it by type; expected one "
        "of them",
        in_quotes(text));
  }
  if (options.run.price && text.find('@') != std::string::npos) {
    return invalid(
        "--price {} and --workers {} both have prices; expected one price for all or prices by "
        "type",
        in_quotes(*options.run.price), in_quotes(text));
  }
  return std::optional(std::move(pool));
}

Result<std::uint32_t> read_worker_count(const SimulateOptions& options,
                                        const std::optional<model::WorkerPool>& pool) {
  if (pool) return model::worker_count(*pool);
  auto count = read_whole<std::uint32_t>("--workers", *options.workers, 1, kMostWorkers);
  if (!count) {
    count.error().message += " or types such as llm=3*beta(9,1)@0.001+people=20*beta(4,1)@0.08";
  }
  return count;
}

/// Prices by type if the pool has any, else one for all.
Result<Prices> read_prices(const SimulateOptions& options,
                           const std::optional<model::WorkerPool>& pool) {
  if (pool && options.workers->find('@') != std::string::npos) return model::prices(*pool);
  return read_one_price(options.run);
}

/// Price of one label per worker and item.
std::optional<Money> price_of_all(const Prices& prices, std::uint32_t workers,
                                  std::uint32_t items) {
  if (prices.empty()) return {};
  if (prices.size() == 1) return prices.front() * workers * items;
  Money sum;
  for (const Money price : prices) sum += price * items;
  return sum;
}

/// Reads one reliability per worker, or a distribution.
Result<model::SoftLabels> read_reliabilities(const SimulateOptions& options,
                                             std::uint32_t workers) {
  const auto truth = TRY(in_option(
      "--worker-truth",
      io::parse_soft_labels(options.worker_truth.value_or(kDefaultReliability), "reliabilities")));
  const auto* listed = std::get_if<std::vector<double>>(&truth);
  if (!listed || listed->size() == workers) return truth;
  return invalid(
      "--worker-truth lists {} reliabilities for {} workers; expected one per worker, or a "
      "distribution",
      listed->size(), workers);
}

/// Everything but the stop rules, for workers who are alike.
Result<Prepared> read_alike_experiment(const SimulateOptions& options, const ItemKind& items,
                                       const Plugins& plugins) {
  TRY(check_alike(options));
  const auto workers = TRY(read_alike(options.run, items));
  Prepared result{TRY(read_experiment(options.run, workers, plugins))};
  const auto simulation = TRY(read_items(options, items));
  const auto& prices = result.experiment.prices = TRY(read_one_price(options.run));
  result.budgets.written = TRY(read_budgets(options.budget, simulation.item_count, prices));
  result.experiment.world = simulation;
  return result;
}

/// The items with the groups that beliefs know.
Result<ItemKind> with_groups(const SimulateOptions& options, ItemKind items,
                             const std::optional<model::WorkerPool>& pool) {
  const bool declared = TRY(read_choice<bool>("--groups", options.groups.value_or(kGroups),
                                              {{kGroups, true}, {"ignored", false}}));
  const auto groups = pool ? model::groups(*pool) : std::vector<std::uint32_t>();
  if (options.groups && groups.empty()) {
    return invalid(
        "--groups {} needs workers who err together; expected types such as "
        "llm=3*beta(9,1)~0.7 in --workers",
        in_quotes(*options.groups));
  }
  if (declared) items.groups = groups;
  return items;
}

/// By how much stated log-odds are larger for right labels; nothing without confidences.
Result<std::optional<double>> read_confidence_gap(const SimulateOptions& options) {
  if (!options.confidence) return std::nullopt;
  return read_choice<std::optional<double>>(
      "--confidence", *options.confidence,
      {{"informative", kConfidenceGap}, {"noise", 0.0}, {"inverted", -kConfidenceGap}});
}

/// Everything but the stop rules, for workers who differ.
Result<Prepared> read_crowd_experiment(const SimulateOptions& options, const ItemKind& items,
                                       const Plugins& plugins) {
  const auto pool = TRY(read_pool(options));
  ItemKind believed = TRY(with_groups(options, items, pool));
  believed.confident = options.confidence.has_value();
  const bool pooled = !believed.groups.empty() || believed.confident;
  auto workers = TRY(read_differing(options.crowd, options.run.prior,
                                    pooled ? kGroupsRefit : kSimulateRefit, believed, plugins));
  Prepared result{TRY(read_experiment(options.run, workers, plugins))};
  auto simulation = TRY(read_items(options, items));
  simulation.confidence_gap = TRY(read_confidence_gap(options));
  simulation.worker_count = TRY(read_worker_count(options, pool));
  simulation.reliability = TRY(read_reliabilities(options, simulation.worker_count));
  const auto& prices = result.experiment.prices = TRY(read_prices(options, pool));
  if (pool) {
    simulation.reliabilities = model::reliability_priors(*pool);
    simulation.groups = model::groups(*pool);
    if (!simulation.groups.empty()) simulation.repeats = model::repeat_chances(*pool);
    if (!options.crowd.worker_prior) {
      workers.beliefs.worker_priors = simulation.reliabilities;
      workers.beliefs.learn_workers = false;
    }
  }
  const auto [item_count, worker_count] = std::pair(simulation.item_count, simulation.worker_count);
  result.budgets.all_labels = std::uint64_t{item_count} * worker_count;
  result.budgets.written =
      TRY(read_budgets(options.budget, item_count, prices, result.budgets.all_labels,
                       price_of_all(prices, worker_count, item_count)));
  result.experiment.workers = std::move(workers);
  result.experiment.world = std::move(simulation);
  return result;
}

/// Heading: "100 workers, worker truth beta:4,1", or the pool.
std::string workers_text(const SimulateOptions& options, const Simulation& crowd) {
  const std::string count = count_text(crowd.worker_count, "worker");
  if (!crowd.reliabilities.empty()) return fmt::format("{} {}", count, shortened(*options.workers));
  return fmt::format("{}, worker truth {}", count,
                     shortened(options.worker_truth.value_or(kDefaultReliability)));
}

/// Heading: "50 items", "50 items of 4 classes".
std::string items_text(const SimulateOptions& options, std::uint32_t items) {
  return count_text(items, "item") +
         (options.classes ? fmt::format(" of {} classes", *options.classes) : "");
}

/// What workers who differ add to a comparison.
void add_workers(const SimulateOptions& options, const Simulation& crowd,
                 const sim::DifferingWorkers& workers, Comparison& result) {
  const bool types = !crowd.reliabilities.empty();
  const std::string reliability =
      types ? *options.workers : options.worker_truth.value_or(kDefaultReliability);
  result.conditions +=
      fmt::format(", {}, {}", workers_text(options, crowd), crowd_text(options.crowd, workers));
  append(result.settings, {{"workers", fmt::format("{}", crowd.worker_count)},
                           {types ? "pool" : "worker_truth", json_string(reliability)}});
  append(result.settings, crowd_settings(options.crowd, workers));
  if (options.confidence) {
    result.conditions += fmt::format(", confidences {}", *options.confidence);
    result.settings.emplace_back("confidence", json_string(*options.confidence));
  }
  if (crowd.groups.empty()) return;
  const bool declared = !workers.beliefs.groups.empty();
  if (!declared) result.conditions += ", groups ignored";
  append(result.settings, {{"groups", json_string(declared ? kGroups : "ignored")}});
}

Comparison comparison(const SimulateOptions& options, const Prepared& prepared) {
  const Experiment& experiment = prepared.experiment;
  const auto& simulation = std::get<Simulation>(experiment.world);
  Comparison result{
      fmt::format("{}, truth {}, prior {}", items_text(options, simulation.item_count),
                  shortened(options.truth), shortened(options.run.prior)),
      {{"items", fmt::format("{}", simulation.item_count)},
       {"classes", options.classes.value_or(kClasses)},
       {"truth", json_string(options.truth)},
       {"prior", json_string(options.run.prior)}},
      {},
      prepared.budgets};
  if (const auto* workers = std::get_if<sim::DifferingWorkers>(&experiment.workers))
    add_workers(options, simulation, *workers, result);
  return result;
}

Result<Output> simulate_and_show(const SimulateOptions& options) {
  const auto format = TRY(read_output(options.run));
  Progress progress;
  const ProgressBar bar("simulating", progress);
  const auto compared = TRY(simulate(options, {}, progress));
  return comparison_output(compared, format, options.run.plot);
}

}  // namespace

void add_simulate_options(Command& command, SimulateOptions& options) {
  command.add("--items", &options.items, "N", "Number of items",
              fmt::format("{}, or as many as `--truth` lists", kItems));
  command.add("--budget", &options.budget, "B",
              "Labels to buy, such as `500` or `10x` per item; a list or a range compares several");
  command.add("--truth", &options.truth, "D",
              "Distribution of the true soft labels, or the soft labels: `0.1,0.5,0.9`");
  add_item_prior(command, options.run);
  command.add("--classes", &options.classes, "C", "Number of classes per item",
              fmt::format("`{}`", kClasses));
  add_policies(command, options.run.policies, default_policies_text());
  add_run_options(command, options.run);
  add_price_options(command, options.run, "P", "Price of a label; budgets are then money");
  command.add("--workers", &options.workers, "M|POOL",
              "Workers who differ: their number, or types such as `llm=3*beta(9,1)@0.001`",
              "all alike");
  command.add("--worker-truth", &options.worker_truth, "D",
              "Distribution of the true reliabilities, or one value per worker",
              fmt::format("`{}`", kDefaultReliability));
  command.add("--groups", &options.groups, "HOW",
              "Whether beliefs know the types that end in `~`, whose members err together: "
              "`declared` or `ignored`",
              fmt::format("`{}`", kGroups));
  command.add("--confidence", &options.confidence, "KIND",
              "How sure workers say they are of each label: `informative`, `noise` or `inverted`",
              "they do not say");
  add_crowd_options(command, options.crowd, kSimulateRefit);
}

Result<Comparison> simulate(const SimulateOptions& options, const Plugins& plugins,
                            Progress& progress) {
  const auto items = TRY(read_classes(options));
  auto prepared = TRY(options.workers ? read_crowd_experiment(options, items, plugins)
                                      : read_alike_experiment(options, items, plugins));
  const policy::Form form = sim::form_of(prepared.experiment);
  prepared.experiment.stop =
      TRY(read_stop(options.run, form == policy::Form::items || form == policy::Form::pairs));
  return compare(options.run, prepared.experiment, comparison(options, prepared), progress);
}

Command simulate_command() {
  return make_command(
      "simulate", "Compare policies on simulated labels", simulate_and_show, add_simulate_options,
      {"Budgets: `500` labels, `10x` per item, lists `2x,5x,10x`, ranges `2x..20x` or "
       "`100..500:50`. With --workers also `40%` of one label per worker and item. With prices "
       "budgets are money: `12.50`, lists and ranges.",
       kDistributionNote, kStopNote,
       "Worker types: `NAME=COUNT*RELIABILITY@PRICE`, joined by `+`. Behind `~` comes the chance "
       "that a worker repeats a view which the type shares, as language models of one family do: "
       "`llm=9*beta(6,2)~0.7`. The options after --workers need it."},
      {"allot simulate --items 50 --budget 2x..20x --truth beta:2,1 --policy opt-kg,nlu --runs "
       "1000"});
}

}  // namespace allot::cli
