#include "allot/index/contextual_reward.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "allot/math/normal_tail.hpp"
#include "math/gaussian_batch.hpp"

namespace allot::index {
namespace {

using math::LaneSums;
using math::LogitMove;
using math::RowPanels;
using model::Contextual;

constexpr std::size_t kFour = RowPanels::kVectors;
constexpr std::size_t kTilePanels = 32;
constexpr std::size_t kTile =
    kTilePanels * RowPanels::kPanel;  // rows whose covariances are kept in cache
constexpr std::size_t kBlock = 64;    // candidates that see a tile before the next one is fetched

/// Sigma x of up to four rows, interleaved.
class Directions {
 public:
  explicit Directions(const Contextual& belief)
      : design_(belief.rows().panels()),
        covariance_(design_.columns(), design_.columns(), belief.covariance()),
        products_(kFour * covariance_.padded_rows()) {}

  std::vector<double> of(std::span<const std::uint32_t> rows) {
    const std::size_t stride = covariance_.padded_rows();
    std::vector<double> result = design_.in_turn(rows);
    covariance_.multiply(0, covariance_.panels(), result, products_.data(), stride);
    for (std::size_t j = 0; j < design_.columns(); ++j) {
      for (std::size_t v = 0; v < kFour; ++v) result[kFour * j + v] = products_[v * stride + j];
    }
    return result;
  }

 private:
  const RowPanels& design_;
  const RowPanels covariance_;
  std::vector<double> products_;
};

/// Calls visit(first, last) for consecutive parts of at most `size` candidates.
template <typename Visit>
void in_parts(std::size_t count, std::size_t size, const Visit& visit) {
  for (std::size_t first = 0; first < count; first += size) {
    visit(first, std::min(first + size, count));
  }
}

/// Both moves that a label of a row can make, positive first.
std::array<LogitMove, 2> moves(const Contextual& belief, std::uint32_t row,
                               const model::Channel& worker) {
  std::array<LogitMove, 2> result;
  for (const Label label : {Label::positive, Label::negative}) {
    const auto likelihood = worker.likelihood(label);
    if (likelihood.positive + likelihood.negative == 0) continue;  // impossible
    result[label == Label::positive ? 0 : 1] =
        LogitMove(belief.update(row, label, worker), belief.variances()[row]);
  }
  return result;
}

/// The covariances of four candidates with the rows of a tile.
struct Tile {
  alignas(64) std::array<double, kFour * kTile> covariance;
  std::size_t first, count;  // rows

  Tile(const RowPanels& design, std::size_t first_panel)
      : first(first_panel * RowPanels::kPanel),
        count(std::min(kTilePanels, design.panels() - first_panel) * RowPanels::kPanel) {}

  void fill(const RowPanels& design, std::span<const double> directions) {
    design.multiply(first / RowPanels::kPanel, count / RowPanels::kPanel, directions,
                    covariance.data(), kTile);
  }
  math::Logits logits(const Contextual& belief) const {
    return {belief.means().data() + first, belief.variances().data() + first, count};
  }
};

/// The gains of a block of candidates.
class BlockGains {
 public:
  BlockGains(const Contextual& belief, std::span<const double> errors,
             std::span<const std::uint32_t> rows, const model::Channel& worker,
             Directions& directions)
      : belief_(belief), errors_(errors), sums_(rows.size()) {
    for (const std::uint32_t row : rows) moves_.push_back(moves(belief, row, worker));
    in_parts(rows.size(), kFour, [&](std::size_t first, std::size_t last) {
      directions_.push_back(directions.of(rows.subspan(first, last - first)));
    });
    const RowPanels& design = belief.rows().panels();
    in_parts(design.panels(), kTilePanels, [&](std::size_t panel, std::size_t) { visit(panel); });
  }

  std::array<double, 2> gains(std::size_t candidate) const {
    return {math::total(sums_[candidate][0]), math::total(sums_[candidate][1])};
  }

