#include "allot/aggregate/pooled.hpp"

#include "aggregate/fitted_tables.hpp"
#include "aggregate/item_labels.hpp"
#include "allot/aggregate/group_errors.hpp"
#include "allot/base/check.hpp"
#include "base/try.hpp"
#include "model/binary_answers.hpp"

namespace allot::aggregate {
namespace {

constexpr std::string_view kPooled = "pooled";

ConfidenceUse use_of(const model::FittedConfidences& fitted) {
  if (fitted.strength == 0) return ConfidenceUse::useless;
  return fitted.own ? ConfidenceUse::own : ConfidenceUse::shared;
}

void check_pooled(const model::LabelSet& labels, const PooledOptions& options) {
  require(options.worker_prior.is_proper(), kPooled, "worker prior", 0, "expected a proper prior");
  require(!options.design || options.design->item_count == labels.item_count, kPooled,
          "items with features", options.design ? options.design->item_count : 0,
          "expected one row per item");
  require(options.shares.empty() || options.shares.size() == labels.class_count, kPooled, "shares",
          static_cast<double>(options.shares.size()), "expected one per class");
  for (const double share : options.shares)
    require(share > 0, kPooled, "share", share, "expected more than 0");
}

model::MulticlassAnswers fitted_answers(const model::LabelSet& labels,
                                        const PooledOptions& options) {
  const model::MulticlassFitOptions how = pooled_fit_options(labels, options);
  if (labels.class_count > 2)
    return model::multiclass_answers(by_worker(labels), how, model::kFitRounds);
  return model::binary_answers(by_worker(labels), how,
                               model::WorkerGrid(options.worker_prior, model::Coins::two));
}

}  // namespace

Result<Aggregation> pooled(const model::LabelSet& labels, const PooledOptions& options) {
  check_pooled(labels, options);
  const double classes = labels.class_count,
               columns = options.design ? options.design->column_count : 0;
  TRY(check_size(kPooled, labels,
                 labels.item_count * (2 * classes + 3 * columns) +
                     2.0 * labels.worker_count * classes * classes + 3 * columns * columns));
  TRY(check_several(kPooled, labels));
  auto [fit, decided_by_shares] = fitted_answers(labels, options);
  TRY(check_finite(kPooled, fit));
  const bool learns_features = options.design && !options.weight_variance, used = fit.features;
  const ConfidenceUse use = use_of(fit.confidences);
  auto result = aggregation_of(std::move(fit), labels, options.groups);
  if (!labels.confidences.empty()) result.confidences = use;
  result.decided_by_shares = decided_by_shares;
  if (learns_features) result.features_used = used;
  result.groups = group_errors(labels, options.groups, result.answers);
  return result;
}

}  // namespace allot::aggregate
