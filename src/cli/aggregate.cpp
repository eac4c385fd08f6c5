#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include "allot/aggregate/registry.hpp"
#include "allot/base/text.hpp"
#include "allot/io/answer_shapes.hpp"
#include "allot/io/distribution_text.hpp"
#include "allot/model/best_class.hpp"
#include "base/errors.hpp"
#include "cli/aggregate_report.hpp"
#include "cli/aggregate_warnings.hpp"
#include "cli/agreement.hpp"
#include "cli/commands.hpp"
#include "cli/copies.hpp"
#include "cli/label_files.hpp"
#include "cli/learned_notes.hpp"

namespace allot::cli {
namespace {

using aggregate::MethodOptions;

constexpr const char* kMethod = "pooled";
/// The shape of answers with all that allot knows.
constexpr const char* kOwnShape = "csv";

struct AggregateOptions {
  LabelFlags files;
  FeatureFlags features;
  std::vector<std::string> methods;
  std::optional<std::string> output;  // "-" is standard output
  std::optional<std::string> workers_output;
  std::optional<std::string> tables_output;
  std::string to = kOwnShape;
  std::optional<std::string> prior;
  std::optional<std::string> shares;
  std::optional<std::string> seed;
  std::optional<std::string> iterations;
  std::optional<std::string> tolerance;
  bool ordered = false;
  bool agreement = false;
  AgreementFlags agreement_flags;
  bool copies = false;
  CopiesFlags copies_flags;
  std::optional<std::string> format;

