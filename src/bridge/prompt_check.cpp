#include "bridge/prompt_check.hpp"

#include <algorithm>
#include <set>

#include "allot/base/text.hpp"
#include "base/errors.hpp"

namespace allot::bridge {
namespace {

constexpr std::uint32_t kMostLookedAt = 10'000;

}  // namespace

Result<std::optional<ItemId>> find_fitting_item(const campaign::CampaignView& view,
                                                const PromptTemplate& prompt) {
  const std::uint32_t all =
      TRY(view.read([](const campaign::State& state) { return state.item_count(); }));
  const std::uint32_t looked_at = std::min(all, kMostLookedAt);
  std::optional<std::string> missing;  // in the first item
  for (std::uint32_t i = 0; i < looked_at; ++i) {
    auto field = prompt.missing_field(TRY(view.content(ItemId{i})));
    if (!field) return ItemId{i};
    if (i == 0) missing = std::move(field);
  }
  if (looked_at == 0) return std::nullopt;
  return invalid(
      "{} has all fields of the prompt, and the first has no field {}; expected only fields that "
      "items have",
      looked_at < all ? fmt::format("none of the first {} items", looked_at) : "no item",
      in_quotes(for_display(*missing, 80)));
}

Result<UnfitItems> count_unfit_items(const campaign::CampaignView& view,
                                     const PromptTemplate& prompt) {
  const std::uint32_t all =
      TRY(view.read([](const campaign::State& state) { return state.item_count(); }));
  UnfitItems unfit{.of = std::min(all, kMostCounted)};
  for (std::uint32_t i = 0; i < unfit.of; ++i)
    unfit.count += prompt.missing_field(TRY(view.content(ItemId{i}))).has_value();
  return unfit;
}

Result<std::vector<std::string>> skips_that_fit(const campaign::CampaignView& view,
                                                const std::string& worker,
                                                const PromptTemplate& prompt) {
  const std::optional<WorkerId> who =
      TRY(view.read([&](const campaign::State& state) -> std::optional<WorkerId> {
        const auto found = state.find_worker(worker);
        const bool skips = found && state[*found].skips > state[*found].abstained;
        return skips && state.phase() != campaign::Phase::closed ? found : std::nullopt;
      }));
  if (!who) return std::vector<std::string>();
  std::set<ItemId> lacking;
  TRY(view.replay([&](const campaign::LedgerEntry& entry) {
    const auto* const skip = std::get_if<campaign::Skipped>(&entry.event);
    if (skip && skip->worker == *who && skip->remark.reason == kLacksField)
      lacking.insert(skip->item);
  }));
  std::vector<std::string> fitting;
  for (const ItemId item : lacking) {
    if (prompt.missing_field(TRY(view.content(item)))) continue;
    TRY(view.read([&](const campaign::State& state) {
      if (state.pairs().status(item, *who) == campaign::PairStatus::skipped)
        fitting.push_back(state.id(item));
    }));
  }
  return fitting;
}

}  // namespace allot::bridge
