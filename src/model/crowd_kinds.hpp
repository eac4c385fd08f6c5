// The kinds of crowds that make_crowd chooses from, and the pieces that they share.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "allot/model/crowd.hpp"
#include "allot/model/item_state.hpp"
#include "model/worker_grid.hpp"

namespace allot::model {

using MakeCrowd = std::unique_ptr<Crowd>(const CrowdOptions& options, std::uint32_t item_count,
                                         std::uint32_t worker_count);
/// One pass by moment matching, under a worker prior that is given or learned.
MakeCrowd one_pass_binary_crowd, one_pass_multiclass_crowd;
/// Refitted by belief propagation (binary only), expectation-maximisation or pooled tables
/// (multi-class only).
MakeCrowd refitted_binary_crowd, refitted_multiclass_crowd;

/// Throws std::invalid_argument unless there is a proper prior per new worker, or none.
void check_new_workers(std::span<const Prior> priors, bool learned, std::uint32_t before,
                       std::uint32_t after);
/// Throws std::invalid_argument unless the design has a row per item.
void check_rows(const Design& design, std::uint32_t item_count);
/// Throws std::invalid_argument if there is a design.
void check_no_design(const std::shared_ptr<const Design>& design);
/// Throw std::invalid_argument: there is no such label to revise.
[[noreturn]] void reject_revision(ItemId item);
[[noreturn]] void reject_known_revision(WorkerId worker);

void save_shapes(const std::vector<ItemState>& items, ByteWriter& to);
void load_shapes(std::vector<ItemState>& items, bool soft, ByteReader& from);
/// A worker prior, if one was learned.
void save_learned(const std::optional<math::BetaShape>& prior, ByteWriter& to);
std::optional<math::BetaShape> load_learned(ByteReader& from);

/// The estimate of a worker prior from likelihoods on a WorkerGrid with that many coins.
GridPriorFit worker_prior_fit(const CrowdOptions& options, Coins coins);
Prior beta_prior(const math::BetaShape& shape);

/// Probabilities of an item's classes after a label: the mean chances times the label's column of
/// the table, scaled to sum to 1. All 0 if the label is impossible.
std::vector<double> explained(std::span<const double> item, std::span<const double> table,
                              std::uint32_t label);
/// Whether the label that left these weights is possible: zeros in a table rule it out.
bool is_possible(const std::vector<double>& weights);
/// Points of the grid on which the reliability of multi-class workers is estimated.
std::size_t reliability_grid_size();

}  // namespace allot::model
