#include "allot/aggregate/shared_errors.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>

#include "aggregate/fitted_tables.hpp"
#include "aggregate/item_labels.hpp"
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

/// A worker's confusion table by EM, where the items are believed as all others leave them. Rows
/// are worth four labels of the worker's one coin, and the coin has the usual prior.
std::vector<double> fitted_table(const std::vector<model::WorkerClassLabel>& given,
                                 const ClassAnswers& others) {
  constexpr int kRounds = 10;
  constexpr double kRight = 3, kWrong = 0.9, kRow = 4;
  const std::size_t classes = others.class_count;
  std::vector<double> table(classes * classes, 1), counts(table.size());
  for (int round = 0; round <= kRounds; ++round) {
    std::ranges::fill(counts, 0);
    double right = kRight, all = kRight + kWrong;
    for (const auto& [item, label, confidence] : given) {
      const std::span<const double> p = others.of(ItemId{item});
      double sum = 0;
      for (std::size_t k = 0; k < classes; ++k) sum += p[k] * table[k * classes + label];
      for (std::size_t k = 0; k < classes; ++k) {
        const std::size_t cell = k * classes + label;
        const double weight = p[k] * table[cell] / sum;
        counts[cell] += weight;
        if (k == label) right += weight;
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

/// The items as the labels of everybody but one worker say, by a single pooled fit.
ClassAnswers answers_without(std::uint32_t worker, model::MulticlassLabelsByWorker& by_worker,
                             const model::LabelSet& labels,
                             const model::MulticlassFitOptions& how) {
  std::vector<model::WorkerClassLabel> own;
  own.swap(by_worker[worker]);
  auto fit = model::multiclass_fit(by_worker, how, model::kFitRounds);
  own.swap(by_worker[worker]);
  return with_answers(std::move(fit.probabilities), labels);
}

/// The excesses of every worker over every other, given the groups found so far.
Excesses measure(const model::LabelSet& labels, const std::vector<std::uint32_t>& groups) {
  const ItemLabels by_item(labels);
  model::LabelSet plain = labels;
  plain.confidences.clear();
  auto of_worker = by_worker(plain);
  const auto how = pooled_fit_options(labels, {.groups = groups});
  Excesses result;
  for (std::uint32_t k = 0; k < labels.worker_count; ++k) {
    if (of_worker[k].empty()) continue;
    const ClassAnswers others = answers_without(k, of_worker, labels, how);
    const std::vector<double> table = fitted_table(of_worker[k], others);
    for (const auto& [item, label, confidence] : of_worker[k]) {
      const std::span<const double> p = others.of(ItemId{item});
      for (const auto& [other, given] : by_item.of(item)) {
        if (other == k) continue;
        double chance = 0;
        for (std::size_t y = 0; y < p.size(); ++y) chance += p[y] * table[y * p.size() + given];
        Excess& excess = result[{k, other}];
        excess.shared += 1;
        excess.agreed += label == given ? 1 : 0;
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

/// How far the excess per variance can be off, because few workers leave classes and tables unsure:
/// by the largest ones in simulated crowds of 3 to 10 independent workers.
double misfit_of(const model::LabelSet& labels) {
  std::vector<bool> labelled(labels.worker_count);
  for (const auto& label : labels.labels) labelled[position(label.worker)] = true;
  const auto workers = static_cast<double>(std::ranges::count(labelled, true));
  return 2.25 / std::pow(std::max(1.0, workers - 1), 1.25);
}

double score(const Excess& excess, double common) {
  if (!(excess.variance > 0)) return 0;
  return (excess.difference() - 0.5 - common * excess.variance) / std::sqrt(excess.variance);
}

/// Workers of a declared group, and those that pairs connect, directly or through others, are one
/// group.
std::vector<std::uint32_t> connected(std::uint32_t workers,
                                     const std::vector<std::uint32_t>& declared,
                                     const std::vector<SuspectPair>& suspects) {
  std::vector<std::uint32_t> root(workers);
  std::iota(root.begin(), root.end(), 0U);
  for (std::uint32_t j = 0; j < declared.size(); ++j) {
    if (declared[j] == 0) continue;
    const auto first = std::ranges::find(declared, declared[j]);
    root[j] = static_cast<std::uint32_t>(first - declared.begin());
  }
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
                                        std::uint32_t least_shared, double misfit,
                                        std::uint64_t& pairs) {
  const double common = common_excess(all, least_shared) + misfit;
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
  require(options.groups.empty() || options.groups.size() == labels.worker_count, kName, "groups",
          static_cast<double>(options.groups.size()), "expected one per worker");
  const double classes = labels.class_count;
  TRY(check_size(kName, labels,
                 2 * labels.item_count * classes + 2.0 * labels.worker_count * classes * classes));
  TRY(check_several(kName, labels));
  SharedErrors result{0, {}, connected(labels.worker_count, options.groups, {})};
  const double misfit = misfit_of(labels);
  while (result.suspects.size() < options.most_suspects) {
    const Excesses all = measure(labels, result.groups);
    const auto most = most_suspect(all, result.groups, options.least_shared, misfit, result.pairs);
    if (!most || most->p_value > options.false_alarms) break;
    result.suspects.push_back(*most);
    result.groups = connected(labels.worker_count, options.groups, result.suspects);
  }
  return result;
}

}  // namespace allot::aggregate
