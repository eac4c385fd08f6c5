#include "cli/label_files.hpp"

#include <algorithm>
#include <array>
#include <tuple>

#include "allot/io/feature_csv.hpp"
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

/// Warns about classes that differ only in spelling, and about named ones that no label has.
void add_label_notes(const std::string& name, LabelFiles& files) {
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

/// Warns about classes that only the truth has.
void add_truth_notes(const std::string& name, const io::Truth& truth, LabelFiles& files) {
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
                                            LabelFiles& files) {
  if (!path) return std::nullopt;
  const auto text = TRY(in_option(option, io::read_text_file(*path)));
  auto truth = TRY(in_file(*path, io::parse_truth(text, files.labels)));
  add_truth_notes(file_name(*path), truth, files);
  return truth;
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

Result<void> check_standard_input(const LabelFlags& flags, const FeatureFlags& features) {
  std::string_view holder = flags.labels == "-" ? "the labels" : "";
  const std::array others{std::tuple{"--features", "the features", &features.features},
                          std::tuple{"--truth", "the truth", &flags.truth},
                          std::tuple{"--known", "the known answers", &flags.known}};
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

void add_label_options(Command& command, LabelFlags& flags) {
  command.add("--duplicates", &flags.duplicates, "RULE",
              "If a worker labels an item again: `error`, or keep the `first` or `last` label");
  command.add("--classes", &flags.classes, "NAME,...",
              "Classes that exist even if no label has them, such as `no,yes`",
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
              "1 / number of features; learned by replays where workers differ");
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

Result<LabelRules> read_label_rules(const LabelFlags& flags) {
  using enum io::Duplicates;
  const auto duplicates = TRY(read_choice<io::Duplicates>(
      "--duplicates", flags.duplicates, {{"error", error}, {"first", first}, {"last", last}}));
  LabelRules rules{duplicates, read_names(flags.classes)};
  if (std::ranges::find(rules.classes, "") == rules.classes.end()) return rules;
  return invalid("--classes {} has an empty name; expected names joined by commas, such as no,yes",
                 in_quotes(fmt::format("{}", fmt::join(flags.classes, ","))));
}

Result<LabelFiles> read_label_files(const LabelFlags& flags, const LabelRules& rules,
                                    const FeatureFlags& features) {
  TRY(check_standard_input(flags, features));
  const auto text = TRY(io::read_text_file(flags.labels));
  LabelFiles files{
      TRY(in_file(flags.labels, io::parse_labels(text, rules.duplicates, rules.classes)))};
  add_label_notes(file_name(flags.labels), files);
  // Before the truth, which may know items that only features name.
  if (features.features) TRY(read_design(features, files));
  files.truth = TRY(read_truth("--truth", flags.truth, files));
  files.known = TRY(read_truth("--known", flags.known, files));
  TRY(check_known(flags, files));
  return files;
}

}  // namespace allot::cli
