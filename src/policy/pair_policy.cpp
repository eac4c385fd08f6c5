#include "allot/policy/pair_policy.hpp"

#include "allot/base/check.hpp"
#include "allot/policy/index_policy.hpp"
#include "policy/choosers.hpp"
#include "policy/item_search.hpp"
#include "policy/multiclass_item_search.hpp"
#include "policy/pair_index_chooser.hpp"

namespace allot::policy {
namespace {

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

}  // namespace

std::unique_ptr<PairChooser> pair_index_chooser(const model::Crowd& crowd, const Offers& offers,
                                                const PairIndices& indices, TieBreak ties) {
  if (const model::BinaryCrowd* const binary = crowd.binary()) {
    return std::make_unique<PairIndexChooser<ItemSearch>>(*binary, offers, indices.binary, ties);
  }
  require(indices.multiclass.has_value(), "Policy::start", "classes", crowd.class_count(),
          "expected a policy for multi-class items");
  return std::make_unique<PairIndexChooser<MulticlassItemSearch>>(*crowd.multiclass(), offers,
                                                                  *indices.multiclass, ties);
}

std::unique_ptr<PairChooser> uniform_pair_chooser(const Offers& offers) {
  return std::make_unique<UniformChooser>(offers);
}

std::shared_ptr<const Policy> pair_index_policy(std::string name, PairIndices indices,
                                                TieBreak ties, std::string_view answers_by) {
  return index_policy(std::move(name),
                      IndexForms{.pairs = std::move(indices), .answers_by = answers_by}, ties);
}

std::shared_ptr<const Policy> uniform_pair_policy() {
  return index_policy("uniform", IndexForms{.uniform_pairs = true}, TieBreak::random);
}

}  // namespace allot::policy
