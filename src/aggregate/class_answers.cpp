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

bool is_sure(const ClassAnswers& answers) {
  constexpr double kSure = 0.9;
  return expected_accuracy(answers).value_or(0) > kSure;
}

bool contradicts_itself(const model::LabelSet& labels, const Aggregation& aggregation) {
  constexpr double kAboveChance = 0.1;
  const auto reliability = mean_reliability(labels, aggregation.workers);
  if (!reliability || labels.class_count < 2) return false;
  const double chance = 1.0 / labels.class_count;
  return is_sure(aggregation.answers) && *reliability < chance + kAboveChance * (1 - chance);
}

double answered_otherwise(const model::LabelSet& labels, const ClassAnswers& answers,
                          const ClassAnswers& others) {
  std::vector<bool> labelled(labels.item_count);
  for (const model::GivenLabel& label : labels.labels) labelled[position(label.item)] = true;
  double items = 0, otherwise = 0;
  for (std::uint32_t i = 0; i < labels.item_count; ++i) {
    if (!labelled[i]) continue;
    items += 1;
    otherwise += answers.answers[i] != others.answers[i] ? 1 : 0;
  }
  return items > 0 ? otherwise / items : 0;
}

bool contradicts(const model::LabelSet& labels, const ClassAnswers& answers,
                 const ClassAnswers& careful) {
  constexpr double kFifth = 0.2;
  return is_sure(answers) && answered_otherwise(labels, answers, careful) >= kFifth;
}

}  // namespace allot::aggregate
