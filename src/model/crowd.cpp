#include "allot/model/crowd.hpp"

#include <algorithm>
#include <cmath>

#include "allot/base/check.hpp"
#include "model/crowd_kinds.hpp"
#include "model/worker_grid.hpp"

namespace allot::model {
namespace {

void check_worker_priors(std::string_view function, std::span<const Prior> priors, bool learned) {
  require(std::ranges::all_of(priors, &Prior::is_proper), function, "worker prior", 0,
          "expected a proper one");
  require(priors.empty() || !learned, function, "number of worker priors",
          static_cast<double>(priors.size()), "expected one for all where it is learned");
}

void check_design(const CrowdOptions& options, std::uint32_t item_count) {
  constexpr std::string_view kName = "make_crowd";
  const double variance = options.weight_variance.value_or(0);
  require(variance >= 0 && std::isfinite(variance), kName, "weight variance", variance,
          "expected a number, not negative");
  if (!options.design) return;
  require(options.refit != Refit::off, kName, "refit", 0,
          "expected refits where items have features");
  require(options.is_multiclass() || options.refit != Refit::em, kName, "refit",
          static_cast<double>(options.refit),
          "expected integrated, or a Dirichlet item prior, where items have features");
  check_rows(*options.design, item_count);
}

void check_groups(const CrowdOptions& options) {
  constexpr std::string_view kName = "make_crowd";
  if (options.groups.empty()) return;
  require(options.is_multiclass(), kName, "classes", 2,
          "expected a Dirichlet item prior where workers belong to groups");
  require(options.refit == Refit::pooled, kName, "refit", static_cast<double>(options.refit),
          "expected pooled refits where workers belong to groups");
}

void check_inherited(const CrowdOptions& options) {
  constexpr std::string_view kName = "make_crowd";
  const std::size_t cells = std::size_t{options.class_count()} * options.class_count();
  for (const std::vector<double>& table : options.inherited) {
    require(table.empty() || table.size() == cells, kName, "inherited counts",
            static_cast<double>(table.size()), "expected one per true class and given class");
    for (const double count : table) {
      require(count >= 0 && std::isfinite(count), kName, "inherited count", count,
              "expected a number, not negative");
    }
  }
}

}  // namespace

std::vector<double> Crowd::probabilities(ItemId item) const {
  std::vector<double> result(class_count());
  probabilities(item, result);
  return result;
}

void check_new_workers(std::span<const Prior> priors, bool learned, std::uint32_t before,
                       std::uint32_t after) {
  constexpr std::string_view kName = "Crowd::grow";
  require(priors.empty() || priors.size() + before == after, kName, "number of worker priors",
          static_cast<double>(priors.size()), "expected one for each new worker");
  check_worker_priors(kName, priors, learned);
}

void check_no_design(const std::shared_ptr<const Design>& design) {
  require(!design, "Crowd::grow", "design", 1,
          "expected none but for refits, by integrated if items are binary");
}

void check_rows(const Design& design, std::uint32_t item_count) {
  require(design.item_count == item_count, "Crowd", "items with features", design.item_count,
          "expected one row per item");
}

void reject_revision(ItemId item) {
  reject("Crowd::revise", "item", position(item), "expected one that the worker labelled");
}

void reject_known_revision(WorkerId worker) {
  reject("Crowd::revise_known", "worker", position(worker),
         "expected one who gave that label of such an item");
}

void save_shapes(const std::vector<ItemState>& items, ByteWriter& to) {
  to.number(items.size());
  for (const ItemState& item : items) {
    to.real(item.shape.a);
    to.real(item.shape.b);
  }
}

void load_shapes(std::vector<ItemState>& items, bool soft, ByteReader& from) {
  items.resize(from.count(2 * sizeof(double)));
  for (ItemState& item : items) {
    const double a = from.real();
    item = {{a, from.real()}, soft};
  }
}

void save_learned(const std::optional<math::BetaShape>& prior, ByteWriter& to) {
  to.array(prior ? std::vector{*prior} : std::vector<math::BetaShape>());
}

std::optional<math::BetaShape> load_learned(ByteReader& from) {
  std::vector<math::BetaShape> prior;
  from.array(prior);
  return prior.empty() ? std::nullopt : std::optional(prior.front());
}

GridPriorFit worker_prior_fit(const CrowdOptions& options, Coins coins) {
  return {coins, worker_hyper_prior(options.worker_prior)};
}

Prior beta_prior(const math::BetaShape& shape) { return Prior::beta(shape.a, shape.b); }

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
  return std::ranges::any_of(weights, [](double weight) { return weight > 0; });
}

std::size_t reliability_grid_size() { return WorkerGrid({}, Coins::one).size(); }

std::unique_ptr<Crowd> make_crowd(const CrowdOptions& options, std::uint32_t item_count,
                                  std::uint32_t worker_count) {
  constexpr std::string_view kName = "make_crowd";
  check_worker_priors(kName, {&options.worker_prior, 1}, false);
  check_worker_priors(kName, options.worker_priors, options.learn_workers);
  require(options.worker_priors.empty() || options.worker_priors.size() == worker_count, kName,
          "number of worker priors", static_cast<double>(options.worker_priors.size()),
          "expected one per worker");
  check_design(options, item_count);
  check_groups(options);
  check_inherited(options);
  const bool one_pass = options.refit == Refit::off;
  if (options.is_multiclass()) {
    return one_pass ? one_pass_multiclass_crowd(options, item_count, worker_count)
                    : refitted_multiclass_crowd(options, item_count, worker_count);
  }
  const Prior& prior = std::get<Prior>(options.item_prior);
  require(prior.is_proper(), kName, "item prior", 0, "expected a proper one");
  if (!one_pass) return refitted_binary_crowd(options, item_count, worker_count);
  require(!prior.is_mixture(), kName, "components of the item prior",
          static_cast<double>(prior.components().size()), "expected one");
  return one_pass_binary_crowd(options, item_count, worker_count);
}

}  // namespace allot::model
