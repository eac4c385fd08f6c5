#include "allot/model/item_rows.hpp"

#include <string_view>
#include <unordered_map>

#include "allot/base/check.hpp"

namespace allot::model {

ItemRows::ItemRows(const Design& design) {
  const std::size_t items = design.item_count, columns = design.column_count;
  require(items > 0, "ItemRows", "item_count", 0, "expected at least 1");
  require(columns > 0, "ItemRows", "column_count", 0, "expected at least 1");
  require(design.values.size() == items * columns, "ItemRows", "size of values",
          static_cast<double>(design.values.size()), "expected items times columns");
  std::vector<double> values = design.values;
  for (double& x : values) x += 0.0;  // -0 is 0
  std::unordered_map<std::string_view, std::uint32_t> known;
  std::vector<double> different;
  row_of_item_.reserve(items);
  for (std::size_t i = 0; i < items; ++i) {
    const double* const row = &values[i * columns];
    const std::string_view bytes(reinterpret_cast<const char*>(row), columns * sizeof(double));
    const auto [entry, is_new] = known.try_emplace(bytes, static_cast<std::uint32_t>(known.size()));
    if (is_new) different.insert(different.end(), row, row + columns);
    row_of_item_.push_back(entry->second);
  }
  panels_ = math::RowPanels(known.size(), columns, different);
  weights_.resize(panels_.padded_rows());
  for (const std::uint32_t row : row_of_item_) ++weights_[row];
  first_.resize(known.size() + 1);
  for (const std::uint32_t row : row_of_item_) ++first_[row + 1];
  for (std::size_t row = 0; row < known.size(); ++row) first_[row + 1] += first_[row];
  items_.resize(items);
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  for (std::uint32_t i = 0; i < items; ++i) items_[next[row_of_item_[i]]++] = ItemId{i};
}

}  // namespace allot::model
