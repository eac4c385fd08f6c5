#include "allot/model/crowd.hpp"

#include "allot/base/check.hpp"
#include "model/by_worker.hpp"
#include "model/crowd_kinds.hpp"
#include "model/worker_hyper_prior.hpp"

namespace allot::model {

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

void reject_revision(ItemId item) {
  reject("Crowd::revise", "item", position(item), "expected one that the worker labelled");
}

void reject_known_revision(WorkerId worker) {
  reject("Crowd::revise_known", "worker", position(worker),
         "expected one who gave that label of such an item");
}

GridPriorFit worker_prior_fit(const CrowdOptions& options) {
  return {options.coins, worker_hyper_prior(options.worker_prior)};
}

Prior beta_prior(const math::BetaShape& shape) { return Prior::beta(shape.a, shape.b); }

std::unique_ptr<Crowd> make_crowd(const CrowdOptions& options, std::uint32_t item_count,
                                  std::uint32_t worker_count) {
  constexpr std::string_view kName = "make_crowd";
  require(options.item_prior.is_proper(), kName, "item prior", 0, "expected a proper one");
  check_worker_priors(kName, options.worker_prior, options.worker_priors, options.learn_workers,
                      worker_count);
  if (options.refit != Refit::off) return refitted_crowd(options, item_count, worker_count);
  require(!options.item_prior.is_mixture(), kName, "components of the item prior",
          static_cast<double>(options.item_prior.components().size()), "expected one");
  return one_pass_crowd(options, item_count, worker_count);
}

}  // namespace allot::model
