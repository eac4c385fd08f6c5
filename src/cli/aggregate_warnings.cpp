#include "cli/aggregate_warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "allot/aggregate/shared_errors.hpp"
#include "allot/base/text.hpp"

namespace allot::cli {
namespace {

using aggregate::ClassAnswers;
using aggregate::SharedErrorOptions;
using aggregate::SuspectPair;

constexpr std::string_view kReference = "pooled";

/// The answers of the default method; nothing if it refuses the labels.
std::optional<ClassAnswers> reference_answers(const AggregateReport& report,
                                              const aggregate::MethodOptions& how) {
  const auto found = std::ranges::find(report.results, kReference, &MethodResult::name);
  if (found != report.results.end()) return found->aggregation.answers;
  auto made = aggregate::make_method(kReference, how).value()(report.file.set);
  if (!made) return {};
  return std::move(made->answers);
}

/// Whether a method is one of those whose EM can settle on wrong answers.
bool can_turn_round(const std::string& method) {
  constexpr std::array kMethods{"one-coin", "dawid-skene"};
  return std::ranges::find(kMethods, method) != kMethods.end();
}

std::string pair_text(const io::LabelFile& file, const SuspectPair& pair) {
  return fmt::format("{} and {}", in_quotes(file.workers[position(pair.first)]),
                     in_quotes(file.workers[position(pair.second)]));
}

}  // namespace

std::vector<std::string> contradictions(const AggregateReport& report,
                                        const aggregate::MethodOptions& how) {
  std::vector<std::string> texts;
  const model::LabelSet& labels = report.file.set;
  std::optional<ClassAnswers> reference;
  for (const MethodResult& result : report.results) {
    const aggregate::Aggregation& made = result.aggregation;
    if (aggregate::contradicts_itself(labels, made)) {
      texts.push_back(fmt::format(
          "warning: {} contradicts itself: it expects {:.3f} of its answers to be right, yet takes "
          "only {:.3f} of the labels for right, near chance. Either {} or many workers label the "
          "wrong way round; check some answers before you trust it",
          result.name, *expected_accuracy(report, result),
          *aggregate::mean_reliability(labels, made.workers), result.name));
      continue;
    }
    if (!can_turn_round(result.name) || !aggregate::is_sure(made.answers)) continue;
    if (!reference) reference = reference_answers(report, how);
    if (!reference || !aggregate::contradicts(labels, made.answers, *reference)) continue;
    texts.push_back(fmt::format(
        "warning: {} expects {:.3f} of its answers to be right, yet {} answers {:.0f} % of the "
        "items otherwise; do not trust it before you check some of these items",
        result.name, *expected_accuracy(report, result), kReference,
        100 * aggregate::answered_otherwise(labels, made.answers, *reference)));
  }
  return texts;
}

std::vector<std::string> shared_error_warnings(const io::LabelFile& file,
                                               const std::vector<std::uint32_t>& groups) {
  constexpr double kMostSteps = 1.5e6;  // about 0.1 microseconds each
  constexpr std::size_t kNamed = 3;
  const model::LabelSet& labels = file.set;
  const double steps = static_cast<double>(labels.labels.size()) * labels.worker_count *
                       static_cast<double>(labels.class_count);
  if (steps > kMostSteps || labels.class_count < 2) return {};
  const auto found = aggregate::find_shared_errors(
      labels, {.false_alarms = 0.01, .most_suspects = kNamed, .groups = groups});
  if (!found || found->suspects.empty()) return {};
  std::vector<std::string> pairs;
  for (const SuspectPair& pair : found->suspects) pairs.push_back(pair_text(file, pair));
  return {fmt::format(
      "warning: workers {}{} agree more than independent workers would, as copies do; --copies "
      "tells more, and --groups reads them as one",
      fmt::join(pairs, ", "), pairs.size() < kNamed ? "" : ", and perhaps others,")};
}

}  // namespace allot::cli