 private:
  void visit(std::size_t first_panel) {
    const model::ItemRows& rows = belief_.rows();
    Tile tile(rows.panels(), first_panel);
    for (std::size_t i = 0; i < moves_.size(); ++i) {
      if (i % kFour == 0) tile.fill(rows.panels(), directions_[i / kFour]);
      for (const std::size_t outcome : {0, 1}) {
        math::add_gains(tile.logits(belief_), &tile.covariance[i % kFour * kTile],
                        moves_[i][outcome], &errors_[tile.first], &rows.weights()[tile.first],
                        sums_[i][outcome]);
      }
    }
  }

  const Contextual& belief_;
  const std::span<const double> errors_;
  std::vector<std::array<LogitMove, 2>> moves_;
  std::vector<std::vector<double>> directions_;
  std::vector<std::array<LaneSums, 2>> sums_;
};

/// Chances of every class in the rows of a tile, with their sum and their two largest.
class MulticlassTile {
 public:
  explicit MulticlassTile(std::size_t classes)
      : named_(classes * kTile), unnamed_(classes * kTile) {}

  double* named(std::size_t c) { return &named_[c * kTile]; }
  double* unnamed(std::size_t c) { return &unnamed_[c * kTile]; }

  /// Computes the sum of the unnamed chances and the two largest of them.
  void sum_up(std::size_t count) {
    sum_.fill(0.0), best_.fill(0.0), second_.fill(0.0);
    for (std::size_t c = 0; c < unnamed_.size() / kTile; ++c) {
      const double* const chance = unnamed(c);
      for (std::size_t i = 0; i < count; ++i) {
        sum_[i] += chance[i];
        second_[i] = std::max(second_[i], std::min(best_[i], chance[i]));
        best_[i] = std::max(best_[i], chance[i]);
      }
    }
  }

  void add_gains(std::size_t c, const double* now, const double* weight, std::size_t count,
                 LaneSums& sums) {
    math::add_class_gains({named(c), unnamed(c), sum_.data(), best_.data(), second_.data(), count},
                          now, weight, sums);
  }

  double largest_share(std::size_t i) const { return best_[i] / sum_[i]; }

 private:
  std::vector<double> named_, unnamed_;
  alignas(64) std::array<double, kTile> sum_, best_, second_;
};

/// The largest class probability of each row.
std::vector<double> largest_shares(const model::ContextualClasses& belief) {
  const RowPanels& design = belief.rows().panels();
  std::vector<double> result(design.padded_rows());
  const std::vector<double> nothing(kTile);
  MulticlassTile chances(belief.class_count());
  in_parts(design.panels(), kTilePanels, [&](std::size_t panel, std::size_t) {
    const Tile tile(design, panel);
    for (std::uint32_t c = 0; c < belief.class_count(); ++c) {
      math::predictive_after(tile.logits(belief.model(ClassId{c})), nothing.data(), LogitMove(),
                             chances.unnamed(c));
    }
    chances.sum_up(tile.count);
    for (std::size_t i = 0; i < tile.count; ++i) result[tile.first + i] = chances.largest_share(i);
  });
  return result;
}

/// The gains of up to four candidates for every class that the label may name.
class MulticlassGains {
 public:
  MulticlassGains(const model::ContextualClasses& belief, std::span<const double> now,
                  std::span<const std::uint32_t> rows, std::vector<Directions>& directions)
      : belief_(belief), now_(now), sums_(rows.size() * belief.class_count()) {
    for (std::uint32_t c = 0; c < belief.class_count(); ++c) {
      directions_.push_back(directions[c].of(rows));
      for (const std::uint32_t row : rows) {
        moves_.push_back(moves(belief.model(ClassId{c}), row, {}));
      }
    }
    const RowPanels& design = belief.rows().panels();
    MulticlassTile chances(belief.class_count());
    std::vector<Tile> tiles;
    in_parts(design.panels(), kTilePanels, [&](std::size_t panel, std::size_t) {
      tiles.assign(belief.class_count(), Tile(design, panel));
      for (std::uint32_t c = 0; c < tiles.size(); ++c) tiles[c].fill(design, directions_[c]);
      for (std::size_t v = 0; v < rows.size(); ++v) visit(tiles, chances, v, rows.size());
    });
  }