  /// Whether answers are printed because nothing else is asked for.
  bool only_answers() const {
    const bool elsewhere = output || workers_output || tables_output;
    const bool compares = read_names(methods).size() > 1 || files.has_truth() || files.known;
    return !elsewhere && !format && (to != kOwnShape || !compares);
  }
};

/// Refuses an option that no chosen method uses.
Result<void> check_use(std::string_view option, const std::optional<std::string>& value,
                       const std::vector<std::string>& chosen,
                       const std::vector<std::string_view>& users) {
  const auto used = [&](const std::string& name) {
    return std::ranges::find(users, name) != users.end();
  };
  if (!value || std::ranges::any_of(chosen, used)) return {};
  return invalid("{} {} has no effect on {}; expected --method {} with it", option,
                 in_quotes(*value), fmt::join(chosen, ", "), fmt::join(users, " or "));
}

Result<void> check_uses(const AggregateOptions& options, const std::vector<std::string>& chosen) {
  TRY(check_use("--features", options.features.features, chosen, {"pooled", "contextual"}));
  TRY(check_use("--prior", options.prior, chosen, {"posterior"}));
  TRY(check_use("--shares", options.shares, chosen, {"pooled"}));
  TRY(check_use("--known", options.files.known, chosen,
                {"pooled", "majority", "posterior", "one-coin", "dawid-skene", "contextual"}));
  TRY(check_use("--groups", options.files.groups, chosen, {"pooled"}));
  TRY(check_use("--confidence-column", options.files.format.columns.confidence, chosen,
                {"pooled"}));
  TRY(check_use("--seed", options.seed, chosen, {"kos"}));
  TRY(check_use("--iterations", options.iterations, chosen,
                {"one-coin", "dawid-skene", "contextual", "kos"}));
  if (options.ordered && std::ranges::find(chosen, "pooled") == chosen.end()) {
    return invalid("--ordered has no effect on {}; expected --method pooled with it",
                   fmt::join(chosen, ", "));
  }
  return check_use("--tolerance", options.tolerance, chosen,
                   {"one-coin", "dawid-skene", "contextual"});
}

/// Labels are expensive: refuses to overwrite a file that is read.
Result<void> check_inputs_stay(const AggregateOptions& options) {
  const std::array outputs{std::pair{"--output", &options.output},
                           std::pair{"--workers-output", &options.workers_output},
                           std::pair{"--tables-output", &options.tables_output},
                           std::pair{"--pairs-output", &options.agreement_flags.pairs_output},
                           std::pair{"--groups-output", &options.copies_flags.groups_output}};
  const LabelFlags& files = options.files;
  for (const auto& [option, path] : outputs) {
    if (!*path || **path == "-") continue;
    const auto is = [&](const std::optional<std::string>& read) {
      return read && same_file(**path, *read);
    };
    const bool reads_it = is(files.labels) || is(files.truth) || is(files.known) ||
                          is(files.groups) || is(options.features.features);
    if (!reads_it) continue;
    return invalid("{} {} would overwrite a file that is read; expected another one", option,
                   in_quotes(**path));
  }
  return {};
}

Result<void> check_shape(const AggregateOptions& options) {
  std::vector<std::string_view> names{kOwnShape};
  for (const io::AnswerShape& shape : io::answer_shapes()) names.push_back(shape.name);
  if (std::ranges::find(names, options.to) == names.end()) {
    return invalid("--to {}{}; expected {}", in_quotes(options.to), suggestion(options.to, names),
                   fmt::join(names, ", "));
  }
  if (options.to == kOwnShape || options.output || options.only_answers()) return {};
  return invalid("--to {} has no effect without answers; expected --output FILE with it",
                 in_quotes(options.to));
}

/// Checks that there is one method for files, and one file at most on standard output.
Result<void> check_outputs(const AggregateOptions& options, std::size_t methods) {
  const std::array outputs{std::pair{"--output", options.output},
                           std::pair{"--workers-output", options.workers_output},
                           std::pair{"--tables-output", options.tables_output}};
  TRY(check_shape(options));
  if (methods > 1 && options.only_answers()) {
    return invalid("--to {} needs a single method, but --method names {}; expected one of them",
                   in_quotes(options.to), methods);
  }
  for (std::size_t n = 0; n < outputs.size(); ++n) {
    const auto& [option, path] = outputs[n];
    if (!path) continue;
    if (methods > 1) {
      return invalid("{} {} needs a single method, but --method names {}; expected one of them",
                     option, in_quotes(*path), methods);
    }
    for (std::size_t other = n + 1; other < outputs.size(); ++other) {
      if (path != outputs[other].second) continue;
      return invalid("{} and {} are both {}; expected two files", option, outputs[other].first,
                     in_quotes(*path));
    }
  }
  TRY(check_inputs_stay(options));
  for (const auto& [option, path] : outputs) TRY(check_writable(option, path));
  return {};
}

/// Reads the options that do not depend on the labels.
Result<MethodOptions> read_method_options(const AggregateOptions& options) {
  MethodOptions result;
  if (options.seed) result.kos.seed = TRY(read_whole("--seed", *options.seed, 0, UINT64_MAX));
  if (options.iterations) {
    result.em.most_iterations =
        TRY(read_whole<std::uint32_t>("--iterations", *options.iterations, 1, 1'000'000));
    result.kos.rounds = result.em.most_iterations;
  }
  if (options.tolerance) {
    result.em.tolerance =
        TRY(read_number("--tolerance", *options.tolerance, 0, std::numeric_limits<double>::max(),
                        "a number from 0 on"));
  }
  result.pooled.weight_variance = TRY(read_feature_variance(options.features));
  result.contextual.weight_variance = result.pooled.weight_variance.value_or(0);
  result.pooled.ordered = options.ordered;
  result.contextual.most_iterations = result.em.most_iterations;
  result.contextual.tolerance = result.em.tolerance;
  return result;
}

/// Reads the prior, whose form depends on the number of classes.
Result<void> read_prior(const std::string& text, std::uint32_t class_count,
                        MethodOptions& options) {
  if (class_count < 2) return {};  // the method `posterior` refuses it
  if (class_count == 2) {
    options.prior = TRY(in_option("--prior", io::parse_prior(text)));
  } else {
    options.class_prior = TRY(in_option("--prior", io::parse_dirichlet_prior(text, class_count)));
  }
  return {};
}

/// Reads numbers such as "95,5", one per class in their order, and scales them to sum to 1.
Result<std::vector<double>> read_shares(const std::string& text,
                                        const std::vector<std::string>& classes) {
  std::vector<double> shares;
  for (const std::string_view number : split(text, ',')) {
    shares.push_back(TRY(read_number("--shares", std::string(trim(number)), 1e-9, 1e9,
                                     "numbers from 1e-9 to 1e9, joined by commas")));
  }
  if (shares.size() != classes.size()) {
    return invalid(
        "--shares {} has {}, but there are {} classes; expected one per class, in the "
        "order {}",
        in_quotes(text), count_text(shares.size(), "number"), classes.size(),
        fmt::join(classes, ", "));
  }
  const double all = std::accumulate(shares.begin(), shares.end(), 0.0);
  for (double& share : shares) share /= all;
  return shares;
}

/// Refuses what can be refused before any file is read.
Result<void> check_request(const AggregateOptions& options, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    TRY(in_option("--method", aggregate::check_method_name(name)));
    // Without features, this says what is missing; with features, the design is read later.
    if (name != "contextual" || options.features.features) continue;
    TRY(in_option("--method", aggregate::make_method(name)));
  }
  TRY(check_features(options.features));
  TRY(check_uses(options, names));
  if (options.prior) TRY(in_option("--prior", io::check_prior(*options.prior)));
  return check_outputs(options, names.size());
}

/// Sets the truths of items without a label apart: they have no answer that a truth could judge.
void set_unlabelled_apart(AggregateReport& report) {
  if (!report.truth) return;
  const std::vector<std::uint32_t> counts = label_counts(report.file);
  report.unlabelled_truth.resize(counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0 || !report.truth->of_item[i]) continue;
    report.unlabelled_truth[i] = std::exchange(report.truth->of_item[i], std::nullopt);
    --report.truth->known;
  }
}

