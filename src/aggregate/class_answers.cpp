#include "allot/aggregate/class_answers.hpp"

namespace allot::aggregate {

std::optional<double> expected_accuracy(const ClassAnswers& answers) {
  if (answers.probabilities.empty()) return {};
  double sum = 0;
  for (std::uint32_t i = 0; i < answers.answers.size(); ++i)
    sum += answers.of(ItemId{i})[position(answers.answers[i])];
  return sum / static_cast<double>(answers.answers.size());
}

std::optional<double> accuracy(std::span<const ClassId> answers,
                               std::span<const std::optional<ClassId>> truth) {
  std::uint64_t known = 0, right = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    known += truth[i].has_value();
    right += truth[i] == answers[i];
  }
  if (known == 0) return {};
  return static_cast<double>(right) / static_cast<double>(known);
}

std::vector<double> agreement(const model::LabelSet& labels, const ClassAnswers& answers) {
  std::vector<double> right(labels.worker_count), all(labels.worker_count);
  for (const model::GivenLabel& label : labels.labels) {
    right[position(label.worker)] += label.label == answers.answers[position(label.item)];
    ++all[position(label.worker)];
  }
  for (std::size_t i = 0; i < right.size(); ++i) right[i] /= all[i];  // 0/0 is NaN
  return right;
}

std::optional<double> mean_reliability(const model::LabelSet& labels,
                                       const WorkerEstimates& workers) {
  if (labels.labels.empty()) return {};
  double sum = 0;
  for (const model::GivenLabel& label : labels.labels)
    sum += workers.reliability[position(label.worker)];
  return sum / static_cast<double>(labels.labels.size());
}

bool contradicts_itself(const model::LabelSet& labels, const Aggregation& aggregation) {
  constexpr double kSure = 0.9, kAboveChance = 0.2;
  const auto stated = expected_accuracy(aggregation.answers);
  const auto reliability = mean_reliability(labels, aggregation.workers);
  if (!stated || !reliability) return false;
  const double chance = 1.0 / labels.class_count;
  return *stated > kSure && *reliability < chance + kAboveChance * (1 - chance);
}

}  // namespace allot::aggregate
