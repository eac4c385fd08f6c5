#include "campaign/setup.hpp"

#include <fmt/format.h>

#include "allot/base/text.hpp"
#include "base/try.hpp"
#include "io/json_object.hpp"

namespace allot::campaign {
namespace {

/// Characters of the fields that a refusal shows.
constexpr std::size_t kMostShown = 40;

Error in_item(const ItemDraft& item, const Error& error) {
  return {ErrorCode::invalid_argument,
          fmt::format("item {}: {}", in_quotes(item.id), error.message)};
}

Result<std::optional<ClassId>> class_if_any(const Work& work,
                                            const std::optional<std::string>& name) {
  if (!name) return std::nullopt;
  return work.label(*name).map([](ClassId known) { return std::optional(known); });
}

/// Programs that show items read their fields as JSON.
Result<void> check_fields(const ItemDraft& item) {
  if (item.fields.empty() || io::parse_json_object(item.fields)) return {};
  return fail(ErrorCode::invalid_argument,
              fmt::format("the fields {} of item {} are no JSON object; expected one such as "
                          "{{\"text\": \"...\"}}",
                          in_quotes(for_display(item.fields, kMostShown)), in_quotes(item.id)));
}

Result<NewItem> new_item(const Work& work, const ItemDraft& item) {
  TRY(check_fields(item));
  const auto refuse = [&](const Error& error) { return in_item(item, error); };
  return NewItem{.id = item.id,
                 .price = item.price,
                 .gold = TRY(class_if_any(work, item.gold).map_error(refuse)),
                 .features = item.features,
                 .truth = TRY(class_if_any(work, item.truth).map_error(refuse))};
}

}  // namespace

Result<void> add_items(Work& work, std::span<const ItemDraft> items, std::string_view key) {
  if (items.empty()) return {};
  ItemsAdded event;
  event.items.reserve(items.size());
  for (const ItemDraft& item : items) event.items.push_back(TRY(new_item(work, item)));
  std::uint32_t number = work.state().item_count();
  TRY(work.emit(event, key));
  for (const ItemDraft& item : items) work.add_content(number++, item.fields);
  return {};
}

Result<void> set_prices(Work& work, std::span<const std::pair<std::string, Money>> prices) {
  for (const auto& [worker, price] : prices) {
    if (worker.empty()) return fail(ErrorCode::invalid_argument, "a worker needs a name");
    if (price >= Money()) continue;
    return fail(ErrorCode::invalid_argument,
                fmt::format("the price {} of worker {} is negative; expected 0 or more",
                            money_text(price), in_quotes(worker)));
  }
  for (const auto& [worker, price] : prices) {
    const WorkerId who = TRY(work.joined(worker));
    if (work.state()[who].price == price) continue;
    TRY(work.emit(WorkerPriced{who, price}));
  }
  return {};
}

Result<void> begin(Work& work, const Options& options, const Setup& setup) {
  if (work.state().sequence() > 0) {
    return fail(ErrorCode::conflict, fmt::format("campaign {} exists already; expected a new name",
                                                 in_quotes(work.campaign())));
  }
  TRY(work.emit(Created{options}));
  TRY(add_items(work, setup.items));
  return set_prices(work, setup.prices);
}

}  // namespace allot::campaign
