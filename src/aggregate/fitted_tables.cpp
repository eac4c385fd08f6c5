#include "aggregate/fitted_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "aggregate/item_labels.hpp"
#include "allot/base/text.hpp"

namespace allot::aggregate {
namespace {

std::vector<double> mean_shares(const ClassAnswers& answers) {
  std::vector<double> shares(answers.class_count);
  for (std::size_t n = 0; n < answers.probabilities.size(); ++n)
    shares[n % shares.size()] += answers.probabilities[n];
  for (double& share : shares) share /= static_cast<double>(answers.answers.size());
  return shares;
}

}  // namespace

model::MulticlassLabelsByWorker by_worker(const model::LabelSet& labels) {
  model::MulticlassLabelsByWorker result(labels.worker_count);
  for (std::size_t n = 0; n < labels.labels.size(); ++n) {
    const auto& [item, worker, label] = labels.labels[n];
    result[position(worker)].push_back({position(item), position(label), labels.confidence(n)});
  }
  return result;
}

model::MulticlassFitOptions pooled_fit_options(const model::LabelSet& labels,
                                               const PooledOptions& options) {
  const double classes = labels.class_count;
  return {.item_count = labels.item_count,
          .tables = {.class_count = labels.class_count,
                     .coins = model::Coins::two,
                     .prior = model::matched(options.worker_prior),
                     .row_strength = model::pooled_row_strength(labels.class_count)},
          .shares = options.shares.empty() ? std::vector<double>(labels.class_count, 1 / classes)
                                           : options.shares,
          .design = options.design,
          .weight_variance = options.weight_variance,
          .pooled = true,
          .learn_mean = true,
          .ordered = options.ordered,
          .groups = options.groups,
          .shares_known = !options.shares.empty()};
}

Result<void> check_finite(std::string_view method, const model::MulticlassFit& fit) {
  if (std::ranges::all_of(fit.probabilities, [](double p) { return std::isfinite(p); })) return {};
  return fail(ErrorCode::invalid_argument,
              fmt::format("method {} overflows on features this large; expected standardised "
                          "features",
                          in_quotes(method)));
}

Aggregation aggregation_of(model::MulticlassFit fit, const model::LabelSet& labels,
                           std::span<const std::uint32_t> groups) {
  Aggregation result;
  result.answers = with_answers(std::move(fit.probabilities), labels);
  const std::vector<double> shares = mean_shares(result.answers);
  const std::size_t classes = shares.size();
  WorkerEstimates& workers = result.workers;
  workers.reliability.assign(labels.worker_count, std::nan(""));
  workers.confusion.resize(fit.counts.size());
  for (const auto& [item, worker, label] : labels.labels) workers.reliability[position(worker)] = 0;
  for (std::size_t j = 0; j < labels.worker_count; ++j) {
    const std::size_t at = j * classes * classes;
    fit.tables.mean(&fit.counts[at], &workers.confusion[at]);
    if (j < groups.size() && groups[j] != 0) {
      const double r = fit.groups.repeats[j];
      const double* const view = &fit.groups.tables[(groups[j] - 1) * classes * classes];
      for (std::size_t n = 0; n < classes * classes; ++n)
        workers.confusion[at + n] = r * view[n] + (1 - r) * workers.confusion[at + n];
    }
    if (fit.spammers) {
      for (std::size_t n = 0; n < classes * classes; ++n) {
        double& chance = workers.confusion[at + n];
        chance = fit.spammers->chance(j, static_cast<std::uint32_t>(n % classes), chance);
      }
    }
    for (std::size_t k = 0; k < classes; ++k)
      workers.reliability[j] += shares[k] * workers.confusion[at + k * classes + k];
  }
  return result;
}

}  // namespace allot::aggregate
