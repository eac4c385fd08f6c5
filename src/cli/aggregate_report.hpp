// Output of `allot aggregate`: the summary and the CSV files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "allot/aggregate/class_answers.hpp"
#include "allot/io/label_csv.hpp"
#include "allot/io/truth_csv.hpp"
#include "cli/known_answers.hpp"
#include "cli/options.hpp"

namespace allot::cli {

struct MethodResult {
  std::string name;
  aggregate::Aggregation aggregation;
  /// None without known answers, or without probabilities.
  std::optional<CalibratedAnswers> calibrated = {};
  /// Items with labels whose answer would be another one without features; only of `pooled`, where
  /// it used some.
  std::optional<std::uint32_t> decided_by_features = {};
};

struct AggregateReport {
  io::LabelFile file;
  std::optional<io::Truth> truth;
  std::optional<io::Truth> known;
  std::vector<MethodResult> results = {};
  /// Remarks about the files, for standard error.
  std::vector<std::string> notes = {};
  /// Warnings about the answers (cli/aggregate_warnings.hpp).
  std::vector<std::string> doubts = {};
  /// By item: truths of items without a label, which judge predictions from features. Empty without
  /// a truth.
  std::vector<std::optional<ClassId>> unlabelled_truth = {};
  /// Text of the labels, if answers repeat parts of it.
  std::string text = {};
  /// Names of the groups of workers, in the order of Aggregation::groups; empty without groups.
  std::vector<std::string> groups = {};
};

/// The counts of a file in one line: "14 labels of 5 items by 3 workers, ...".
std::string heading(const io::LabelFile& file);

/// Expected accuracy of the answers: an item without a label has none.
std::optional<double> expected_accuracy(const AggregateReport& report, const MethodResult& result);

/// Warnings about the answers and about groups.
std::vector<std::string> warnings(const AggregateReport& report);

/// Appends the counts of the file and the accuracy that the first method expects, as lines for
/// standard error.
void append_notes(const AggregateReport& report, std::vector<std::string>& notes);

/// One line per method.
std::string summary_text(const AggregateReport& report, Format format);

/// item,answer,probability,labels,p_CLASS...; if classes are ordered, with expected_rank after
/// labels. With known answers, calibrated,calibrated_CLASS... follow.
std::string answers_csv(const io::LabelFile& file, const MethodResult& result, bool ordered);

/// The probability of each answer, calibrated if answers are known; empty if the method has none.
std::vector<double> confidence_of(const MethodResult& result);

/// worker,truth,label,probability: one row per cell of a worker's confusion table. Refuses methods
/// without tables.
Result<std::string> tables_csv(const io::LabelFile& file, const MethodResult& result);

/// worker,labels,reliability,p_TRUE_GIVEN...
std::string workers_csv(const io::LabelFile& file, const aggregate::Aggregation& aggregation);

}  // namespace allot::cli
