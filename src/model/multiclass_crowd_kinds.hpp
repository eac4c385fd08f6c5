// The crowds that model/multiclass_crowd.hpp makes, and what they share.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "allot/model/multiclass_crowd.hpp"
#include "model/grid_prior_fit.hpp"

namespace allot::model {

/// One pass by moment matching, under a worker prior that is given or learned.
std::unique_ptr<MulticlassCrowd> one_pass_multiclass_crowd(const MulticlassCrowdOptions& options,
                                                           std::uint32_t item_count,
                                                           std::uint32_t worker_count);
/// Refitted by expectation-maximisation.
std::unique_ptr<MulticlassCrowd> em_multiclass_crowd(const MulticlassCrowdOptions& options,
                                                     std::uint32_t item_count,
                                                     std::uint32_t worker_count);

inline constexpr std::string_view kGrowClassCrowd = "MulticlassCrowd::grow";

/// What a label leaves of an item's class: mean chances times the column of the table, scaled to
/// sum to 1. All 0 if the label cannot come.
std::vector<double> explained(std::span<const double> item, std::span<const double> table,
                              std::uint32_t label);
/// A table of zeros and ones may make a label impossible.
bool is_possible(const std::vector<double>& weights);
[[noreturn]] void reject_class_revision(ItemId item);
[[noreturn]] void reject_known_class_revision(WorkerId worker);

GridPriorFit reliability_fit(const MulticlassCrowdOptions& options);
std::size_t reliability_grid_size();

}  // namespace allot::model
