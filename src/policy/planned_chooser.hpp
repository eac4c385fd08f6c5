// Choices by dynamic programming: a chooser that looks values up, and tables made once.
//
// Tables are the values of all states of a problem:
//   Beliefs                               the type of beliefs they are made from
//   Start, start_of(beliefs)              what decides the values, apart from the budget; has ==
//   create(beliefs, budget)               a Result with a shared pointer to const Tables
//   choices(beliefs, t)                   the value of asking each item after t labels
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "allot/base/check.hpp"
#include "allot/policy/policy.hpp"
#include "base/try.hpp"

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

template <typename Beliefs>
using DpForm = std::function<Result<std::unique_ptr<Chooser>>(const Beliefs&, std::uint64_t budget,
                                                              TieBreak ties)>;

/// Makes tables once for all campaigns that start from the same beliefs with the same budget.
template <typename Tables>
DpForm<typename Tables::Beliefs> dp_form() {
  struct Plan {
    typename Tables::Start start;
    std::uint64_t budget;
    std::shared_ptr<const Tables> tables;
  };
  struct Plans {
    std::mutex mutex;
    std::vector<Plan> made;
  };
  return [plans = std::make_shared<Plans>()](const typename Tables::Beliefs& beliefs,
                                             std::uint64_t budget,
                                             TieBreak ties) -> Result<std::unique_ptr<Chooser>> {
    auto start = Tables::start_of(beliefs);
    const std::lock_guard lock(plans->mutex);
    auto plan = std::ranges::find_if(plans->made, [&](const Plan& known) {
      return known.budget == budget && known.start == start;
    });
    if (plan == plans->made.end()) {
      auto tables = TRY(Tables::create(beliefs, budget));
      plan = plans->made.insert(plan, {std::move(start), budget, std::move(tables)});
    }
    return std::make_unique<PlannedChooser<Tables>>(beliefs, plan->tables, ties);
  };
}

/// Of multiclass_exact.cpp.
DpForm<model::MulticlassBeliefs> multiclass_dp_form();

}  // namespace allot::policy
