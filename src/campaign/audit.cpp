#include "allot/campaign/audit.hpp"

#include <algorithm>

#include "campaign/coding.hpp"

namespace allot::campaign {

std::vector<ItemId> Audit::items() const {
  std::vector<ItemId> items;
  for (std::uint32_t i = 0; i < start.answers.size(); ++i) {
    if (start.answers[i] > 0) items.push_back(ItemId{i});
  }
  return items;
}

std::vector<double> Audit::stated() const {
  std::vector<double> stated;
  for (const ItemId item : items()) stated.push_back(start.stated[position(item)] / kStatedParts);
  return stated;
}

void Audit::save(ByteWriter& to) const { code_all(to, number, started, start); }

void Audit::load(ByteReader& from, std::size_t items, std::size_t classes) {
  code_all(from, number, started, start);
  const bool fits =
      start.answers.size() <= items && start.stated.size() == start.answers.size() &&
      std::ranges::all_of(start.answers, [&](std::uint8_t one) { return one <= classes; });
  if (!fits) from.refuse();
}

}  // namespace allot::campaign
