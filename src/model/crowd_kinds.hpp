// The crowds that model/crowd.hpp makes, and what they share.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "allot/model/crowd.hpp"
#include "model/grid_prior_fit.hpp"

namespace allot::model {

/// One pass by moment matching, under a worker prior that is given or learned.
std::unique_ptr<Crowd> one_pass_crowd(const CrowdOptions& options, std::uint32_t item_count,
                                      std::uint32_t worker_count);
/// Refitted by belief propagation or expectation-maximisation.
std::unique_ptr<Crowd> refitted_crowd(const CrowdOptions& options, std::uint32_t item_count,
                                      std::uint32_t worker_count);

inline constexpr std::string_view kGrowCrowd = "Crowd::grow";

void save_shapes(const std::vector<ItemState>& items, ByteWriter& to);
void load_shapes(std::vector<ItemState>& items, bool soft, ByteReader& from);
/// A worker prior, once it was learned.
void save_learned(const std::optional<math::BetaShape>& prior, ByteWriter& to);
std::optional<math::BetaShape> load_learned(ByteReader& from);
[[noreturn]] void reject_revision(ItemId item);
[[noreturn]] void reject_known_revision(WorkerId worker);

GridPriorFit worker_prior_fit(const CrowdOptions& options);
Prior beta_prior(const math::BetaShape& shape);

}  // namespace allot::model
