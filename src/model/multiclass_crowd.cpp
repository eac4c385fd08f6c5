#include "allot/model/multiclass_crowd.hpp"

#include <algorithm>
#include <cmath>

#include "allot/base/check.hpp"
#include "allot/model/multiclass_belief.hpp"
#include "model/by_worker.hpp"
#include "model/multiclass_crowd_kinds.hpp"
#include "model/worker_hyper_prior.hpp"

namespace allot::model {

std::vector<double> explained(std::span<const double> item, std::span<const double> table,
                              std::uint32_t label) {
  std::vector<double> weights(item.size());
  double sum = 0;
  for (std::size_t k = 0; k < item.size(); ++k) {
    sum += weights[k] = item[k] * table[k * item.size() + label];
  }
  for (double& weight : weights) weight = sum > 0 ? weight / sum : 0;
  return weights;
}

bool is_possible(const std::vector<double>& weights) {
  return std::ranges::any_of(weights, [](double w) { return w > 0; });
}

void reject_class_revision(ItemId item) {
  reject("MulticlassCrowd::revise", "item", position(item),
         "expected one that the worker labelled");
}

void reject_known_class_revision(WorkerId worker) {
  reject("MulticlassCrowd::revise_known", "worker", position(worker),
         "expected one who gave that label of such an item");
}

GridPriorFit reliability_fit(const MulticlassCrowdOptions& options) {
  return {Coins::one, worker_hyper_prior(options.worker_prior)};
}

std::size_t reliability_grid_size() { return WorkerGrid({}, Coins::one).size(); }

std::unique_ptr<MulticlassCrowd> make_multiclass_crowd(const MulticlassCrowdOptions& options,
                                                       std::uint32_t item_count,
                                                       std::uint32_t worker_count) {
  constexpr std::string_view kName = "make_multiclass_crowd";
  static_cast<void>(DirichletPrior::dirichlet(options.item_prior));  // throws if it is none
  check_worker_priors(kName, options.worker_prior, options.worker_priors, options.learn_workers,
                      worker_count);
  require(options.weight_variance >= 0 && std::isfinite(options.weight_variance), kName,
          "weight variance", options.weight_variance, "expected a number, not negative");
  require(options.refit != Refit::integrated, kName, "refit", 0, "expected off or em");
  if (options.design) {
    require(options.refit == Refit::em, kName, "refit", 0, "expected em where items have features");
    require(options.design->item_count == item_count, kName, "items with features",
            options.design->item_count, "expected one row for every item");
  }
  return options.refit == Refit::off ? one_pass_multiclass_crowd(options, item_count, worker_count)
                                     : em_multiclass_crowd(options, item_count, worker_count);
}

}  // namespace allot::model
