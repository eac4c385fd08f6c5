#include "allot/aggregate/contextual.hpp"

#include <algorithm>
#include <cmath>

#include "aggregate/item_labels.hpp"
#include "allot/base/check.hpp"
#include "base/try.hpp"
#include "model/multiclass_em_fit.hpp"

namespace allot::aggregate {
namespace {

constexpr std::string_view kName = "contextual";

void check(const model::LabelSet& labels, const model::Design* design,
           const ContextualOptions& options) {
  require(design != nullptr, kName, "design", 0, "expected a design");
  require(design->item_count == labels.item_count, kName, "items with features", design->item_count,
          "expected one row per item");
  require(options.most_iterations >= 1, kName, "most_iterations", options.most_iterations,
          "expected at least 1");
  require(options.tolerance >= 0, kName, "tolerance", options.tolerance, "expected at least 0");
  require(options.worker_prior.is_proper(), kName, "worker prior", 0, "expected a proper prior");
  require(options.weight_variance >= 0 && std::isfinite(options.weight_variance), kName,
          "weight variance", options.weight_variance, "expected 0 or more");
}

model::MulticlassLabelsByWorker by_worker(const model::LabelSet& labels) {
  model::MulticlassLabelsByWorker result(labels.worker_count);
  for (const auto& [item, worker, label] : labels.labels)
    result[position(worker)].push_back({position(item), position(label)});
  return result;
}

std::vector<double> mean_shares(const ClassAnswers& answers) {
  std::vector<double> shares(answers.class_count);
  for (std::size_t n = 0; n < answers.probabilities.size(); ++n)
    shares[n % shares.size()] += answers.probabilities[n];
  for (double& share : shares) share /= static_cast<double>(answers.answers.size());
  return shares;
}

WorkerEstimates estimates(const model::MulticlassLabelsByWorker& labels,
                          const std::vector<double>& counts, const model::WorkerTables& tables,
                          const std::vector<double>& shares) {
  WorkerEstimates workers{std::vector<double>(labels.size(), std::nan("")),
                          std::vector<double>(counts.size())};
  const std::size_t classes = shares.size();
  for (std::size_t j = 0; j < labels.size(); ++j) {
    const std::size_t at = j * classes * classes;
    tables.mean(&counts[at], &workers.confusion[at]);
    if (labels[j].empty()) continue;
    workers.reliability[j] = 0;
    for (std::size_t k = 0; k < classes; ++k)
      workers.reliability[j] += shares[k] * workers.confusion[at + k * classes + k];
  }
  return workers;
}

}  // namespace

Result<Aggregation> contextual(const model::LabelSet& labels,
                               const std::shared_ptr<const model::Design>& design,
                               const ContextualOptions& options) {
  check(labels, design.get(), options);
  const double classes = labels.class_count, columns = design->column_count;
  const double numbers = labels.item_count * (4 * classes + 3 * columns) +
                         2.0 * labels.worker_count * classes * classes + 3 * columns * columns;
  TRY(check_size(kName, labels, numbers));
  TRY(check_several(kName, labels));
  const model::MulticlassFitOptions how{
      labels.item_count,
      {labels.class_count, model::Coins::two, model::matched(options.worker_prior)},
      std::vector<double>(labels.class_count, 1 / classes),
      design,
      options.weight_variance > 0 ? options.weight_variance : 1 / columns};
  const model::MulticlassLabelsByWorker given = by_worker(labels);
  model::MulticlassFit fit = model::multiclass_em_fit(
      given, how, static_cast<int>(std::min(options.most_iterations, 1'000'000U)),
      options.tolerance);
  const bool finite =
      std::ranges::all_of(fit.probabilities, [](double p) { return std::isfinite(p); });
  if (!finite) {
    return fail(
        ErrorCode::invalid_argument,
        "method 'contextual' overflows on features this large; expected standardised features");
  }
  Aggregation result;
  result.fit = Fit{static_cast<std::uint32_t>(fit.rounds),
                   fit.moved <= options.tolerance,
                   fit.log_likelihood,
                   {}};
  result.answers = with_answers(std::move(fit.probabilities), labels);
  result.workers = estimates(given, fit.counts, how.tables, mean_shares(result.answers));
  return result;
}

}  // namespace allot::aggregate
