// Replays of real label sets for measuring calibration: the default policy buys labels in push
// mode.
#pragma once

#include <map>
#include <vector>

#include "allot/base/rng.hpp"
#include "allot/model/best_class.hpp"
#include "allot/model/calibration_map.hpp"
#include "allot/policy/desk.hpp"
#include "allot/policy/registry.hpp"
#include "support/data_sets.hpp"

namespace allot::model {

struct LeftOut {
  const char* set;
  CalibrationPrior prior;  // fitted to the ten other sets
};

inline constexpr LeftOut kSets[] = {
    {"rte", {0.97, 0.49, 0.060, 1.35}},      {"temp", {0.97, 0.49, 0.060, 1.39}},
    {"wsd", {1.00, 0.44, 0.083, 1.24}},      {"bluebirds", {0.95, 0.50, 0.050, 1.31}},
    {"product", {0.95, 0.46, 0.057, 1.39}},  {"dog", {0.97, 0.50, 0.045, 1.35}},
    {"music", {0.95, 0.50, 0.047, 1.35}},    {"web", {1.00, 0.49, 0.057, 1.35}},
    {"face", {1.16, 0.39, 0.069, 1.61}},     {"barzan", {1.03, 0.45, 0.047, 1.24}},
    {"trec2011", {1.05, 0.44, 0.052, 1.31}},
};

inline CrowdOptions usual(std::uint32_t classes) {
  CrowdOptions options{.learn_workers = classes > 2};
  if (classes > 2) options.item_prior = DirichletPrior::symmetric(classes);
  return options;
}

/// Beliefs about all items, and the labels that each has.
struct Replayed {
  std::vector<double> stated;  // item by item and class by class
  std::vector<std::uint32_t> labels;

  std::span<const double> of(std::uint32_t item, std::uint32_t classes) const {
    return {&stated[std::size_t{item} * classes], classes};
  }
};

/// The beliefs after 1 / parts of the labels, 2 / parts and so on, `count` of them.
inline std::vector<Replayed> replayed(const test::DataSet& data, std::size_t parts,
                                      std::size_t count) {
  const LabelSet& set = data.labels.set;
  std::map<std::pair<ItemId, WorkerId>, ClassId> recorded;
  std::vector<policy::Pair> pairs;
  for (const auto& [item, worker, label] : set.labels) {
    recorded[{item, worker}] = label;
    pairs.push_back({item, worker});
  }
  policy::Desk desk(make_crowd(usual(set.class_count), set.item_count, set.worker_count),
                    policy::make_policy("even-kg", policy::TieBreak::random).value(),
                    policy::Offers::recorded(set.item_count, set.worker_count, pairs));
  Rng ties(1, Rng::Purpose::tie);
  std::vector<std::uint32_t> labels(set.item_count);
  std::vector<Replayed> result;
  for (std::size_t bought = 1; result.size() < count; ++bought) {
    const policy::Pair pair = desk.choose(ties).value();
    desk.record(pair, recorded.at({pair.item, pair.worker}));
    ++labels[position(pair.item)];
    if (bought == recorded.size() * (result.size() + 1) / parts)
      result.push_back({desk.crowd().final_probabilities(), labels});
  }
  return result;
}

/// `count` of these items at random, fewer if there are not as many.
inline std::vector<std::uint32_t> drawn(std::vector<std::uint32_t> items, std::size_t count,
                                        Rng& rng) {
  std::vector<std::uint32_t> result;
  for (std::size_t n = items.size(); n > 0 && result.size() < count; --n) {
    std::swap(items[n - 1], items[below(rng, n)]);
    result.push_back(items[n - 1]);
  }
  return result;
}

}  // namespace allot::model
