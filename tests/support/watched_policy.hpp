// A policy that is followed by the test: it chooses as another does and keeps what was asked.
#pragma once

#include <memory>
#include <vector>

#include "allot/policy/pair_policy.hpp"

namespace allot::test {

/// For one run on one thread.
class WatchedPolicy final : public policy::Policy {
 public:
  explicit WatchedPolicy(std::shared_ptr<const policy::Policy> followed)
      : followed_(std::move(followed)) {}

  /// In the order they were asked.
  const std::vector<policy::Pair>& asked() const { return *asked_; }

  std::string name() const override { return followed_->name(); }
  std::string_view answers_by() const override { return followed_->answers_by(); }
  std::unique_ptr<policy::PairChooser> start(const model::Crowd& crowd,
                                             const policy::Offers& offers) const override {
    return std::make_unique<Chooser>(followed_->start(crowd, offers), *asked_);
  }
  bool has(policy::Form form) const override { return followed_->has(form); }

 private:
  class Chooser final : public policy::PairChooser {
   public:
    Chooser(std::unique_ptr<policy::PairChooser> followed, std::vector<policy::Pair>& asked)
        : followed_(std::move(followed)), asked_(asked) {}

    std::optional<policy::Pair> choose(Rng& rng) override {
      const auto pair = followed_->choose(rng);
      if (pair) asked_.push_back(*pair);
      return pair;
    }
    std::optional<ItemId> choose(WorkerId worker, Rng& rng) override {
      const auto item = followed_->choose(worker, rng);
      if (item) asked_.push_back({*item, worker});
      return item;
    }
    void refresh(const policy::Pair& pair, bool all) override { followed_->refresh(pair, all); }
    void exclude(ItemId item) override { followed_->exclude(item); }
    void exclude(WorkerId worker) override { followed_->exclude(worker); }
    void update(ItemId item) override { followed_->update(item); }
    void grow() override { followed_->grow(); }
    double value(const policy::Pair& pair) const override { return followed_->value(pair); }

   private:
    const std::unique_ptr<policy::PairChooser> followed_;
    std::vector<policy::Pair>& asked_;
  };

  const std::shared_ptr<const policy::Policy> followed_;
  const std::unique_ptr<std::vector<policy::Pair>> asked_ =
      std::make_unique<std::vector<policy::Pair>>();
};

}  // namespace allot::test
