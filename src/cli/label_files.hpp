// A file of labels, with the files of features and truth, and the options about them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "allot/io/group_csv.hpp"
#include "allot/io/label_csv.hpp"
#include "allot/io/truth_csv.hpp"
#include "allot/model/features.hpp"
#include "cli/command.hpp"

namespace allot::cli {

/// Options about the format of labels, as written.
struct FormatFlags {
  std::optional<std::string> from = {};
  io::LabelColumns columns = {};
  bool keep_rejected = false;

  /// The first option that is given; null if none is.
  const char* given() const;
};

/// Options about labels and truth, as written.
struct LabelFlags {
  std::string labels;
  std::optional<std::string> truth;
  /// Known answers to learn from, unlike `truth`.
  std::optional<std::string> known = {};
  /// Groups of workers who err together.
  std::optional<std::string> groups = {};
  std::string duplicates = "error";
  /// Classes that exist even if no label has them.
  std::vector<std::string> classes;
  FormatFlags format = {};
  /// Column of the truth; without a file of truths, of the labels' file.
  std::optional<std::string> truth_column = {};
  /// Whether the text of the labels is kept (LabelFiles::text).
  bool keep_text = false;

  bool has_truth() const { return truth || truth_column; }
};

/// Options about features, as written.
struct FeatureFlags {
  std::optional<std::string> features = {};
  bool no_standardise = false;
  bool no_intercept = false;
  std::optional<std::string> variance = {};
};

/// Registers --from, --item-column and so on, and --keep-rejected.
void add_format_options(Command& command, FormatFlags& flags);
/// Registers the options of add_format_options, --duplicates and --classes.
void add_label_options(Command& command, LabelFlags& flags);
/// Registers --groups.
void add_group_option(Command& command, LabelFlags& flags);
/// Registers --confidence.
void add_confidence_option(Command& command, LabelFlags& flags);
/// Registers --truth-column.
void add_truth_column(Command& command, LabelFlags& flags);
void add_feature_options(Command& command, FeatureFlags& flags);

inline constexpr const char* kLabelsMeaning =
    "File of labels, in any format that `allot formats` lists; `-` reads standard input";
inline constexpr const char* kTruthMeaning = "File with one row per item: item, truth";

/// Refuses options about features without a file of features.
Result<void> check_features(const FeatureFlags& flags);
/// Prior variance of every regression weight but the intercept; none if the option is not given.
Result<std::optional<double>> read_feature_variance(const FeatureFlags& flags);

/// How to read labels in the format that the options describe.
Result<io::LabelReading> read_format_rules(const FormatFlags& flags);
/// How to read labels, read before any file.
Result<io::LabelReading> read_label_rules(const LabelFlags& flags);

/// "left out 3 labels: 3 missing (empty, NA, nan); 1 item has no other label"; empty if nothing was
/// left out.
std::string left_out_text(const io::LeftOutLabels& left_out, std::uint64_t lost_items = 0);

struct LabelFiles {
  io::LabelFile labels;
  std::optional<io::Truth> truth = {};
  std::optional<io::Truth> known = {};
  /// Empty without a file of groups.
  io::WorkerGroups groups = {};
  /// None without a file of features. Its items without labels are the last of `labels`.
  std::shared_ptr<const model::Design> design = nullptr;
  /// Warnings about labels that were left out, classes and features.
  std::vector<std::string> notes = {};
  /// The text of the labels, if LabelFlags::keep_text is set.
  std::string text = {};
};

/// Adds the warnings about the labels and the truth, which call them by these names.
void add_notes(const std::string& labels, const std::string& truth, LabelFiles& files);

/// Adds a warning if classes have an order that nobody stated: that of names, not of numbers.
void add_order_note(const LabelFlags& flags, LabelFiles& files);

/// Reads the files. Errors name the file. One of them can be standard input.
Result<LabelFiles> read_label_files(const LabelFlags& flags, const io::LabelReading& rules,
                                    const FeatureFlags& features = {});

}  // namespace allot::cli
