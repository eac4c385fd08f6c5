#include "allot/aggregate/pooled.hpp"

#include "aggregate/fitted_tables.hpp"
#include "aggregate/item_labels.hpp"
#include "allot/aggregate/group_errors.hpp"
#include "allot/base/check.hpp"
#include "base/try.hpp"

namespace allot::aggregate {
namespace {

ConfidenceUse use_of(const model::FittedConfidences& fitted) {
  if (fitted.strength == 0) return ConfidenceUse::useless;
  return fitted.own ? ConfidenceUse::own : ConfidenceUse::shared;
}

}  // namespace

Result<Aggregation> pooled(const model::LabelSet& labels, const PooledOptions& options) {
  constexpr std::string_view kMethod = "pooled";
  require(options.worker_prior.is_proper(), kMethod, "worker prior", 0, "expected a proper prior");
  const double classes = labels.class_count;
  TRY(check_size(kMethod, labels,
                 2 * labels.item_count * classes + 2.0 * labels.worker_count * classes * classes));
  TRY(check_several(kMethod, labels));
  const model::MulticlassFitOptions how{
      .item_count = labels.item_count,
      .tables = {.class_count = labels.class_count,
                 .coins = model::Coins::two,
                 .prior = model::matched(options.worker_prior),
                 .row_strength = model::pooled_row_strength(labels.class_count)},
      .shares = std::vector<double>(labels.class_count, 1 / classes),
      .design = nullptr,
      .weight_variance = {},
      .pooled = true,
      .learn_mean = true,
      .ordered = options.ordered,
      .groups = options.groups};
  auto fit = model::multiclass_answers(by_worker(labels), how, model::kFitRounds);
  const ConfidenceUse use = use_of(fit.confidences);
  auto result = aggregation_of(std::move(fit), labels, options.groups);
  if (!labels.confidences.empty()) result.confidences = use;
  result.groups = group_errors(labels, options.groups, result.answers);
  return result;
}

}  // namespace allot::aggregate
