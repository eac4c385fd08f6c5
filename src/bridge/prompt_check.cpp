#include "bridge/prompt_check.hpp"

#include <algorithm>

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

Result<std::uint32_t> count_unfit_items(const campaign::CampaignView& view,
                                        const PromptTemplate& prompt) {
  const std::uint32_t all =
      TRY(view.read([](const campaign::State& state) { return state.item_count(); }));
  std::uint32_t unfit = 0;
  for (std::uint32_t i = 0; i < std::min(all, kMostCounted); ++i)
    unfit += prompt.missing_field(TRY(view.content(ItemId{i}))).has_value();
  return unfit;
}

}  // namespace allot::bridge
