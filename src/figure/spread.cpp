#include "figure/spread.hpp"

#include <algorithm>
#include <numeric>

namespace allot::figure {
namespace {

/// Neighbours at the smallest allowed distance.
struct Block {
  double sum;
  std::size_t size;

  double mean() const { return sum / static_cast<double>(size); }
};

}  // namespace

// With the k-th label moved up by k * gap, "at least gap apart" becomes "in order", and the nearest
// ordered numbers are means of blocks (isotonic regression by pooling).
std::vector<double> spread(const std::vector<double>& wanted, double gap, double low, double high) {
  std::vector<std::size_t> order(wanted.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return wanted[i]; });
  std::vector<Block> blocks;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    blocks.push_back({wanted[order[rank]] - static_cast<double>(rank) * gap, 1});
    while (blocks.size() > 1 && blocks[blocks.size() - 2].mean() > blocks.back().mean()) {
      const Block last = blocks.back();
      blocks.pop_back();
      blocks.back().sum += last.sum;
      blocks.back().size += last.size;
    }
  }
  std::vector<double> places(wanted.size());
  std::size_t rank = 0;
  for (const Block& block : blocks) {
    const double room = gap * static_cast<double>(wanted.size() - 1);
    const double start = std::clamp(block.mean(), low, std::max(low, high - room));
    for (std::size_t i = 0; i < block.size; ++i, ++rank)
      places[order[rank]] = start + static_cast<double>(rank) * gap;
  }
  return places;
}

}  // namespace allot::figure
