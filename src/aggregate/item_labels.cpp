#include "aggregate/item_labels.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "allot/base/check.hpp"

namespace allot::aggregate {

using model::GivenLabel;
using model::LabelSet;

ItemLabels::ItemLabels(const LabelSet& labels)
    : begin_(std::size_t{labels.item_count} + 1), entries_(labels.labels.size()) {
  for (const GivenLabel& label : labels.labels) ++begin_[position(label.item) + 1];
  for (std::size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
  std::vector<std::uint64_t> next(begin_.begin(), begin_.end() - 1);
  for (const GivenLabel& label : labels.labels)
    entries_[next[position(label.item)]++] = {position(label.worker), position(label.label)};
}

Result<void> check_size(std::string_view method, const LabelSet& labels, double numbers) {
  for (const auto& [item, worker, label] : labels.labels) {
    require(position(item) < labels.item_count, method, "item", position(item),
            "expected less than item_count");
    require(position(worker) < labels.worker_count, method, "worker", position(worker),
            "expected less than worker_count");
    require(position(label) < labels.class_count, method, "label", position(label),
            "expected less than class_count");
  }
  if (labels.item_count == 0 || labels.class_count == 0) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("{} has nothing to work on: {} items, {} classes", method,
                            labels.item_count, labels.class_count));
  }
  constexpr double kMostBytes = 16.0 * (1 << 30);
  if (numbers * sizeof(double) <= kMostBytes) return {};
  return fail(
      ErrorCode::too_large,
      fmt::format("{} needs {:.0f} GiB for {} items, {} workers and {} classes; expected at "
                  "most 16 (is the column of labels the right one?)",
                  method, numbers * sizeof(double) / (1 << 30), labels.item_count,
                  labels.worker_count, labels.class_count));
}

Result<void> check_binary(std::string_view method, const LabelSet& labels) {
  if (labels.class_count == 2) return {};
  return fail(ErrorCode::invalid_argument,
              fmt::format("{} is for two classes, these labels have {}; majority, posterior, "
                          "one-coin and dawid-skene take any number",
                          method, labels.class_count));
}

Result<void> check_several(std::string_view method, const LabelSet& labels) {
  if (labels.class_count >= 2) return {};
  return fail(ErrorCode::invalid_argument,
              fmt::format("{} is for two or more classes, these labels have {}; --classes names "
                          "those that no label has",
                          method, labels.class_count));
}

std::vector<double> class_shares(const LabelSet& labels) {
  std::vector<double> shares(labels.class_count);
  for (const GivenLabel& label : labels.labels) ++shares[position(label.label)];
  const auto count = static_cast<double>(labels.labels.size());
  for (double& share : shares) share = count > 0 ? share / count : 1.0 / labels.class_count;
  return shares;
}

ClassId best_class(std::span<const double> values, std::span<const double> shares) {
  const double enough = std::ranges::max(values) * (1 - 1e-12);
  std::uint32_t best = 0;
  for (std::uint32_t k = 1; k < values.size(); ++k) {
    if (values[k] < enough) continue;
    if (values[best] < enough || shares[k] < shares[best]) best = k;
  }
  return ClassId{best};
}

}  // namespace allot::aggregate