Result<AggregateReport> make_report(const AggregateOptions& options) {
  std::vector<std::string> names = read_names(options.methods);
  if (options.methods.empty()) names = {kMethod};
  auto how = TRY(read_method_options(options));
  const auto rules = TRY(read_label_rules(options.files));
  TRY(check_request(options, names));
  LabelFlags flags = options.files;
  flags.keep_text = options.to != kOwnShape;
  auto files = TRY(read_label_files(flags, rules, options.features));
  if (options.ordered) add_order_note(flags, files);
  how.design = files.design;
  how.pooled.groups = std::move(files.groups.of_worker);
  if (options.prior) TRY(read_prior(*options.prior, files.labels.set.class_count, how));
  if (options.shares) how.pooled.shares = TRY(read_shares(*options.shares, files.labels.classes));
  AggregateReport report{.file = std::move(files.labels),
                         .truth = std::move(files.truth),
                         .known = std::move(files.known),
                         .notes = std::move(files.notes),
                         .text = std::move(files.text),
                         .groups = std::move(files.groups.names)};
  set_unlabelled_apart(report);
  if (report.file.classes.size() == 1) {
    report.notes.push_back(
        fmt::format("every label is {}, and so is every answer; --classes names other classes",
                    in_quotes(report.file.classes.front())));
  }
  for (const std::string& name : names) {
    auto aggregation = TRY(aggregate::make_method(name, how).value()(report.file.set));
    auto calibrated =
        report.known ? calibrate(report.file, aggregation.answers, *report.known) : std::nullopt;
    const auto by_features = TRY(decided_by_features(report.file.set, name, how, aggregation));
    report.results.push_back({name, std::move(aggregation), std::move(calibrated), by_features});
  }
  report.doubts = contradictions(report, how);
  if (options.files.duplicates != "all") {
    std::ranges::move(shared_error_warnings(report.file, how.pooled.groups),
                      std::back_inserter(report.doubts));
  }
  return report;
}

