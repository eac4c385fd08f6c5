#include "allot/model/worker_pool.hpp"

#include <algorithm>
#include <limits>

#include "allot/base/check.hpp"

namespace allot::model {
namespace {

template <typename Value>
std::vector<Value> of_each_worker(const WorkerPool& pool, Value WorkerType::*member) {
  std::vector<Value> values;
  values.reserve(worker_count(pool));
  for (const WorkerType& type : pool.types) values.insert(values.end(), type.count, type.*member);
  return values;
}

}  // namespace

std::uint32_t worker_count(const WorkerPool& pool) {
  std::uint32_t count = 0;
  for (const WorkerType& type : pool.types) count += type.count;
  return count;
}

std::uint32_t type_of(const WorkerPool& pool, WorkerId worker) {
  std::uint32_t before = 0, type = 0;
  for (; type < pool.types.size(); ++type) {
    before += pool.types[type].count;
    if (position(worker) < before) return type;
  }
  reject("model::type_of", "worker", position(worker), "expected one of the pool");
}

bool has_one_price(const WorkerPool& pool) {
  return std::ranges::all_of(
      pool.types, [&](const WorkerType& type) { return type.price == pool.types.front().price; });
}

std::vector<Money> prices(const WorkerPool& pool) {
  return of_each_worker(pool, &WorkerType::price);
}

std::vector<Prior> reliability_priors(const WorkerPool& pool) {
  return of_each_worker(pool, &WorkerType::reliability);
}

std::vector<double> repeat_chances(const WorkerPool& pool) {
  return of_each_worker(pool, &WorkerType::repeats);
}

std::vector<std::uint32_t> groups(const WorkerPool& pool) {
  std::vector<std::uint32_t> result;
  std::uint32_t last = 0;
  for (const WorkerType& type : pool.types) {
    const std::uint32_t group = type.repeats > 0 ? ++last : 0;
    result.insert(result.end(), type.count, group);
  }
  if (last == 0) result.clear();
  return result;
}

void check(const WorkerPool& pool) {
  constexpr std::string_view kName = "model::WorkerPool";
  require(!pool.types.empty(), kName, "number of types", 0, "expected at least 1");
  std::uint64_t count = 0;
  for (const WorkerType& type : pool.types) {
    require(type.count > 0, kName, "count", 0, "expected at least 1");
    require(type.reliability.is_proper(), kName, "parameter of a reliability prior", 0,
            "expected a proper prior");
    require(type.price > Money(), kName, "price", type.price.value(), "expected more than 0");
    require(type.repeats >= 0 && type.repeats <= 1, kName, "chance to repeat", type.repeats,
            "expected a probability");
    count += type.count;
  }
  require(count <= std::numeric_limits<std::uint32_t>::max(), kName, "number of workers",
          static_cast<double>(count), "expected at most 4294967295");
}

}  // namespace allot::model
