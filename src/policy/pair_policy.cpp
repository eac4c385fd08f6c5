#include "allot/policy/pair_policy.hpp"

#include "allot/base/check.hpp"
#include "allot/model/binary_crowd.hpp"
#include "allot/model/multiclass_crowd.hpp"
#include "policy/item_search.hpp"
#include "policy/multiclass_item_search.hpp"
#include "policy/pair_index_chooser.hpp"

namespace allot::policy {
namespace {

class PairIndexPolicy final : public PairPolicy {
 public:
  PairIndexPolicy(std::string name, PairIndices indices, TieBreak ties, std::string_view answers_by)
      : name_(std::move(name)),
        indices_(std::move(indices)),
        ties_(ties),
        answers_by_(answers_by) {}

  std::string name() const override { return name_; }
  std::string_view answers_by() const override { return answers_by_; }
  bool for_several_classes() const override { return indices_.multiclass.has_value(); }
  std::unique_ptr<PairChooser> start(const model::Crowd& crowd,
                                     const Offers& offers) const override {
    if (const model::BinaryCrowd* const binary = crowd.binary()) {
      return std::make_unique<PairIndexChooser<ItemSearch>>(*binary, offers, indices_.binary,
                                                            ties_);
    }
    require(for_several_classes(), "PairPolicy::start", "classes", crowd.class_count(),
            "expected a policy for several classes");
    return std::make_unique<PairIndexChooser<MulticlassItemSearch>>(*crowd.multiclass(), offers,
                                                                    *indices_.multiclass, ties_);
  }

 private:
  const std::string name_;
  const PairIndices indices_;
  const TieBreak ties_;
  const std::string answers_by_;
};

class UniformChooser final : public PairChooser {
 public:
  explicit UniformChooser(const Offers& offers) : offers_(offers) {}

  std::optional<Pair> choose(Rng& rng) override {
    for (int n = 0; offers_.left() > 0 && n < kTries; ++n) {
      const Pair drawn = draw(rng);
      if (!offers_.is_withheld(drawn.item)) return drawn;
    }
    std::vector<Pair> open;
    for (std::uint32_t worker = 0; worker < offers_.worker_count(); ++worker) {
      for (const ItemId item : open_items(WorkerId{worker}))
        open.push_back({item, WorkerId{worker}});
    }
    if (open.empty()) return {};
    return open[below(rng, open.size())];
  }

  std::optional<ItemId> choose(WorkerId worker, Rng& rng) override {
    const std::uint32_t left = offers_.left(worker);
    for (int n = 0; left > 0 && n < kTries; ++n) {
      const ItemId item = offers_.open_item(worker, static_cast<std::uint32_t>(below(rng, left)));
      if (!offers_.is_withheld(item)) return item;
    }
    const std::vector<ItemId> open = open_items(worker);
    if (open.empty()) return {};
    return open[below(rng, open.size())];
  }

  void refresh(const Pair&, bool) override {}
  void exclude(ItemId) override {}
  void exclude(WorkerId) override {}
  void update(ItemId) override {}
  void grow() override {}
  double value(const Pair&) const override { return 1; }

 private:
  /// Draws before all pairs are listed, which is needed where most items are withheld.
  static constexpr int kTries = 64;

  Pair draw(Rng& rng) const {
    std::uint64_t n = below(rng, offers_.left());
    std::uint32_t worker = 0;
    for (; n >= offers_.left(WorkerId{worker}); ++worker) n -= offers_.left(WorkerId{worker});
    const WorkerId chosen{worker};
    return {offers_.open_item(chosen, static_cast<std::uint32_t>(n)), chosen};
  }

  std::vector<ItemId> open_items(WorkerId worker) const {
    std::vector<ItemId> open;
    for (std::uint32_t n = 0; n < offers_.left(worker); ++n) {
      const ItemId item = offers_.open_item(worker, n);
      if (!offers_.is_withheld(item)) open.push_back(item);
    }
    return open;
  }

  const Offers& offers_;
};

class UniformPolicy final : public PairPolicy {
 public:
  std::string name() const override { return "uniform"; }
  bool for_several_classes() const override { return true; }
  std::unique_ptr<PairChooser> start(const model::Crowd&, const Offers& offers) const override {
    return std::make_unique<UniformChooser>(offers);
  }
};

}  // namespace

std::shared_ptr<const PairPolicy> pair_index_policy(std::string name, PairIndices indices,
                                                    TieBreak ties, std::string_view answers_by) {
  return std::make_shared<PairIndexPolicy>(std::move(name), std::move(indices), ties, answers_by);
}

std::shared_ptr<const PairPolicy> uniform_pair_policy() {
  return std::make_shared<UniformPolicy>();
}

}  // namespace allot::policy