/// The answers in the shape that is asked for.
Result<std::string> answers_text(const AggregateReport& report, const AggregateOptions& options) {
  const MethodResult& first = report.results.front();
  if (options.to == kOwnShape) return answers_csv(report.file, first, options.ordered);
  const std::vector<double> confidence = confidence_of(first);
  const std::vector<std::uint32_t> counts = label_counts(report.file);
  std::vector<std::optional<ClassId>> answers(counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (counts[i] > 0) answers[i] = first.aggregation.answers.answers[i];
  std::vector<double> ranks;
  for (std::uint32_t i = 0; options.ordered && i < counts.size(); ++i)
    ranks.push_back(model::expected_rank(first.aggregation.answers.of(ItemId{i})));
  return io::shape_answers(options.to, {report.file, answers, confidence, first.name, ranks},
                           report.text, options.files.format.columns);
}

/// The summary, or the file that replaces it on standard output.
Result<Output> output_of(const AggregateReport& report, const AggregateOptions& options,
                         Format format) {
  Output output{summary_text(report, format), {}, report.notes};
  bool shows_warnings = format != Format::csv && !options.only_answers();
  const auto add = [&](const std::optional<std::string>& path, std::string text) {
    if (*path == "-") {
      output.text = std::move(text);
      shows_warnings = false;
    } else {
      output.files.push_back({*path, std::move(text)});
    }
  };
  const MethodResult& first = report.results.front();
  if (options.only_answers()) {
    output.text = TRY(answers_text(report, options));
    append_notes(report, output.notes);
  }
  if (options.output) add(options.output, TRY(answers_text(report, options)));
  if (options.workers_output)
    add(options.workers_output, workers_csv(report.file, first.aggregation));
  if (options.tables_output) add(options.tables_output, TRY(tables_csv(report.file, first)));
  if (!shows_warnings) std::ranges::move(warnings(report), std::back_inserter(output.notes));
  return output;
}

/// Refuses options about answers beside a report that prints none.
Result<void> check_no_answers(const AggregateOptions& options, std::string_view report) {
  const auto given = [](const std::optional<std::string>& text) { return text.has_value(); };
  const FeatureFlags& features = options.features;
  const std::array unused{std::pair{"--method", !options.methods.empty()},
                          std::pair{"--truth", given(options.files.truth)},
                          std::pair{"--known", given(options.files.known)},
                          std::pair{"--groups", given(options.files.groups)},
                          std::pair{"--features", given(features.features)},
                          std::pair{"--no-standardise", features.no_standardise},
                          std::pair{"--no-intercept", features.no_intercept},
                          std::pair{"--feature-variance", given(features.variance)},
                          std::pair{"--output", given(options.output)},
                          std::pair{"--workers-output", given(options.workers_output)},
                          std::pair{"--tables-output", given(options.tables_output)},
                          std::pair{"--to", options.to != kOwnShape},
                          std::pair{"--truth-column", given(options.files.truth_column)},
                          std::pair{"--duplicates all", options.files.duplicates == "all"},
                          std::pair{"--prior", given(options.prior)},
                          std::pair{"--shares", given(options.shares)},
                          std::pair{"--iterations", given(options.iterations)},
                          std::pair{"--tolerance", given(options.tolerance)}};
  for (const auto& [name, is_given] : unused) {
    if (!is_given) continue;
    return invalid("{} has no effect on {}, which prints no answers; expected one of them", name,
                   report);
  }
  return check_inputs_stay(options);
}

/// Refuses options about a report that is not asked for.
Result<void> check_reports(const AggregateOptions& options) {
  if (options.agreement && options.copies) {
    return invalid("--agreement and --copies are two reports; expected one of them");
  }
  struct Use {
    const char* name;
    const std::optional<std::string>* value;
    bool is_used;
    const char* report;
  };
  const AgreementFlags& flags = options.agreement_flags;
  const CopiesFlags& copies = options.copies_flags;
  const bool agreement = options.agreement;
  for (const Use& use :
       {Use{"--resamples", &flags.resamples, agreement, "--agreement"},
        Use{"--confidence", &flags.confidence, agreement, "--agreement"},
        Use{"--least-shared", &flags.least_shared, agreement || options.copies, "--agreement"},
        Use{"--pairs-output", &flags.pairs_output, agreement, "--agreement"},
        Use{"--false-alarms", &copies.false_alarms, options.copies, "--copies"},
        Use{"--groups-output", &copies.groups_output, options.copies, "--copies"}}) {
    if (!*use.value || use.is_used) continue;
    return invalid("{} {} has no effect on answers; expected {} with it", use.name,
                   in_quotes(**use.value), use.report);
  }
  return {};
}

/// Workers who agree more than independent ones would, and the file of their groups.
Result<Output> copies_of(const AggregateOptions& options, Format format) {
  TRY(check_no_answers(options, "--copies"));
  const auto how =
      TRY(read_copies_options(options.copies_flags, options.agreement_flags.least_shared));
  const auto rules = TRY(read_label_rules(options.files));
  const auto files = TRY(read_label_files(options.files, rules, options.features));
  const auto found = TRY(aggregate::find_shared_errors(files.labels.set, how));
  Output output{
      copies_text(heading(files.labels), files.labels, found, how, format), {}, files.notes};
  const auto& path = options.copies_flags.groups_output;
  if (path) add_pairs(output, *path, copies_groups_csv(files.labels, found));
  return output;
}

/// Agreement of the workers, and the file of their pairs.
Result<Output> agreement_of(const AggregateOptions& options, Format format) {
  TRY(check_no_answers(options, "--agreement"));
  auto how = TRY(read_agreement_options(options.agreement_flags, options.ordered));
  if (options.seed) how.seed = TRY(read_whole("--seed", *options.seed, 0, UINT64_MAX));
  const auto rules = TRY(read_label_rules(options.files));
  const auto files = TRY(read_label_files(options.files, rules, options.features));
  const io::LabelFile& file = files.labels;
  AgreementReport report{how, aggregate::measure_agreement(file.set, how), heading(file), {}};
  report.warning = spread_warning(report.agreement);
  Output output{agreement_text(report, format), {}, files.notes};
  const auto& path = options.agreement_flags.pairs_output;
  if (path) add_pairs(output, *path, pairs_csv(file.set, file.workers, how));
  return output;
}

Result<Output> aggregate(const AggregateOptions& options) {
  const auto format = TRY(read_format(options.format.value_or("table")));
  TRY(check_reports(options));
  if (options.agreement) return agreement_of(options, format);
  if (options.copies) return copies_of(options, format);
  return output_of(TRY(make_report(options)), options, format);
}

void add_options(Command& command, AggregateOptions& options) {
  command.require("LABELS", &options.files.labels, kLabelsMeaning);
  command.add("--method", &options.methods, "NAME,...",
              "Method; several, joined by commas, are compared", fmt::format("`{}`", kMethod));
  command.add("--truth", &options.files.truth, "FILE",
              std::string(kTruthMeaning) + "; also prints the accuracy");
  add_truth_column(command, options.files);
  command.add("--known", &options.files.known, "FILE",
              "Answers that were checked: item, truth. Calibrates the probabilities by them");
  add_group_option(command, options.files);
  add_confidence_option(command, options.files);
  add_feature_options(command, options.features);
  command.add("--output", &options.output, "FILE", "Write the answers; `-` prints them");
  std::string shapes;
  for (const io::AnswerShape& shape : io::answer_shapes())
    shapes += fmt::format(", `{}`", shape.name);
  command.add("--to", &options.to, "SHAPE",
              fmt::format("Shape of the answers: `{}`{}", kOwnShape, shapes));
  command.add("--workers-output", &options.workers_output, "FILE",
              "Write what was learned about workers as CSV; `-` prints it");
  command.add("--tables-output", &options.tables_output, "FILE",
              "Write the workers' confusion tables as CSV, one row per cell; `-` prints them");
  add_label_options(command, options.files);
  const MethodOptions defaults;
  command.add("--prior", &options.prior, "D", "For `posterior`: belief about every item",
              "`uniform`");
  command.add(
      "--shares", &options.shares, "X,...",
      "For `pooled`: shares of the classes in their order, such as `95,5`, if you know them",
      "even, or those of the labels where these are far from even");
  command.add("--seed", &options.seed, "N",
              "Seed of the first messages of `kos`, or of the resamples of `--agreement`",
              fmt::format("{}", defaults.kos.seed));
  command.add("--iterations", &options.iterations, "N",
              "Most iterations of `one-coin`, `dawid-skene`, `contextual` and `kos`",
              fmt::format("{}; `kos`: {}", defaults.em.most_iterations, defaults.kos.rounds));
  command.add("--tolerance", &options.tolerance, "X",
              "`one-coin`, `dawid-skene` and `contextual` stop when no probability moves by more",
              fmt::format("{}", defaults.em.tolerance));
  command.add("--ordered", &options.ordered,
              "Classes have an order, as grades do: `pooled` gives an expected rank, `--agreement` "
              "ordinal forms");
  command.add("--agreement", &options.agreement,
              "Print how far workers agree with each other instead of answers");
  add_agreement_options(command, options.agreement_flags, "For `--agreement`: ");
  command.add("--copies", &options.copies,
              "Print pairs of workers who agree more than independent workers would, as copies and "
              "shared accounts do");
  add_copies_options(command, options.copies_flags);
  command.add("--format", &options.format, "F",
              "Print a summary of the methods instead of answers: `table`, `csv` or `json`",
              "`table`, if there is more to print than answers");
}

}  // namespace

Command aggregate_command() {
  return make_command(
      "aggregate", "Turn a file of labels into answers", aggregate, add_options,
      {"Methods: `pooled`, `majority`, `posterior`, `one-coin`, `dawid-skene`, `kos` and "
       "`contextual`, which needs --features.",
       kDistributionNote},
      {"allot aggregate labels.csv > answers.csv",
       "allot aggregate export.json --to label-studio > predictions.json",
       "allot aggregate labels.csv --method majority,dawid-skene --truth truth.csv",
       "allot aggregate labels.csv --agreement"});
}

}  // namespace allot::cli
