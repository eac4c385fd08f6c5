#include "allot/aggregate/shared_errors.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>

#include "aggregate/item_labels.hpp"
#include "allot/aggregate/pooled.hpp"
#include "allot/base/check.hpp"
#include "base/try.hpp"

namespace allot::aggregate {
namespace {

/// Agreement of one worker with another beyond chance.
struct Excess {
  std::uint32_t shared = 0;
  double agreed = 0, expected = 0, variance = 0;

  double difference() const { return agreed - expected; }
};

/// By worker and other worker.
using Excesses = std::map<std::pair<std::uint32_t, std::uint32_t>, Excess>;

model::LabelSet without(const model::LabelSet& labels, std::uint32_t worker) {
  model::LabelSet result{labels.item_count, labels.worker_count, labels.class_count, {}};
  for (const model::GivenLabel& given : labels.labels)
    if (position(given.worker) != worker) result.labels.push_back(given);
  return result;
}

/// A worker's confusion table by EM, where the items are believed as all others leave them. Rows
/// are worth four labels of the worker's one coin, and the coin has the usual prior.
std::vector<double> fitted_table(const std::vector<model::GivenLabel>& given,
                                 const ClassAnswers& others) {
  constexpr int kRounds = 10;
  constexpr double kRight = 3, kWrong = 0.9, kRow = 4;
  const std::size_t classes = others.class_count;
  std::vector<double> table(classes * classes, 1), counts(table.size());
  for (int round = 0; round <= kRounds; ++round) {
    std::ranges::fill(counts, 0);
    double right = kRight, all = kRight + kWrong;
    for (const auto& [item, worker, label] : given) {
      const std::span<const double> p = others.of(item);
      double sum = 0;
      for (std::size_t k = 0; k < classes; ++k) sum += p[k] * table[k * classes + position(label)];
      for (std::size_t k = 0; k < classes; ++k) {
        const std::size_t cell = k * classes + position(label);
        const double weight = p[k] * table[cell] / sum;
        counts[cell] += weight;
        if (k == position(label)) right += weight;
      }
      all += 1;
    }
    for (std::size_t k = 0; k < classes; ++k) {
      const std::span<const double> row(&counts[k * classes], classes);
      const double in_row = std::accumulate(row.begin(), row.end(), kRow);
      for (std::size_t z = 0; z < classes; ++z) {
        const double wrong = (1 - right / all) / static_cast<double>(classes - 1);
        table[k * classes + z] = (kRow * (k == z ? right / all : wrong) + row[z]) / in_row;
      }
    }
  }
  return table;
}

/// The excesses of every worker over every other, given the groups found so far.
Result<Excesses> measure(const model::LabelSet& labels, const std::vector<std::uint32_t>& groups) {
  const ItemLabels by_item(labels);
  std::vector<std::vector<model::GivenLabel>> by_worker(labels.worker_count);
  for (const model::GivenLabel& given : labels.labels)
    by_worker[position(given.worker)].push_back(given);
  PooledOptions options;
  options.groups = groups;
  Excesses result;
  for (std::uint32_t k = 0; k < labels.worker_count; ++k) {
    if (by_worker[k].empty()) continue;
    const Aggregation fit = TRY(pooled(without(labels, k), options));
    const std::vector<double> table = fitted_table(by_worker[k], fit.answers);
    for (const auto& [item, worker, label] : by_worker[k]) {
      const std::span<const double> p = fit.answers.of(item);
      for (const auto& [other, given] : by_item.of(position(item))) {
        if (other == k) continue;
        double chance = 0;
        for (std::size_t y = 0; y < p.size(); ++y) chance += p[y] * table[y * p.size() + given];
        Excess& excess = result[{k, other}];
        excess.shared += 1;
        excess.agreed += position(label) == given ? 1 : 0;
        excess.expected += chance;
        excess.variance += chance * (1 - chance);
      }
    }
  }
  return result;
}

/// The median of the excess per variance, at least 0.
double common_excess(const Excesses& all, std::uint32_t least_shared) {
  std::vector<double> relative;
  for (const auto& [pair, excess] : all) {
    if (excess.shared >= least_shared && excess.variance > 0)
      relative.push_back(excess.difference() / excess.variance);
  }
  if (relative.empty()) return 0;
  const auto middle = relative.begin() + static_cast<std::ptrdiff_t>(relative.size() / 2);
  std::nth_element(relative.begin(), middle, relative.end());
  return std::max(*middle, 0.0);
}

double score(const Excess& excess, double common) {
  if (!(excess.variance > 0)) return 0;
  return (excess.difference() - 0.5 - common * excess.variance) / std::sqrt(excess.variance);
}

/// Workers that pairs connect, directly or through others, are one group.
std::vector<std::uint32_t> connected(std::uint32_t workers,
                                     const std::vector<SuspectPair>& suspects) {
  std::vector<std::uint32_t> root(workers);
  std::iota(root.begin(), root.end(), 0U);
  for (const SuspectPair& pair : suspects) {
    const std::uint32_t from = std::max(root[position(pair.first)], root[position(pair.second)]);
    const std::uint32_t to = std::min(root[position(pair.first)], root[position(pair.second)]);
    std::ranges::replace(root, from, to);
  }
  std::vector<std::uint32_t> sizes(workers), number(workers), result(workers);
  for (const std::uint32_t one : root) ++sizes[one];
  std::uint32_t last = 0;
  for (std::uint32_t j = 0; j < workers; ++j) {
    if (sizes[root[j]] < 2) continue;
    if (number[root[j]] == 0) number[root[j]] = ++last;
    result[j] = number[root[j]];
  }
  return result;
}

/// The pair with the largest excess among workers who are not in one group yet. Sets the number of
/// pairs that could be compared.
std::optional<SuspectPair> most_suspect(const Excesses& all,
                                        const std::vector<std::uint32_t>& groups,
                                        std::uint32_t least_shared, std::uint64_t& pairs) {
  const double common = common_excess(all, least_shared);
  std::optional<SuspectPair> most;
  pairs = 0;
  for (const auto& [pair, excess] : all) {
    const auto [first, second] = pair;
    if (first > second || excess.shared < least_shared) continue;
    ++pairs;
    if (groups[first] != 0 && groups[first] == groups[second]) continue;
    const Excess& back = all.at({second, first});
    const double least = std::min(score(excess, common), score(back, common));
    if (most && most->excess >= least) continue;
    most = SuspectPair{WorkerId{first},
                       WorkerId{second},
                       excess.shared,
                       excess.agreed / excess.shared,
                       (excess.expected + back.expected) / 2 / excess.shared,
                       least,
                       1};
  }
  if (most) {
    const double tail = cdf(complement(boost::math::normal(), most->excess));
    most->p_value = std::min(1.0, static_cast<double>(pairs) * tail);
  }
  return most;
}

}  // namespace

Result<SharedErrors> find_shared_errors(const model::LabelSet& labels,
                                        const SharedErrorOptions& options) {
  constexpr std::string_view kName = "find_shared_errors";
  require(options.false_alarms > 0 && options.false_alarms < 1, kName, "false_alarms",
          options.false_alarms, "expected a probability");
  require(options.least_shared > 0, kName, "least_shared", 0, "expected at least 1");
  TRY(check_several(kName, labels));
  SharedErrors result{0, {}, std::vector<std::uint32_t>(labels.worker_count)};
  while (true) {
    const Excesses all = TRY(measure(labels, result.groups));
    const auto most = most_suspect(all, result.groups, options.least_shared, result.pairs);
    if (!most || most->p_value > options.false_alarms) return result;
    result.suspects.push_back(*most);
    result.groups = connected(labels.worker_count, result.suspects);
  }
}

}  // namespace allot::aggregate
