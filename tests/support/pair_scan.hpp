// The double loop over all pairs: what the fast choices must equal.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "allot/index/pair_index.hpp"
#include "allot/model/binary_crowd.hpp"
#include "allot/model/multiclass_crowd.hpp"
#include "allot/policy/pair_policy.hpp"

namespace allot::test {

class PairScan {
 public:
  PairScan(const model::BinaryCrowd& crowd, const policy::Offers& offers,
           const index::PairIndex& index, policy::TieBreak ties)
      : offers_(offers),
        ties_(ties),
        value_([this, &crowd, &index](ItemId item, WorkerId worker) {
          return index.value({crowd[item], offers_.labels(item), crowd[worker],
                              offers_.labels(worker), likely_left(worker)});
        }),
        prices_count_(index.is_gain) {}
  PairScan(const model::MulticlassCrowd& crowd, const policy::Offers& offers,
           const index::MulticlassPairIndex& index, policy::TieBreak ties)
      : offers_(offers),
        ties_(ties),
        value_([this, &crowd, &index](ItemId item, WorkerId worker) {
          std::vector<double> memory(crowd[worker].size());
          return index.value({crowd[item], crowd.has_soft_labels(), offers_.labels(item)},
                             crowd.table(item, worker, memory));
        }),
        prices_count_(index.is_gain) {}
  PairScan(const PairScan&) = delete;

  std::optional<policy::Pair> choose(Rng& rng) const {
    double best = kNothing;
    for (std::uint32_t j = 0; j < offers_.worker_count(); ++j) {
      for (const double value : values(WorkerId{j})) best = std::max(best, value);
    }
    if (best == kNothing) return {};
    const double threshold = policy::tie_threshold(best);
    std::vector<std::uint32_t> tied;
    for (std::uint32_t j = 0; j < offers_.worker_count(); ++j) {
      if (std::ranges::max(values(WorkerId{j})) >= threshold) tied.push_back(j);
    }
    if (ties_ == policy::TieBreak::first) {
      for (std::uint32_t i = 0; i < offers_.item_count(); ++i) {
        for (const std::uint32_t j : tied) {
          if (values(WorkerId{j})[i] >= threshold) return policy::Pair{ItemId{i}, WorkerId{j}};
        }
      }
    }
    const WorkerId worker{policy::break_tie(tied, ties_, rng)};
    return policy::Pair{*first(worker, threshold, rng), worker};
  }

  std::optional<ItemId> choose(WorkerId worker, Rng& rng) const {
    const double best = std::ranges::max(values(worker));
    if (best == kNothing) return {};
    return first(worker, policy::tie_threshold(best), rng);
  }

 private:
  static constexpr double kNothing = -std::numeric_limits<double>::infinity();

  /// By item; minus infinity where the pair is not open.
  std::vector<double> values(WorkerId worker) const {
    std::vector<double> result(offers_.item_count(), kNothing);
    for (std::uint32_t i = 0; i < result.size(); ++i) {
      if (!offers_.is_open({ItemId{i}, worker})) continue;
      result[i] = per_price(policy::quantised(value_(ItemId{i}, worker)), worker);
    }
    return result;
  }

  Money lowest_price() const {
    Money lowest = offers_.price(WorkerId{0});
    for (std::uint32_t j = 1; j < offers_.worker_count(); ++j)
      lowest = std::min(lowest, offers_.price(WorkerId{j}));
    return lowest;
  }

  /// A gain divided by the price in terms of the lowest, a loss multiplied by it.
  double per_price(double value, WorkerId worker) const {
    if (!prices_count_) return value;
    const double price = ratio(offers_.price(worker), lowest_price());
    return value >= 0 ? value / price : value * price;
  }

  /// At most four equal shares of one label per item.
  std::uint32_t likely_left(WorkerId worker) const {
    const std::uint32_t items = offers_.item_count(), workers = offers_.worker_count();
    return std::min(offers_.left(worker) - 1, (4 * items + workers - 1) / workers);
  }

  std::optional<ItemId> first(WorkerId worker, double threshold, Rng& rng) const {
    const std::vector<double> all = values(worker);
    const auto items = static_cast<std::uint32_t>(all.size());
    const auto from =
        ties_ == policy::TieBreak::first ? 0 : static_cast<std::uint32_t>(below(rng, items));
    for (std::uint32_t n = 0; n < items; ++n) {
      if (all[(from + n) % items] >= threshold) return ItemId{(from + n) % items};
    }
    return {};
  }

  const policy::Offers& offers_;
  const policy::TieBreak ties_;
  const std::function<double(ItemId, WorkerId)> value_;
  const bool prices_count_;
};

}  // namespace allot::test
