#include "allot/campaign/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "allot/base/text.hpp"

namespace allot::campaign {
namespace {

constexpr std::size_t kMostShown = 8;

/// "'no' or 'yes'"; "one of 'a', 'b', 'c'".
std::string any_of(const std::vector<std::string>& classes) {
  if (classes.size() == 2) {
    return fmt::format("{} or {}", in_quotes(classes[0]), in_quotes(classes[1]));
  }
  return "one of " + some_in_quotes(classes, kMostShown);
}

}  // namespace

Result<ItemId> item_named(const State& state, std::string_view id) {
  if (const auto known = state.find_item(id)) return *known;
  return fail(ErrorCode::not_found,
              fmt::format("unknown item {}; expected the id of one of {} item{}", in_quotes(id),
                          state.item_count(), state.item_count() == 1 ? "" : "s"));
}

Result<WorkerId> worker_named(const State& state, std::string_view name) {
  if (const auto known = state.find_worker(name)) return *known;
  return fail(
      ErrorCode::not_found,
      fmt::format("unknown worker {}; expected one who was handed an item", in_quotes(name)));
}

Result<ClassId> class_named(const Options& options, std::string_view label) {
  const auto& classes = options.classes;
  const auto known = std::ranges::find(classes, label);
  if (known != classes.end()) {
    return ClassId{static_cast<std::uint32_t>(known - classes.begin())};
  }
  const std::vector<std::string_view> names(classes.begin(), classes.end());
  return fail(ErrorCode::invalid_argument,
              fmt::format("unknown label {}; expected {}{}", in_quotes(label), any_of(classes),
                          suggestion(label, names)));
}

const std::string& class_name(const Options& options, ClassId id) {
  return options.classes[position(id)];
}

}  // namespace allot::campaign
