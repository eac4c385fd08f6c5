#include "allot/aggregate/contextual.hpp"

#include <algorithm>
#include <cmath>

#include "aggregate/fitted_tables.hpp"
#include "aggregate/item_labels.hpp"
#include "allot/base/check.hpp"
#include "base/try.hpp"

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
  model::MulticlassFit fit = model::multiclass_fit(
      by_worker(labels), how, static_cast<int>(std::min(options.most_iterations, 1'000'000U)),
      options.tolerance);
  TRY(check_finite(kName, fit));
  const Fit ended{static_cast<std::uint32_t>(fit.rounds),
                  fit.moved <= options.tolerance,
                  fit.log_likelihood,
                  {}};
  Aggregation result = aggregation_of(std::move(fit), labels);
  result.fit = ended;
  return result;
}

}  // namespace allot::aggregate
