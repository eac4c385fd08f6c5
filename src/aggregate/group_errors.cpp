#include "allot/aggregate/group_errors.hpp"

#include <algorithm>
#include <array>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <map>

namespace allot::aggregate {
namespace {

constexpr std::size_t kBlocks = 40;
/// Fewer expected errors of a group say nothing about their correlation: what is left of doubt
/// about an item is the same for all who agree on it.
constexpr double kFewestErrors = 5;

/// Sums over the items that two members share.
struct PairSums {
  double items = 0, first = 0, second = 0, both = 0;  // errors of one, the other, both

  PairSums& operator+=(const PairSums& other) {
    items += other.items;
    first += other.first;
    second += other.second;
    both += other.both;
    return *this;
  }
  PairSums without(const PairSums& part) const {
    return {items - part.items, first - part.first, second - part.second, both - part.both};
  }
};

/// Sums of one pair, block by block and in all.
struct BlockedSums {
  std::array<PairSums, kBlocks> blocks;
  PairSums all;
};

struct MemberLabel {
  std::uint32_t worker;
  ClassId label;
};

/// The labels of one group.
class GroupOfWorkers {
 public:
  GroupOfWorkers(const ClassAnswers& answers, std::uint32_t item_count)
      : answers_(answers), by_item_(item_count) {}

  void add(const model::GivenLabel& given) {
    by_item_[position(given.item)].push_back({position(given.worker), given.label});
  }

  /// `known` as in group_errors.
  GroupErrors errors(std::uint32_t members, const std::vector<std::uint32_t>& labels_of_item,
                     const std::vector<bool>& known) {
    GroupErrors result{.members = members};
    for (std::uint32_t i = 0; i < by_item_.size(); ++i) {
      if (by_item_[i].empty()) continue;
      ++result.items;
      const bool is_known = i < known.size() && known[i];
      result.outside += is_known || labels_of_item[i] > by_item_[i].size();
      add_pairs(i);
    }
    if (wrong_ < kFewestErrors || result.outside == 0) return result;
    result.correlation = correlation(kBlocks);
    if (!result.correlation) return result;
    result.bounds = interval(*result.correlation);
    const double n = members, phi = std::max(*result.correlation, 0.0);
    result.effective_votes = n / (1 + (n - 1) * phi);
    return result;
  }

 private:
  void add_pairs(std::uint32_t item) {
    const std::span<const double> p = answers_.of(ItemId{item});
    auto& given = by_item_[item];
    std::ranges::sort(given, {}, &MemberLabel::worker);
    for (std::size_t j = 0; j < given.size(); ++j) {
      wrong_ += 1 - p[position(given[j].label)];
      for (std::size_t k = j + 1; k < given.size(); ++k) {
        const double first = 1 - p[position(given[j].label)];
        const double second = 1 - p[position(given[k].label)];
        const double both =
            given[j].label == given[k].label ? first : std::max(first + second - 1, 0.0);
        BlockedSums& sums = pairs_[{given[j].worker, given[k].worker}];
        const PairSums here{1, first, second, both};
        sums.blocks[item % kBlocks] += here;
        sums.all += here;
      }
    }
  }

  /// The correlation without one block; with all of them if there is no such block.
  std::optional<double> correlation(std::size_t left_out) const {
    double covariance = 0, scale = 0;
    for (const auto& [pair, sums] : pairs_) {
      const PairSums used = left_out < kBlocks ? sums.all.without(sums.blocks[left_out]) : sums.all;
      if (used.items < 2) continue;
      const double first = used.first / used.items, second = used.second / used.items;
      covariance += used.both - used.items * first * second;
      scale += used.items * std::sqrt(std::max(first * (1 - first) * second * (1 - second), 0.0));
    }
    if (!(scale > 0)) return {};
    return std::clamp(covariance / scale, -1.0, 1.0);
  }

  std::optional<Interval> interval(double estimate) const {
    double sum = 0, squares = 0;
    for (std::size_t block = 0; block < kBlocks; ++block) {
      const auto without = correlation(block);
      if (!without) return {};
      sum += *without;
      squares += *without * *without;
    }
    const double variance = std::max(squares - sum * sum / kBlocks, 0.0) * (kBlocks - 1) / kBlocks;
    const double t = quantile(boost::math::students_t(kBlocks - 1), 0.975);
    const double half = t * std::sqrt(variance);
    return Interval{std::max(estimate - half, -1.0), std::min(estimate + half, 1.0)};
  }

  const ClassAnswers& answers_;
  std::vector<std::vector<MemberLabel>> by_item_;
  double wrong_ = 0;  // labels, as expected
  std::map<std::pair<std::uint32_t, std::uint32_t>, BlockedSums> pairs_;
};

}  // namespace

std::vector<GroupErrors> group_errors(const model::LabelSet& labels,
                                      std::span<const std::uint32_t> groups,
                                      const ClassAnswers& answers, const std::vector<bool>& known) {
  const std::uint32_t count = groups.empty() ? 0 : *std::ranges::max_element(groups);
  std::vector<GroupOfWorkers> all(count, GroupOfWorkers(answers, labels.item_count));
  std::vector<std::uint32_t> labels_of_item(labels.item_count);
  for (const model::GivenLabel& given : labels.labels) {
    ++labels_of_item[position(given.item)];
    const std::size_t worker = position(given.worker);
    if (worker < groups.size() && groups[worker] != 0) all[groups[worker] - 1].add(given);
  }
  std::vector<GroupErrors> result;
  for (std::uint32_t g = 1; g <= count; ++g) {
    const auto members = static_cast<std::uint32_t>(std::ranges::count(groups, g));
    result.push_back(all[g - 1].errors(members, labels_of_item, known));
  }
  return result;
}

}  // namespace allot::aggregate
