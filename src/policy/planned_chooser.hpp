// Choices by dynamic programming: a chooser that looks values up, and the tables of values made so
// far.
//
// Tables are the values of all states of a problem:
//   Beliefs                               the type of beliefs they are made from
//   Start, start_of(beliefs)              what decides the values, apart from the budget; has ==
//   create(beliefs, budget)               a Result with a shared pointer to const Tables
//   choices(beliefs, t)                   the value of asking each item after t labels
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "allot/base/check.hpp"
#include "allot/policy/policy.hpp"

namespace allot::policy {

template <typename Tables>
class PlannedChooser final : public Chooser {
 public:
  using Beliefs = typename Tables::Beliefs;

  PlannedChooser(const Beliefs& beliefs, std::shared_ptr<const Tables> tables, TieBreak ties)
      : beliefs_(beliefs), tables_(std::move(tables)), ties_(ties), start_(beliefs.stage()) {}

  ItemId choose(Rng& rng) override {
    const std::vector<double> choices = tables_->choices(beliefs_, beliefs_.stage() - start_);
    return ItemId{break_tie(best_candidates(choices), ties_, rng)};
  }
  void refresh(ItemId) override {}
  void exclude(ItemId item) override {
    reject("dp", "item to exclude", position(item), "expected none: the plan has all items");
  }

 private:
  const Beliefs& beliefs_;
  const std::shared_ptr<const Tables> tables_;
  const TieBreak ties_;
  const std::uint64_t start_;
};

/// Makes tables once for all campaigns that start from the same beliefs with the same budget.
template <typename Tables>
class Plans {
 public:
  Result<std::unique_ptr<Chooser>> start(const typename Tables::Beliefs& beliefs,
                                         std::uint64_t budget, TieBreak ties) const {
    return tables(beliefs, budget)
        .map([&](std::shared_ptr<const Tables> made) -> std::unique_ptr<Chooser> {
          return std::make_unique<PlannedChooser<Tables>>(beliefs, std::move(made), ties);
        });
  }

 private:
  struct Plan {
    typename Tables::Start start;
    std::uint64_t budget;
    std::shared_ptr<const Tables> tables;
  };

  Result<std::shared_ptr<const Tables>> tables(const typename Tables::Beliefs& beliefs,
                                               std::uint64_t budget) const {
    auto start = Tables::start_of(beliefs);
    const std::lock_guard lock(mutex_);
    const auto known = std::ranges::find_if(
        plans_, [&](const Plan& plan) { return plan.budget == budget && plan.start == start; });
    if (known != plans_.end()) return known->tables;
    auto made = Tables::create(beliefs, budget);
    if (made) plans_.push_back({std::move(start), budget, *made});
    return made;
  }

  mutable std::mutex mutex_;
  mutable std::vector<Plan> plans_;
};

}  // namespace allot::policy
