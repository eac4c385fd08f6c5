// Now and then a label is spent on comparing workers.
#include <vector>

#include "policy/choosers.hpp"

namespace allot::policy {
namespace {

/// One choice in so many is a probe. One in 20 costs more where the budget is one label per item;
/// docs/replays.md has the figures.
constexpr std::uint64_t kProbeEvery = 40;
/// Items drawn until one is open for somebody.
constexpr int kDraws = 8;

class ProbingChooser final : public PairChooser {
 public:
  ProbingChooser(std::unique_ptr<PairChooser> by_index, const Offers& offers)
      : by_index_(std::move(by_index)), offers_(offers) {
    list_labelled();
  }

  std::optional<Pair> choose(Rng& rng) override {
    if (below(rng, kProbeEvery) == 0) {
      if (const auto pair = probe(rng)) return pair;
    }
    return by_index_->choose(rng);
  }
  std::optional<ItemId> choose(WorkerId worker, Rng& rng) override {
    return by_index_->choose(worker, rng);
  }

  void refresh(const Pair& asked, bool all) override {
    by_index_->refresh(asked, all);
    all ? list_labelled() : list(asked.item);
  }
  void exclude(ItemId item) override { by_index_->exclude(item); }
  void exclude(WorkerId worker) override { by_index_->exclude(worker); }
  void update(ItemId item) override { by_index_->update(item); }
  void grow() override { by_index_->grow(); }
  double value(const Pair& pair) const override { return by_index_->value(pair); }

 private:
  /// A random item that has labels, and a random worker who can still label it. A worker who costs
  /// c times as much as the cheapest is asked with the chance 1/c.
  std::optional<Pair> probe(Rng& rng) const {
    std::vector<WorkerId> open;
    for (int n = 0; n < kDraws && !labelled_.empty(); ++n) {
      const ItemId item = labelled_[below(rng, labelled_.size())];
      for (std::uint32_t worker = 0; worker < offers_.worker_count(); ++worker) {
        if (offers_.is_open({item, WorkerId{worker}})) open.push_back(WorkerId{worker});
      }
      if (open.empty()) continue;
      const WorkerId worker = open[below(rng, open.size())];
      if (uniform(rng) * offers_.relative_price(worker) >= 1) return {};
      return Pair{item, worker};
    }
    return {};
  }

  void list(ItemId item) {
    is_listed_.resize(offers_.item_count());
    if (is_listed_[position(item)] || offers_.labels(item) == 0) return;
    is_listed_[position(item)] = true;
    labelled_.push_back(item);
  }
  void list_labelled() {
    labelled_.clear();
    is_listed_.clear();
    for (std::uint32_t item = 0; item < offers_.item_count(); ++item) list(ItemId{item});
  }

  const std::unique_ptr<PairChooser> by_index_;
  const Offers& offers_;
  std::vector<ItemId> labelled_;  // items that have labels
  std::vector<bool> is_listed_;   // by item
};

}  // namespace

std::unique_ptr<PairChooser> probing_chooser(std::unique_ptr<PairChooser> by_index,
                                             const Offers& offers) {
  return std::make_unique<ProbingChooser>(std::move(by_index), offers);
}

}  // namespace allot::policy
