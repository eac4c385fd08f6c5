// A policy that knows the end: hopeful while labels are to spare, careful with the last ones.
#include "policy/choosers.hpp"

namespace allot::policy {
namespace {

class BudgetChooser final : public PairChooser {
 public:
  BudgetChooser(std::function<std::unique_ptr<PairChooser>()> make_early,
                std::unique_ptr<PairChooser> late, const Offers& offers)
      : make_early_(std::move(make_early)), late_(std::move(late)), offers_(offers) {}

  std::optional<Pair> choose(Rng& rng) override {
    if (offers_.labels_left() <= offers_.item_count()) {
      early_.reset();
      return late_->choose(rng);
    }
    if (!early_) early_ = make_early_();
    return early_->choose(rng);
  }
  std::optional<ItemId> choose(WorkerId worker, Rng& rng) override {
    return late_->choose(worker, rng);
  }

  void refresh(const Pair& asked, bool all) override {
    each([&](PairChooser& one) { one.refresh(asked, all); });
  }
  void exclude(ItemId item) override {
    each([&](PairChooser& one) { one.exclude(item); });
  }
  void exclude(WorkerId worker) override {
    each([&](PairChooser& one) { one.exclude(worker); });
  }
  void update(ItemId item) override {
    each([&](PairChooser& one) { one.update(item); });
  }
  void grow() override {
    each([](PairChooser& one) { one.grow(); });
  }
  double value(const Pair& pair) const override { return late_->value(pair); }

 private:
  template <typename Function>
  void each(Function function) {
    function(*late_);
    if (early_) function(*early_);
  }

  const std::function<std::unique_ptr<PairChooser>()> make_early_;
  const std::unique_ptr<PairChooser> late_;
  std::unique_ptr<PairChooser> early_;  // none before it chooses, nor with the last labels
  const Offers& offers_;
};

}  // namespace

std::unique_ptr<PairChooser> budget_chooser(std::function<std::unique_ptr<PairChooser>()> early,
                                            std::unique_ptr<PairChooser> late,
                                            const Offers& offers) {
  return std::make_unique<BudgetChooser>(std::move(early), std::move(late), offers);
}

}  // namespace allot::policy
