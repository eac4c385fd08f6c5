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
};

struct AggregateReport {
  io::LabelFile file;
  std::optional<io::Truth> truth;
  std::optional<io::Truth> known;
  std::vector<MethodResult> results;
  /// Warnings for standard error.
  std::vector<std::string> notes = {};
  /// By item: truths of items without a label, which judge predictions from features. Empty without
  /// a truth.
  std::vector<std::optional<ClassId>> unlabelled_truth = {};
};

/// The counts of a file in one line: "14 labels of 5 items by 3 workers, ...".
std::string heading(const io::LabelFile& file);

/// One line per method.
std::string summary_text(const AggregateReport& report, Format format);

/// item,answer,probability,labels,p_CLASS...; if classes are ordered, with expected_rank after
/// labels. With known answers, calibrated,calibrated_CLASS... follow.
std::string answers_csv(const io::LabelFile& file, const MethodResult& result, bool ordered);

/// worker,labels,reliability,p_TRUE_GIVEN...
std::string workers_csv(const io::LabelFile& file, const aggregate::Aggregation& aggregation);

}  // namespace allot::cli
