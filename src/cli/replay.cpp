#include "cli/replay.hpp"

#include <algorithm>

#include "allot/aggregate/registry.hpp"
#include "allot/io/price_csv.hpp"
#include "allot/io/text_file.hpp"
#include "base/errors.hpp"
#include "cli/commands.hpp"
#include "cli/progress_bar.hpp"

namespace allot::cli {
namespace {

using sim::Recording;

/// Budgets of a replay if none are given.
constexpr const char* kReplayShares = "10%..50%:10%";
constexpr const char* kReplayRefit = "20";
constexpr const char* kFeatureUpdate = "laplace";

/// Refuses files that cannot be replayed.
Result<void> check_files(const LabelFlags& flags, const LabelFiles& files) {
  const auto& classes = files.labels.classes;
  if (classes.size() < 2) {
    return invalid(
        "{} has one class ({}); expected at least two, such as 0 and 1 (--classes can name one "
        "that no label has)",
        file_name(flags.labels), shortened(classes.front()));
  }
  if (files.truth && files.truth->known == 0) {
    return invalid("{} has no item of {}; expected the same item names",
                   file_name(flags.truth.value_or(flags.labels)), file_name(flags.labels));
  }
  return {};
}

/// Method whose answers from all labels stand in for a truth.
constexpr const char* kStandIn = "pooled";

/// The answers that all labels give, in the place of a truth. Items without labels have none.
Result<std::vector<std::optional<ClassId>>> answers_from_all(const model::LabelSet& labels) {
  const auto all = TRY(aggregate::make_method(kStandIn).value()(labels));
  std::vector<std::optional<ClassId>> answers(labels.item_count);
  for (const model::GivenLabel& given : labels.labels)
    answers[position(given.item)] = all.answers.answers[position(given.item)];
  return answers;
}

/// Recorded labels and how they are replayed.
struct Tape {
  std::shared_ptr<const Recording> recording;
  ItemKind items;
  std::uint64_t truth_items;
  std::vector<io::Budget> budgets;
  Prices prices;
  /// Whether the truth is that of the user, not the answers from all labels.
  bool has_truth = true;
};

/// Whether the text looks like an amount; else it names a file.
bool is_amount(const std::string& text) {
  return text.find_first_not_of("0123456789.,+-eE$ ") == std::string::npos;
}

/// The text of a file of prices; nothing if there is one price for all, or none.
Result<std::optional<std::string>> read_price_file(const ReplayOptions& options) {
  if (!options.run.price || is_amount(*options.run.price)) return std::nullopt;
  const std::string& path = *options.run.price;
  if (path == "-" || options.workers != "differ") {
    return invalid("--price {} {}; expected one price for all", in_quotes(path),
                   path == "-" ? "is standard input" : "cannot be combined with --workers ignore");
  }
  return std::optional(TRY(in_option("--price", io::read_text_file(path))));
}

/// One price for all, or prices by worker.
Result<Prices> read_prices(const ReplayOptions& options, const ReplayInput& input) {
  if (!input.prices) return read_one_price(options.run);
  return in_file(*options.run.price, io::parse_prices(*input.prices, input.files.labels.workers));
}

std::optional<Money> price_of_all(const Prices& prices, const model::LabelSet& labels) {
  if (prices.empty()) return {};
  if (prices.size() == 1) return prices.front() * labels.labels.size();
  Money sum;
  for (const model::GivenLabel& given : labels.labels) sum += prices[position(given.worker)];
  return sum;
}

/// Reads budgets; by default every number of labels if a tenth of all is none.
Result<std::vector<io::Budget>> read_tape_budgets(const std::optional<std::string>& text,
                                                  const model::LabelSet& labels,
                                                  const Prices& prices) {
  const std::size_t count = labels.labels.size();
  const std::string few = prices.empty() ? fmt::format("1..{}", count) : "100%";
  return read_budgets(text.value_or(count < 10 ? few : kReplayShares), labels.item_count, prices,
                      count, price_of_all(prices, labels));
}

Result<Tape> make_tape(const ReplayOptions& options, ReplayInput input) {
  LabelFiles& files = input.files;
  TRY(check_files(options.files, files));
  auto prices = TRY(read_prices(options, input));
  auto budgets = TRY(read_tape_budgets(options.budget, files.labels.set, prices));
  const auto variance = TRY(read_feature_variance(options.features));
  const ItemKind items{files.labels.set.class_count, files.design, variance,
                       std::move(files.groups.of_worker), !files.labels.set.confidences.empty()};
  auto truth =
      files.truth ? std::move(files.truth->of_item) : TRY(answers_from_all(files.labels.set));
  const auto known =
      std::ranges::count_if(truth, [](const auto& answer) { return answer.has_value(); });
  return Tape{
      std::make_shared<const Recording>(Recording{std::move(files.labels.set), std::move(truth)}),
      items,
      static_cast<std::uint64_t>(known),
      std::move(budgets),
      std::move(prices),
      files.truth.has_value()};
}

/// Heading: "700 items of 10 classes with 124 features".
std::string items_text(const Tape& tape) {
  const auto& [classes, design, variance, groups, confident] = tape.items;
  std::string text = count_text(tape.recording->labels.item_count, "item");
  if (classes != 2) text += fmt::format(" of {} classes", classes);
  if (design) text += fmt::format(" with {}", count_text(design->feature_count(), "feature"));
  return text;
}

Comparison comparison(const ReplayOptions& options, const Tape& tape,
                      const sim::Experiment& experiment) {
  const model::LabelSet& labels = tape.recording->labels;
  const auto* differing = std::get_if<sim::DifferingWorkers>(&experiment.workers);
  // Where workers are alike, features take the place of the prior.
  const bool has_prior = differing || !tape.items.design;
  Comparison result{
      fmt::format("{} of {} about {}, {}, {}{}", count_text(labels.labels.size(), "label"),
                  count_text(labels.worker_count, "worker"), items_text(tape),
                  tape.has_truth ? fmt::format("{} with a truth", tape.truth_items) : "no truth",
                  has_prior ? fmt::format("prior {}, ", shortened(options.run.prior)) : "",
                  differing ? crowd_text(options.crowd, *differing) : "workers alike"),
      {{"labels", json_string(options.files.labels)},
       {"truth",
        tape.has_truth ? json_string(options.files.truth.value_or(options.files.labels)) : "null"},
       {"items", fmt::format("{}", labels.item_count)},
       {"truth_items", fmt::format("{}", tape.has_truth ? tape.truth_items : 0)},
       {"recorded_labels", fmt::format("{}", labels.labels.size())},
       {"recorded_workers", fmt::format("{}", labels.worker_count)},
       {"workers", json_string(options.workers)},
       {"prior", json_string(options.run.prior)}},
      {},
      {tape.budgets, labels.labels.size()}};
  result.bound_condition =
      differing
          ? "if workers and class shares are as all labels suggest; skewed classes can exceed it"
          : "if the prior is right";
  result.runs_alike = experiment.runs;
  if (!tape.has_truth) {
    result.measure = "agreement";
    result.measure_note = fmt::format(
        "agreement: share of answers equal to those of {} from all labels, not a share of right "
        "answers",
        kStandIn);
    result.settings.emplace_back("agreement_with", json_string(kStandIn));
  }
  result.settings.emplace_back("classes", fmt::format("{}", tape.items.class_count));
  if (const auto& design = tape.items.design) {
    append(result.settings, {{"features", json_string(*options.features.features)},
                             {"feature_count", fmt::format("{}", design->feature_count())}});
  }
  if (const auto& column = options.files.format.columns.confidence) {
    result.conditions += ", with confidences";
    result.settings.emplace_back("confidence", json_string(*column));
  }
  if (options.files.groups)
    result.settings.emplace_back("groups", json_string(*options.files.groups));
  if (differing) append(result.settings, crowd_settings(options.crowd, *differing));
  return result;
}

Result<math::LogisticMethod> read_update(const ReplayOptions& options, bool differ) {
  using math::LogisticMethod;
  if (options.feature_update && (!options.features.features || differ)) {
    return invalid(
        "--feature-update needs a model of features alone; expected --features and --workers "
        "ignore with it");
  }
  return read_choice<LogisticMethod>(
      "--feature-update", options.feature_update.value_or(kFeatureUpdate),
      {{kFeatureUpdate, LogisticMethod::laplace}, {"variational", LogisticMethod::variational}});
}

Result<bool> read_differ(const ReplayOptions& options) {
  return read_choice<bool>("--workers", options.workers, {{"differ", true}, {"ignore", false}});
}

/// Refuses what can be refused before any file is read.
Result<void> check_request(const ReplayOptions& options) {
  const bool differ = TRY(read_differ(options));
  if (const auto given = options.crowd.given(); given && !differ) {
    return invalid("{} cannot be combined with --workers ignore; expected workers who differ",
                   *given);
  }
  if (options.files.groups && !differ) {
    return invalid(
        "--groups cannot be combined with --workers ignore; expected workers who differ");
  }
  if (options.files.format.columns.confidence && !differ) {
    return invalid(
        "--confidence-column cannot be combined with --workers ignore; expected workers who "
        "differ");
  }
  TRY(read_update(options, differ));
  if (!options.files.has_truth() && !options.run.calibration.empty()) {
    return invalid("--calibration {} needs a truth; expected --truth FILE with it",
                   in_quotes(options.run.calibration.front()));
  }
  TRY(check_features(options.features));
  TRY(read_feature_variance(options.features));
  if (TRY(read_label_rules(options.files)).duplicates != io::Duplicates::all) return {};
  return invalid(
      "--duplicates 'all' is for answers only, since a replay asks a worker about an "
      "item once; expected error, first, last or majority");
}

Result<Output> replay_files(const ReplayOptions& options) {
  std::vector<std::string> reads{options.files.labels};
  for (const auto* path : {&options.files.truth, &options.files.groups, &options.features.features,
                           &options.run.price}) {
    if (*path) reads.push_back(**path);
  }
  const auto format = TRY(read_output(options.run, reads));
  TRY(check_request(options));
  const auto rules = TRY(read_label_rules(options.files));
  ReplayInput input{TRY(read_label_files(options.files, rules, options.features)), {}};
  if (options.crowd.ordered) add_order_note(options.files, input.files);
  input.prices = TRY(read_price_file(options));
  const std::vector<std::string> notes = input.files.notes;
  Progress progress;
  const ProgressBar bar("replaying", progress);
  const auto comparison = TRY(replay(options, std::move(input), {}, progress));
  auto output = comparison_output(comparison, format, options.run.plot);
  output.notes.insert(output.notes.begin(), notes.begin(), notes.end());
  return output;
}

}  // namespace

void add_replay_options(Command& command, ReplayOptions& options) {
  command.require("--labels", &options.files.labels, "FILE", kLabelsMeaning);
  command.add("--truth", &options.files.truth, "FILE",
              std::string(kTruthMeaning) +
                  "; without it, replays report agreement with the answers from all labels");
  add_truth_column(command, options.files);
  add_group_option(command, options.files);
  add_confidence_option(command, options.files);
  add_feature_options(command, options.features);
  command.add("--feature-update", &options.feature_update, "WAY",
              "With features and `--workers ignore`, how a label moves the model: `laplace` or "
              "`variational`",
              fmt::format("`{}`", kFeatureUpdate));
  command.add("--workers", &options.workers, "HOW",
              "`differ`, or `ignore`: all are alike, and an item gets any of its unused labels");
  add_label_options(command, options.files);
  command.add("--budget", &options.budget, "B",
              "Labels to buy, such as `500`, `4x` per item or `40%` of all; a list or a range "
              "compares several",
              fmt::format("`{}`", kReplayShares));
  add_item_prior(command, options.run);
  add_policies(command, options.run.policies, default_policies_text());
  add_crowd_options(command, options.crowd, kReplayRefit);
  add_run_options(command, options.run);
  add_price_options(command, options.run, "P|FILE",
                    "Price of a label, or a file with one row per worker; budgets are then money");
}

Result<Comparison> replay(const ReplayOptions& options, ReplayInput input, const Plugins& plugins,
                          Progress& progress) {
  TRY(check_request(options));
  const bool differ = TRY(read_differ(options));
  const auto tape = TRY(make_tape(options, std::move(input)));
  const ItemKind& items = tape.items;
  const RunFlags& run = options.run;
  const Workers workers =
      differ ? Workers(TRY(read_differing(options.crowd, run.prior, kReplayRefit, items, plugins)))
             : Workers(TRY(read_alike(run, items, TRY(read_update(options, differ)))));
  auto experiment = TRY(read_experiment(run, workers, plugins));
  experiment.world = tape.recording;
  experiment.prices = tape.prices;
  experiment.stop = TRY(read_stop(run, items.is_yes_no()));
  return compare(run, experiment, comparison(options, tape, experiment), progress);
}

Command replay_command() {
  return make_command(
      "replay", "Compare policies on recorded labels", replay_files, add_replay_options,
      {"Budgets: `500` labels, `4x` per item, `40%` of the recorded labels, lists `2x,5x,10x`, "
       "ranges `2x..20x` or `100..500:50`. With prices budgets are money: `12.50`, lists, ranges, "
       "and `40%` of what all labels cost.",
       "Without a truth, the answers that `pooled` gives from all labels take its place: the table "
       "shows agreement with them.",
       kDistributionNote, kStopNote},
      {"allot replay --labels labels.csv --truth truth.csv --budget 20%,40% --plot replay.svg"});
}

}  // namespace allot::cli
