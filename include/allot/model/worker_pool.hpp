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

struct WorkerType {
  std::string name;
  std::uint32_t count = 1;
  /// Prior of the probability that a worker of the type gives the label of a perfect one; proper.
  Prior reliability = Prior::beta(4, 1);
  /// Price of a label; positive.
  Money price = kUnitPrice;

  bool operator==(const WorkerType&) const = default;
};

/// Workers are numbered type by type, in the order of the types.
struct WorkerPool {
  std::vector<WorkerType> types;

  bool operator==(const WorkerPool&) const = default;
};

std::uint32_t worker_count(const WorkerPool& pool);
/// The position of the worker's type.
std::uint32_t type_of(const WorkerPool& pool, WorkerId worker);
/// Whether all workers have the same price.
bool has_one_price(const WorkerPool& pool);
/// Prices and priors, one per worker.
std::vector<Money> prices(const WorkerPool& pool);
std::vector<Prior> reliability_priors(const WorkerPool& pool);

/// Throws std::invalid_argument if there is no type, more than 4,294,967,295 workers, or a type
/// without workers, with an improper prior or a price that is not positive.
void check(const WorkerPool& pool);

}  // namespace allot::model
