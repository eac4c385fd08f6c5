#include "cli/label_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "allot/io/text_file.hpp"
#include "base/try.hpp"
#include "cli/formats.hpp"
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

/// Warnings about classes that differ only in spelling.
std::vector<std::string> notes_on(const io::LabelFile& labels, const std::string& name) {
  std::vector<std::string> notes;
  for (const std::vector<std::string>& group : labels.doubtful) {
    constexpr std::size_t kMost = 4;
    if (notes.size() == kMost) {
      notes.push_back(fmt::format("{}: ... and {} more", name,
                                  count_text(labels.doubtful.size() - kMost, "such group")));
      break;
    }
    notes.push_back(fmt::format(
        "{}: {} count as different classes; write them the same way if they are the same class",
        name, some_in_quotes(group)));
  }
  return notes;
}

/// Warnings about classes that only the truth has.
std::vector<std::string> notes_on(const io::Truth& truth, const std::string& name) {
  std::vector<std::string> notes;
  if (!truth.matched.empty()) {
    constexpr std::size_t kMost = 4;
    std::string list;
    for (std::size_t i = 0; i < std::min(kMost, truth.matched.size()); ++i) {
      list += fmt::format("{}{} for {}", i == 0 ? "" : ", ", in_quotes(truth.matched[i].first),
                          in_quotes(truth.matched[i].second));
    }
    notes.push_back(fmt::format("{}: truths match classes that the labels spell differently: {}{}",
                                name, list, truth.matched.size() > kMost ? ", ..." : ""));
  }
  if (truth.foreign_items > 0) {
    notes.push_back(fmt::format("{}: no label is {}; answers to {} with that truth count as wrong",
                                name, some_in_quotes(truth.foreign),
                                count_text(truth.foreign_items, "item")));
  }
  return notes;
}

Result<void> check_standard_input(const LabelFlags& flags, const FeatureFlags& features) {
  std::string_view holder = flags.labels == "-" ? "the labels" : "";
  const std::array others{std::tuple{"--features", "the features", &features.features},
                          std::tuple{"--truth", "the truth", &flags.truth}};
  for (const auto& [option, content, path] : others) {
    if (*path != "-") continue;
    if (!holder.empty()) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("{} '-' is standard input, which has {}; expected another file",
                              option, holder));
    }
    holder = content;
  }
  return {};
}

}  // namespace

void add_label_options(Command& command, LabelFlags& flags) {
  command.add("--duplicates", &flags.duplicates, "RULE",
              "If a worker labels an item again: `error`, or keep the `first` or `last` label");
  command
      .add("--classes", &flags.classes, "NAME,...",
           "Classes that exist even if no label has them, such as `no,yes`")
      .by_default("those of the labels");
}

Result<LabelRules> read_label_rules(const LabelFlags& flags) {
  return read_duplicates(flags.duplicates)
      .and_then([&](io::Duplicates duplicates) -> Result<LabelRules> {
        LabelRules rules{duplicates, read_names(flags.classes)};
        if (std::ranges::find(rules.classes, "") == rules.classes.end()) return rules;
        return fail(
            ErrorCode::invalid_argument,
            fmt::format("--classes {} has an empty name; expected names joined by commas, such "
                        "as no,yes",
                        in_quotes(fmt::format("{}", fmt::join(flags.classes, ",")))));
      });
}

Result<LabelFiles> read_label_files(const LabelFlags& flags, const LabelRules& rules,
                                    const FeatureFlags& features) {
  TRY(check_standard_input(flags, features));
  const auto text = TRY(io::read_text_file(flags.labels));
  auto file = TRY(in_file(flags.labels, io::parse_labels(text, rules.duplicates, rules.classes)));
  LabelFiles files{std::move(file), std::nullopt, nullptr, {}};
  files.notes = notes_on(files.labels, file_name(flags.labels));
  const std::vector<std::string> unused = unused_classes(files.labels);
  if (!unused.empty()) {
    files.notes.push_back(fmt::format("{}: no label is {}, which --classes names",
                                      file_name(flags.labels), some_in_quotes(unused)));
  }
  if (features.features) {  // before the truth, which may know items that only features name
    auto design = TRY(read_design(features, files.labels));
    files.design = design.design;
    if (!design.note.empty()) files.notes.push_back(std::move(design.note));
  }
  if (!flags.truth) return files;
  const auto truth_text = TRY(in_option("--truth", io::read_text_file(*flags.truth)));
  auto known = TRY(in_file(*flags.truth, io::parse_truth(truth_text, files.labels)));
  files.truth = std::move(known);
  for (std::string& note : notes_on(*files.truth, file_name(*flags.truth)))
    files.notes.push_back(std::move(note));
  return files;
}

}  // namespace allot::cli
