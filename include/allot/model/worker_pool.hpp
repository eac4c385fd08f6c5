// The workers that a campaign can ask, by type: their number, the belief about them and their
// price.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "allot/base/ids.hpp"
#include "allot/base/money.hpp"
#include "allot/model/prior.hpp"

namespace allot::model {

/// Group of workers with one reliability prior and one price.
struct WorkerType {
  std::string name;         ///< name in reports
  std::uint32_t count = 1;  ///< number of workers of the type; at least 1
  /// Prior of the probability that a worker of the type gives the label of a perfect one; proper.
  Prior reliability = Prior::beta(4, 1);
  /// Price of a label; positive.
  Money price = kUnitPrice;
  /// Chance that a worker of the type repeats a view which all of them share, so that they err
  /// together (model/group_views.hpp); from 0 to 1.
  double repeats = 0;

  bool operator==(const WorkerType&) const = default;
};

/// Workers of one or more types. Workers are numbered type by type, in the order of the types.
struct WorkerPool {
  std::vector<WorkerType> types;  ///< at least one in a valid pool

  bool operator==(const WorkerPool&) const = default;
};

/// Number of workers of all types together.
std::uint32_t worker_count(const WorkerPool& pool);
/// Position of the worker's type in `types`. Throws std::invalid_argument for an unknown worker.
std::uint32_t type_of(const WorkerPool& pool, WorkerId worker);
/// Whether all workers have the same price.
bool has_one_price(const WorkerPool& pool);
/// Prices of a label, one per worker.
std::vector<Money> prices(const WorkerPool& pool);
/// Priors of the reliability, one per worker.
std::vector<Prior> reliability_priors(const WorkerPool& pool);

/// Chances to repeat the view of the type, one per worker.
std::vector<double> repeat_chances(const WorkerPool& pool);
/// Groups of the workers, one per worker: a number from 1 on for each type whose members repeat a
/// shared view, 0 for workers of other types. Empty if there is no such type.
std::vector<std::uint32_t> groups(const WorkerPool& pool);

/// Throws std::invalid_argument if there is no type, more than 4,294,967,295 workers, or a type
/// without workers, with an improper prior, a price that is not positive or a chance out of range.
void check(const WorkerPool& pool);

}  // namespace allot::model
