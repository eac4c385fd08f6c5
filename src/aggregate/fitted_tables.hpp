// What the methods that fit confusion tables share with the crowds of model/: labels by worker in,
// answers and estimates of workers out.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "allot/aggregate/class_answers.hpp"
#include "allot/aggregate/pooled.hpp"
#include "model/multiclass_fit.hpp"

namespace allot::aggregate {

/// The labels of a set, worker by worker.
model::MulticlassLabelsByWorker by_worker(const model::LabelSet& labels);

/// How a pooled fit to these labels is made.
model::MulticlassFitOptions pooled_fit_options(const model::LabelSet& labels,
                                               const PooledOptions& options);

/// Refuses a fit that fixed weights of very large features have overflown.
Result<void> check_finite(std::string_view method, const model::MulticlassFit& fit);

/// Answers and workers of a fit to these labels. A worker's reliability is sum_k m_k pi(k, k), m
/// the mean of the items' class probabilities. `groups` as in PooledOptions.
Aggregation aggregation_of(model::MulticlassFit fit, const model::LabelSet& labels,
                           std::span<const std::uint32_t> groups = {});

}  // namespace allot::aggregate