  double gain(std::size_t candidate, std::uint32_t c) const {
    return math::total(sums_[candidate * belief_.class_count() + c]);
  }

 private:
  void visit(const std::vector<Tile>& tiles, MulticlassTile& chances, std::size_t v,
             std::size_t candidates) {
    const Tile& tile = tiles.front();
    for (std::uint32_t c = 0; c < tiles.size(); ++c) {
      const math::Logits logits = tile.logits(belief_.model(ClassId{c}));
      const double* const covariance = &tiles[c].covariance[v * kTile];
      const auto& [positive, negative] = moves_[c * candidates + v];
      math::predictive_after(logits, covariance, positive, chances.named(c));
      math::predictive_after(logits, covariance, negative, chances.unnamed(c));
    }
    chances.sum_up(tile.count);
    for (std::uint32_t c = 0; c < tiles.size(); ++c) {
      chances.add_gains(c, &now_[tile.first], &belief_.rows().weights()[tile.first], tile.count,
                        sums_[v * tiles.size() + c]);
    }
  }

  const model::ContextualClasses& belief_;
  const std::span<const double> now_;
  std::vector<std::array<LogitMove, 2>> moves_;  // one entry per class
  std::vector<std::vector<double>> directions_;  // one entry per class
  std::vector<LaneSums> sums_;                   // one entry per candidate
};

}  // namespace

std::vector<Reward> contextual_rewards(const Contextual& belief,
                                       std::span<const std::uint32_t> rows,
                                       const model::Channel& worker) {
  std::vector<double> errors(belief.means().size());
  math::error_probabilities({belief.means().data(), belief.variances().data(), errors.size()},
                            errors.data());
  Directions directions(belief);
  std::vector<Reward> result;
  result.reserve(rows.size());
  in_parts(rows.size(), kBlock, [&](std::size_t first, std::size_t last) {
    const auto block = rows.subspan(first, last - first);
    const BlockGains gains(belief, errors, block, worker, directions);
    for (std::size_t i = 0; i < block.size(); ++i) {
      const auto [positive, negative] = gains.gains(i);
      const double chance = belief.chance_positive(block[i], worker);
      result.push_back({positive, negative, chance * positive + (1 - chance) * negative, chance});
    }
  });
  return result;
}

std::vector<MulticlassReward> contextual_rewards(const model::ContextualClasses& belief,
                                                 std::span<const std::uint32_t> rows) {
  const std::vector<double> now = largest_shares(belief);
  std::vector<Directions> directions;
  for (std::uint32_t c = 0; c < belief.class_count(); ++c) {
    directions.emplace_back(belief.model(ClassId{c}));
  }
  std::vector<MulticlassReward> result;
  result.reserve(rows.size());
  in_parts(rows.size(), kFour, [&](std::size_t first, std::size_t last) {
    const auto block = rows.subspan(first, last - first);
    const MulticlassGains gains(belief, now, block, directions);
    for (std::size_t i = 0; i < block.size(); ++i) {
      MulticlassReward reward{
          {}, belief.probabilities(belief.rows().items_of(block[i]).front()), 0};
      for (std::uint32_t c = 0; c < belief.class_count(); ++c) {
        reward.if_label.push_back(gains.gain(i, c));
        reward.expected += reward.chance[c] * reward.if_label[c];
      }
      result.push_back(std::move(reward));
    }
  });
  return result;
}

double contextual_uncertainty(const Contextual& belief, std::uint32_t row) {
  const double mean = std::abs(belief.means()[row]);
  return mean == 0 ? 0.5 : math::normal_tail(mean / std::sqrt(belief.variances()[row]));
}

double contextual_uncertainty(const model::ContextualClasses& belief, std::uint32_t row) {
  std::vector<double> others = belief.probabilities(belief.rows().items_of(row).front());
  *std::ranges::max_element(others) = 0;
  return std::accumulate(others.begin(), others.end(), 0.0);  // 1 - max would lose its digits
}

}  // namespace allot::index
