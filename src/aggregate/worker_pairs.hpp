// Pairs of workers, the items that both labelled, and Cohen's kappa of each pair.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "aggregate/item_labels.hpp"

namespace allot::aggregate {

/// Distance of two classes: nominal 0 or 1, linear |k - l|, quadratic (k - l)^2.
enum class Distance { nominal, linear, quadratic };
inline constexpr std::array kDistances{Distance::nominal, Distance::linear, Distance::quadratic};

/// Kappas by distance; nothing if the expected disagreement is 0.
using Kappas = std::array<std::optional<double>, 3>;

/// The pairs of workers who share at least some number of items. 12 bytes per shared item.
class WorkerPairs {
 public:
  struct Pair {
    std::uint32_t first, second;
    std::size_t begin, end;  // in cells_

    std::uint32_t shared() const { return static_cast<std::uint32_t>(end - begin); }
  };

  /// Stops at the worker at which the shared items of all pairs exceed `most_cells`.
  WorkerPairs(const ItemLabels& items, const model::LabelSet& labels, std::uint32_t least_shared,
              std::size_t most_cells);

  bool too_many() const { return too_many_; }
  std::span<const Pair> pairs() const { return pairs_; }

  /// Kappas of a pair, where item i counts times[i] times; without `times` once. Sets `shared` to
  /// the shared items counted so. Only the nominal one unless `ordered`. O(shared items + classes).
  Kappas kappas(const Pair& pair, std::span<const std::uint32_t> times, bool ordered,
                double& shared);
  /// Means of the defined kappas, weighted by shared items; nothing if there are none.
  Kappas means(std::span<const std::uint32_t> times, bool ordered);

 private:
  struct Cell {
    std::uint32_t item, first, second;
  };
  struct Meeting {
    std::uint32_t other;
    Cell cell;
  };

  void add_pairs(std::uint32_t worker, std::span<const Meeting> meetings,
                 std::uint32_t least_shared);

  std::vector<Pair> pairs_;
  std::vector<Cell> cells_;
  bool too_many_ = false;
  std::vector<double> first_, second_;  // labels per class of the pair at hand
  std::vector<std::size_t> met_;        // per worker: meetings with the worker at hand
};

}  // namespace allot::aggregate
