#include "cli/label_files.hpp"

#include <algorithm>
#include <array>
#include <tuple>

#include "allot/io/feature_csv.hpp"
#include "allot/io/label_formats.hpp"
#include "allot/io/text_file.hpp"
#include "base/errors.hpp"
#include "cli/options.hpp"

namespace allot::cli {
namespace {

/// Classes that no label has.
std::vector<std::string> unused_classes(const io::LabelFile& labels) {
  std::vector<bool> used(labels.classes.size());
  for (const model::GivenLabel& given : labels.set.labels) used[position(given.label)] = true;
  std::vector<std::string> unused;
  for (std::size_t c = 0; c < used.size(); ++c) {
    if (!used[c]) unused.push_back(labels.classes[c]);
  }
  return unused;
}

/// Whether the labels look like free texts or ids rather than classes.
bool has_many_classes(const io::LabelFile& labels) {
  constexpr std::size_t kMany = 100;
  return labels.classes.size() >= kMany && labels.classes.size() > labels.set.labels.size() / 2;
}

/// Says which classes of the labels come after those that --classes names.
void add_class_notes(const io::LabelReading& rules, LabelFiles& files) {
  const std::vector<std::string>& all = files.labels.classes;
  if (rules.classes.empty() || all.size() == rules.classes.size()) return;
  const std::vector<std::string> others(
      all.begin() + static_cast<std::ptrdiff_t>(rules.classes.size()), all.end());
  files.notes.push_back(fmt::format("--classes does not name {}; the order has {} at the end",
                                    some_in_quotes(others), others.size() == 1 ? "it" : "them"));
}

/// Warns about labels that were left out, classes that differ only in spelling, and named ones that
/// no label has.
void add_label_notes(const std::string& name, LabelFiles& files) {
  if (const std::string left_out = left_out_text(files.labels.left_out, files.labels.lost_items);
      !left_out.empty())
    files.notes.push_back(fmt::format("{}: {}", name, left_out));
  if (has_many_classes(files.labels)) {
    files.notes.push_back(
        fmt::format("{}: {} have {} different classes, such as {}; is --label-column another one?",
                    name, count_text(files.labels.set.labels.size(), "label"),
                    files.labels.classes.size(), in_quotes(files.labels.classes.front())));
  }
  constexpr std::size_t kMost = 4;
  const auto& groups = files.labels.doubtful;
  for (std::size_t n = 0; n < std::min(kMost, groups.size()); ++n) {
    files.notes.push_back(fmt::format(
        "{}: {} count as different classes; write them the same way if they are the same class",
        name, some_in_quotes(groups[n])));
  }
  if (groups.size() > kMost) {
    files.notes.push_back(
        fmt::format("{}: ... and {} more", name, count_text(groups.size() - kMost, "such group")));
  }
  const std::vector<std::string> unused = unused_classes(files.labels);
  if (!unused.empty()) {
    files.notes.push_back(
        fmt::format("{}: no label is {}, which --classes names", name, some_in_quotes(unused)));
  }
}

/// Warns about a truth of other items, and about classes that only the truth has.
void add_truth_notes(const std::string& name, const io::Truth& truth, LabelFiles& files) {
  if (truth.known == 0)
    files.notes.push_back(fmt::format("{}: no item with a label has a truth here", name));
  if (!truth.matched.empty()) {
    constexpr std::size_t kMost = 4;
    std::vector<std::string> list;
    for (std::size_t i = 0; i < std::min(kMost, truth.matched.size()); ++i) {
      const auto& [written, meant] = truth.matched[i];
      list.push_back(fmt::format("{} for {}", in_quotes(written), in_quotes(meant)));
    }
    files.notes.push_back(
        fmt::format("{}: truths match classes that the labels spell differently: {}{}", name,
                    fmt::join(list, ", "), truth.matched.size() > kMost ? ", ..." : ""));
  }
  if (truth.foreign_items > 0) {
    files.notes.push_back(
        fmt::format("{}: no label is {}; answers to {} with that truth count as wrong", name,
                    some_in_quotes(truth.foreign), count_text(truth.foreign_items, "item")));
  }
}

/// Reads the features; adds items without labels at the end of the labels.
Result<void> read_design(const FeatureFlags& flags, LabelFiles& files) {
  const std::string& path = *flags.features;
  const auto text = TRY(in_option("--features", io::read_text_file(path)));
  const auto file = TRY(in_file(path, io::parse_features(text, files.labels)));
  auto design = TRY(
      in_file(path, model::prepare(file.features, {!flags.no_standardise, !flags.no_intercept})));
  io::append_items(files.labels, file.unlabelled);
  if (const std::string note = design.note(); !note.empty())
    files.notes.push_back(fmt::format("{}: {}", file_name(path), note));
  files.design = std::make_shared<const model::Design>(std::move(design));
  return {};
}

/// Reads a file of truths, if one is named.
Result<std::optional<io::Truth>> read_truth(std::string_view option,
                                            const std::optional<std::string>& path,
                                            const io::TruthColumns& columns, LabelFiles& files) {
  if (!path) return std::nullopt;
  const auto text = TRY(in_option(option, io::read_text_file(*path)));
  auto truth = TRY(in_file(*path, io::parse_truth(text, files.labels, columns)));
  add_truth_notes(file_name(*path), truth, files);
  return truth;
}

/// Reads the groups of the workers; refuses a file that names none of them.
Result<io::WorkerGroups> read_groups(const LabelFlags& flags, const io::LabelFile& labels) {
  if (!flags.groups) return io::WorkerGroups();
  const auto text = TRY(in_option("--groups", io::read_text_file(*flags.groups)));
  auto groups = TRY(in_file(*flags.groups, io::parse_groups(text, labels.workers)));
  if (!groups.names.empty()) return groups;
  return invalid("--groups {} has no group of a worker of {}; expected rows worker, group",
                 in_quotes(*flags.groups), file_name(flags.labels));
}

/// Refuses known answers to other items, and warns if some are.
Result<void> check_known(const LabelFlags& flags, LabelFiles& files) {
  if (!files.known || files.known->elsewhere == 0) return {};
  const std::string others = count_text(files.known->elsewhere, "item");
  if (files.known->known == 0) {
    return invalid("--known {}: none of its {} is in {}; expected items that have labels",
                   file_name(*flags.known), others, file_name(flags.labels));
  }
  files.notes.push_back(fmt::format("{}: {} without a label in {} left out",
                                    file_name(*flags.known), others, file_name(flags.labels)));
  return {};
}

/// Reads the truth from its file, or from the labels' file.
Result<std::optional<io::Truth>> read_truth(const LabelFlags& flags, std::string_view labels_text,
                                            LabelFiles& files) {
  const io::TruthColumns columns{flags.format.columns.item, flags.truth_column};
  if (flags.truth || !flags.truth_column) return read_truth("--truth", flags.truth, columns, files);
  auto truth = TRY(in_file(flags.labels, io::parse_truth(labels_text, files.labels, columns)));
  add_truth_notes(file_name(flags.labels), truth, files);
  return truth;
}

Result<void> check_standard_input(const LabelFlags& flags, const FeatureFlags& features) {
  std::string_view holder = flags.labels == "-" ? "the labels" : "";
  const std::array others{std::tuple{"--features", "the features", &features.features},
                          std::tuple{"--truth", "the truth", &flags.truth},
                          std::tuple{"--known", "the known answers", &flags.known},
                          std::tuple{"--groups", "the groups", &flags.groups}};
  for (const auto& [option, content, path] : others) {
    if (*path != "-") continue;
    if (!holder.empty()) {
      return invalid("{} '-' is standard input, which has {}; expected another file", option,
                     holder);
    }
    holder = content;
  }
  return {};
}

}  // namespace

const char* FormatFlags::given() const {
  return from             ? "--from"
         : columns.item   ? "--item-column"
         : columns.worker ? "--worker-column"
         : columns.label  ? "--label-column"
         : keep_rejected  ? "--keep-rejected"
                          : nullptr;
}

void add_format_options(Command& command, FormatFlags& flags) {
  command.add("--from", &flags.from, "FORMAT", "Format of the labels; `allot formats` lists them",
              "recognised by the content");
  command.add("--item-column", &flags.columns.item, "COLUMN", "Column of the item",
              "`item`, `task` and the like");
  command.add("--worker-column", &flags.columns.worker, "COLUMN", "Column of the worker",
              "`worker`, `annotator` and the like");
  command.add("--label-column", &flags.columns.label, "COLUMN",
              "Column of the label; of check boxes all, joined by commas",
              "`label`, `answer` and the like");
  command.add("--keep-rejected", &flags.keep_rejected,
              "Use the labels of rejected assignments too");
}

void add_group_option(Command& command, LabelFlags& flags) {
  command.add("--groups", &flags.groups, "FILE",
              "Workers who err together, such as language models of one family: worker, group",
              "every worker is alone");
}

void add_confidence_option(Command& command, LabelFlags& flags) {
  command.add("--confidence-column", &flags.format.columns.confidence, "COLUMN",
              "Column of how sure the worker is of the label, on any scale; what it means is "
              "learned",
              "none");
}

void add_truth_column(Command& command, LabelFlags& flags) {
  command.add("--truth-column", &flags.truth_column, "COLUMN",
              "Column of the truth, in the file of `--truth`, else in that of the labels",
              "`truth`, `gold` and the like, with `--truth`");
}

void add_label_options(Command& command, LabelFlags& flags) {
  add_format_options(command, flags.format);
  command.add(
      "--duplicates", &flags.duplicates, "RULE",
      "If a worker labels an item again: `error`, keep the `first` or `last` label, that of "
      "the `majority`, or `all`");
  command.add("--classes", &flags.classes, "NAME,...",
              "Classes in their order, such as `no,yes`; they exist even if no label has them",
              "those of the labels");
}

void add_feature_options(Command& command, FeatureFlags& flags) {
  command.add("--features", &flags.features, "FILE",
              "Features of items: one row per item, one number in each other column");
  command.add("--no-standardise", &flags.no_standardise,
              "Use features as they are, not scaled to mean 0 and standard deviation 1");
  command.add("--no-intercept", &flags.no_intercept,
              "Leave out the feature that is 1 for every item");
  command.add("--feature-variance", &flags.variance, "V",
              "Prior variance of the weight of every feature",
              "learned; 1 / number of features for `contextual` and for workers who are alike");
}

Result<void> check_features(const FeatureFlags& flags) {
  if (flags.features) return {};
  const char* const useless = flags.no_standardise ? "--no-standardise"
                              : flags.no_intercept ? "--no-intercept"
                              : flags.variance     ? "--feature-variance"
                                                   : nullptr;
  if (!useless) return {};
  return invalid("{} has no effect without features; expected --features FILE with it", useless);
}

Result<std::optional<double>> read_feature_variance(const FeatureFlags& flags) {
  if (!flags.variance) return std::nullopt;
  return read_number("--feature-variance", *flags.variance, 1e-9, 1e9, "a number from 1e-9 to 1e9");
}

std::string left_out_text(const io::LeftOutLabels& left_out, std::uint64_t lost_items) {
  const std::array parts{std::pair{left_out.rejected, "rejected (--keep-rejected uses them)"},
                         std::pair{left_out.missing, "missing (empty, NA, nan)"},
                         std::pair{left_out.skipped, "skipped by the worker"},
                         std::pair{left_out.ambiguous, "with several classes at once"},
                         std::pair{left_out.truths, "marked as ground truth (--truth reads them)"}};
  std::vector<std::string> texts;
  for (const auto& [count, what] : parts)
    if (count > 0) texts.push_back(fmt::format("{} {}", count, what));
  const std::string lost =
      lost_items == 0
          ? ""
          : fmt::format("{} no {}label", count_text(lost_items, "item has", "items have"),
                        texts.empty() ? "" : "other ");
  if (texts.empty()) return lost;
  return fmt::format("left out {}: {}{}{}", count_text(left_out.total(), "label"),
                     fmt::join(texts, ", "), lost.empty() ? "" : "; ", lost);
}

Result<io::LabelReading> read_format_rules(const FormatFlags& flags) {
  io::LabelReading reading{.columns = flags.columns, .keep_rejected = flags.keep_rejected};
  if (flags.from) {
    TRY(in_option("--from", io::label_format(*flags.from)));
    reading.format = *flags.from;
  }
  return reading;
}

Result<io::LabelReading> read_label_rules(const LabelFlags& flags) {
  using enum io::Duplicates;
  auto rules = TRY(read_format_rules(flags.format));
  rules.duplicates = TRY(read_choice<io::Duplicates>(
      "--duplicates", flags.duplicates,
      {{"error", error}, {"first", first}, {"last", last}, {"majority", majority}, {"all", all}}));
  rules.classes = read_names(flags.classes);
  if (rules.classes.size() < read_all_names(flags.classes).size()) {
    return invalid("--classes {} names a class twice; expected each once",
                   in_quotes(fmt::format("{}", fmt::join(flags.classes, ","))));
  }
  if (std::ranges::find(rules.classes, "") == rules.classes.end()) return rules;
  return invalid("--classes {} has an empty name; expected names joined by commas, such as no,yes",
                 in_quotes(fmt::format("{}", fmt::join(flags.classes, ","))));
}

void add_notes(const std::string& labels, const std::string& truth, LabelFiles& files) {
  add_label_notes(labels, files);
  if (files.truth) add_truth_notes(truth, *files.truth, files);
}

void add_order_note(const LabelFlags& flags, LabelFiles& files) {
  const std::vector<std::string>& classes = files.labels.classes;
  const bool numbers = std::ranges::all_of(
      classes, [](const std::string& name) { return parse_number(name).has_value(); });
  if (!flags.classes.empty() || numbers || classes.size() < 3) return;
  files.notes.push_back(
      fmt::format("--ordered takes the classes in the order of their names: {}; --classes gives "
                  "another order",
                  fmt::join(classes, ", ")));
}

Result<LabelFiles> read_label_files(const LabelFlags& flags, const io::LabelReading& rules,
                                    const FeatureFlags& features) {
  TRY(check_standard_input(flags, features));
  auto text = TRY(io::read_text_file(flags.labels));
  LabelFiles files{TRY(in_file(flags.labels, io::parse_labels(text, rules)))};
  add_label_notes(file_name(flags.labels), files);
  add_class_notes(rules, files);
  // Before the truth, which may know items that only features name.
  if (features.features) TRY(read_design(features, files));
  files.truth = TRY(read_truth(flags, text, files));
  files.known = TRY(read_truth("--known", flags.known, {}, files));
  TRY(check_known(flags, files));
  files.groups = TRY(read_groups(flags, files.labels));
  if (flags.keep_text) files.text = std::move(text);
  return files;
}

}  // namespace allot::cli
