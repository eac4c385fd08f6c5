#include "cli/aggregate_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "allot/model/best_class.hpp"
#include "base/errors.hpp"
#include "cli/calibration.hpp"
#include "cli/group_report.hpp"
#include "cli/learned_notes.hpp"

namespace allot::cli {
namespace {

using aggregate::Aggregation;
using aggregate::Fit;
using io::LabelFile;

std::string number_or_none(const std::optional<double>& value) {
  return value ? number_text(*value) : "";
}

std::string fixed_or_dash(const std::optional<double>& value, int digits) {
  return value ? fmt::format("{:.{}f}", *value, digits) : "-";
}

std::optional<double> accuracy_of(const AggregateReport& report, const MethodResult& result) {
  if (!report.truth) return {};
  return aggregate::accuracy(result.aggregation.answers.answers, report.truth->of_item);
}

std::optional<double> log_likelihood(const Aggregation& aggregation) {
  return aggregation.fit ? aggregation.fit->log_likelihood : std::nullopt;
}

/// "2 classes (no, yes)"; long or unprintable lists are left out.
std::string classes_text(const LabelFile& file) {
  const std::string list = fmt::format("{}", fmt::join(file.classes, ", "));
  const bool printable =
      std::ranges::none_of(list, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
  return count_text(file.classes.size(), "class", "classes") +
         (list.size() <= 40 && printable ? " (" + list + ")" : "");
}

std::string iterations_text(const std::optional<Fit>& fit) {
  if (!fit) return "-";
  const bool stopped = fit->log_likelihood && !fit->converged;
  return fmt::format("{}{}", fit->iterations, stopped ? " (limit)" : "");
}

std::string dropped_text(const LabelFile& file) {
  return fmt::format("{} left out: the worker labelled the item more than once",
                     count_text(file.dropped, "row"));
}

std::uint64_t unlabelled(const LabelFile& file) {
  return static_cast<std::uint64_t>(std::ranges::count(label_counts(file), 0U));
}

/// What was learned about groups, by the first method that knows them; empty if none does.
GroupReport groups_of(const AggregateReport& report) {
  for (const MethodResult& result : report.results)
    if (!result.aggregation.groups.empty()) return {report.groups, result.aggregation.groups};
  return {};
}

/// What methods learned beside their answers; each line once.
std::vector<std::string> what_was_learned(const AggregateReport& report) {
  std::vector<std::string> lines;
  for (const MethodResult& result : report.results) {
    for (const std::string& note :
         learned_notes(report.file, result.name, result.aggregation, result.decided_by_features))
      if (std::ranges::find(lines, note) == lines.end()) lines.push_back(note);
  }
  return lines;
}

std::string groups_text(const AggregateReport& report) {
  const GroupReport groups = groups_of(report);
  return groups.names.empty() ? "" : "\n" + group_table(groups);
}

bool any_probabilities(const AggregateReport& report) {
  return std::ranges::any_of(report.results, [](const MethodResult& result) {
    return !result.aggregation.answers.probabilities.empty();
  });
}

/// Says that items without a label have no answer, and how good predictions from features are.
std::string unlabelled_note(const AggregateReport& report) {
  const std::uint64_t count = unlabelled(report.file);
  if (count == 0) return "";
  std::string text =
      fmt::format("  {} without a label: no answer yet\n", count_text(count, "item"));
  for (const MethodResult& result : report.results) {
    if (result.name != "pooled" && result.name != "contextual") continue;
    const auto right =
        aggregate::accuracy(result.aggregation.answers.answers, report.unlabelled_truth);
    if (!right) continue;
    text += fmt::format("  guessed by {}: {:.4f} right\n", result.name, *right);
  }
  return text;
}

/// One line per method whose answers expect far more of themselves than is right, by so many items
/// with a truth that chance does not explain it.
std::string overstated_notes(const AggregateReport& report) {
  constexpr double kStandardErrors = 3;
  std::string text;
  for (const MethodResult& result : report.results) {
    const auto expected = expected_accuracy(report, result);
    const auto right = accuracy_of(report, result);
    if (!expected || !right || !is_overstated(*expected, *right)) continue;
    const double error =
        std::sqrt(*expected * (1 - *expected) / static_cast<double>(report.truth->known));
    if (*expected - *right <= kStandardErrors * error) continue;
    text += "  " + overstated_text(result.name, *expected, *right) + "\n";
  }
  return text;
}

std::string notes_below(const AggregateReport& report) {
  std::string text;
  for (const std::string& warning : warnings(report)) text += "  " + warning + "\n";
  text += overstated_notes(report);
  if (!report.truth && !report.known && any_probabilities(report))
    text += "  expected accuracy: estimated by the model, not verified; see --known\n";
  for (const std::string& line : what_was_learned(report)) text += "  " + line + "\n";
  if (report.file.dropped > 0) text += "  " + dropped_text(report.file) + "\n";
  text += unlabelled_note(report);
  if (!report.truth) return text;
  text += fmt::format("  accuracy: share of right answers among {} with a truth\n",
                      count_text(report.truth->known, "item"));
  if (report.truth->elsewhere > 0)
    text += fmt::format("  the truth of {} without labels is not used\n",
                        count_text(report.truth->elsewhere, "item"));
  return text;
}

std::string table_text(const AggregateReport& report) {
  std::vector<std::string> header{"method", "iterations", "log likelihood", "expected accuracy"};
  if (report.truth) header.emplace_back("accuracy");
  Table table(header);
  for (const MethodResult& result : report.results) {
    std::vector<std::string> row{result.name, iterations_text(result.aggregation.fit),
                                 fixed_or_dash(log_likelihood(result.aggregation), 2),
                                 fixed_or_dash(expected_accuracy(report, result), 4)};
    if (report.truth) row.push_back(fixed_or_dash(accuracy_of(report, result), 4));
    table.add(row);
  }
  const std::string below = notes_below(report);
  std::string text = heading(report.file) + "\n" + table.text() +
                     (below.empty() ? "" : "\n" + below) + groups_text(report);
  for (const MethodResult& result : report.results)
    if (result.calibrated) text += "\n" + calibration_text(result.name, *result.calibrated);
  return text;
}

Fields fields(const AggregateReport& report, const MethodResult& result) {
  const LabelFile& file = report.file;
  const auto& fit = result.aggregation.fit;
  const bool has_end = fit && fit->log_likelihood;
  const auto expected = expected_accuracy(report, result);
  const std::optional<bool> used = result.aggregation.features_used;
  const auto by_features = result.decided_by_features;
  Fields all{
      {"method", result.name},
      {"items", fmt::format("{}", file.items.size())},
      {"workers", fmt::format("{}", file.workers.size())},
      {"labels", fmt::format("{}", file.set.labels.size())},
      {"classes", fmt::format("{}", file.classes.size())},
      {"iterations", fit ? fmt::format("{}", fit->iterations) : ""},
      {"converged", has_end ? (fit->converged ? "true" : "false") : ""},
      {"log_likelihood", number_or_none(log_likelihood(result.aggregation))},
      {"expected_accuracy", number_or_none(expected)},
      {"truth_items", report.truth ? fmt::format("{}", report.truth->known) : ""},
      {"accuracy", number_or_none(accuracy_of(report, result))},
      {"unlabelled", fmt::format("{}", unlabelled(file))},
      {"features_used", !used   ? ""
                        : *used ? "true"
                                : "false"},
      {"depend_on_shares",
       result.name == "pooled" ? fmt::format("{}", result.aggregation.decided_by_shares) : ""},
      {"depend_on_features", by_features ? fmt::format("{}", *by_features) : ""}};
  if (report.known) append(all, calibration_fields(result.calibrated));
  return all;
}

}  // namespace

std::optional<double> expected_accuracy(const AggregateReport& report, const MethodResult& result) {
  const aggregate::ClassAnswers& all = result.aggregation.answers;
  const auto counts = label_counts(report.file);
  aggregate::ClassAnswers answered{all.class_count, {}, {}};
  for (std::uint32_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    answered.answers.push_back(all.answers[i]);
    const auto chances = all.of(ItemId{i});
    answered.probabilities.insert(answered.probabilities.end(), chances.begin(), chances.end());
  }
  return aggregate::expected_accuracy(answered);
}

std::string heading(const LabelFile& file) {
  const double labels = static_cast<double>(file.set.labels.size());
  return fmt::format(
      "{} of {} by {}, {:.4g} per item, {}\n", count_text(file.set.labels.size(), "label"),
      count_text(file.items.size(), "item"), count_text(file.workers.size(), "worker"),
      labels / static_cast<double>(file.items.size()), classes_text(file));
}

void append_notes(const AggregateReport& report, std::vector<std::string>& notes) {
  const MethodResult& first = report.results.front();
  const auto expected = expected_accuracy(report, first);
  const std::string counts = heading(report.file);
  notes.push_back(fmt::format(
      "{}; answers by {}{}", counts.substr(0, counts.find('\n')), first.name,
      expected ? fmt::format(", expected accuracy {:.4f}, not verified", *expected) : ""));
  for (std::string& line : what_was_learned(report)) notes.push_back(std::move(line));
  if (report.file.dropped > 0) notes.push_back(dropped_text(report.file));
}

std::vector<std::string> warnings(const AggregateReport& report) {
  std::vector<std::string> texts = report.doubts;
  for (std::string& text : unchecked_groups(groups_of(report))) texts.push_back(std::move(text));
  return texts;
}

std::string summary_text(const AggregateReport& report, Format format) {
  std::vector<Fields> rows;
  for (const MethodResult& result : report.results) rows.push_back(fields(report, result));
  const std::string elsewhere = report.truth ? fmt::format("{}", report.truth->elsewhere) : "null";
  std::vector<std::string> quoted;
  for (const std::string& text : warnings(report)) quoted.push_back(json_string(text));
  Fields about{{"dropped_rows", fmt::format("{}", report.file.dropped)},
               {"truth_elsewhere", elsewhere},
               {"warnings", json_array(quoted)}};
  if (!report.groups.empty()) about.emplace_back("groups", groups_json(groups_of(report)));
  return report_text(format, table_text(report), rows, about);
}

std::string answers_csv(const LabelFile& file, const MethodResult& result, bool ordered) {
  const aggregate::ClassAnswers& answers = result.aggregation.answers;
  const auto& calibrated = result.calibrated;
  std::vector<std::string> row{"item", "answer", "probability", "labels"};
  if (ordered) row.emplace_back("expected_rank");
  if (!answers.probabilities.empty()) {
    for (const std::string& name : file.classes) row.push_back("p_" + name);
  }
  if (calibrated) {
    row.emplace_back("calibrated");
    for (const std::string& name : file.classes) row.push_back("calibrated_" + name);
  }
  std::string text = csv_line(row);
  const auto counts = label_counts(file);
  for (std::uint32_t i = 0; i < file.items.size(); ++i) {
    const std::span<const double> chances = answers.of(ItemId{i});
    const std::uint32_t answer = position(answers.answers[i]);
    // Without a label there is no answer, whatever the probabilities are.
    const auto if_labelled = [&](const std::string& value) { return counts[i] > 0 ? value : ""; };
    row = {file.items[i], if_labelled(file.classes[answer]),
           chances.empty() ? "" : if_labelled(number_text(chances[answer])),
           fmt::format("{}", counts[i])};
    if (ordered) row.push_back(if_labelled(number_text(model::expected_rank(chances))));
    for (const double chance : chances) row.push_back(number_text(chance));
    if (calibrated) {
      const std::span<const double> mapped = calibrated->answers.of(ItemId{i});
      row.push_back(if_labelled(number_text(mapped[answer])));
      for (const double chance : mapped) row.push_back(number_text(chance));
    }
    text += csv_line(row);
  }
  return text;
}

std::vector<double> confidence_of(const MethodResult& result) {
  const aggregate::ClassAnswers& answers = result.aggregation.answers;
  const auto& from = result.calibrated ? result.calibrated->answers : answers;
  std::vector<double> confidence;
  if (from.probabilities.empty()) return confidence;
  for (std::uint32_t i = 0; i < answers.answers.size(); ++i)
    confidence.push_back(from.of(ItemId{i})[position(answers.answers[i])]);
  return confidence;
}

Result<std::string> tables_csv(const LabelFile& file, const MethodResult& result) {
  const std::vector<double>& cells = result.aggregation.workers.confusion;
  if (cells.empty()) {
    return invalid(
        "--tables-output has no tables of {}; expected --method pooled, dawid-skene or "
        "contextual",
        result.name);
  }
  std::string text = csv_line({"worker", "truth", "label", "probability"});
  std::size_t at = 0;
  for (const std::string& worker : file.workers) {
    for (const std::string& truth : file.classes) {
      for (const std::string& label : file.classes)
        text += csv_line({worker, truth, label, number_text(cells[at++])});
    }
  }
  return text;
}

std::string workers_csv(const LabelFile& file, const Aggregation& aggregation) {
  const aggregate::WorkerEstimates& workers = aggregation.workers;
  std::vector<std::string> row{"worker", "labels", "reliability"};
  const std::size_t cells = workers.confusion.size() / file.workers.size();
  for (std::size_t c = 0; c < cells; ++c)
    row.push_back(fmt::format("p_{}_{}", file.classes[c / file.classes.size()],
                              file.classes[c % file.classes.size()]));
  std::string text = csv_line(row);
  std::vector<std::uint64_t> counts(file.workers.size());
  for (const model::GivenLabel& label : file.set.labels) ++counts[position(label.worker)];
  for (std::size_t j = 0; j < file.workers.size(); ++j) {
    row = {file.workers[j], fmt::format("{}", counts[j]), number_text(workers.reliability[j])};
    for (std::size_t c = 0; c < cells; ++c)
      row.push_back(number_text(workers.confusion[j * cells + c]));
    text += csv_line(row);
  }
  return text;
}

}  // namespace allot::cli
