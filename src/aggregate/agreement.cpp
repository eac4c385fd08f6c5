#include "allot/aggregate/agreement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "aggregate/worker_pairs.hpp"
#include "allot/base/check.hpp"
#include "allot/base/rng.hpp"

namespace allot::aggregate {
namespace {

using model::LabelSet;

struct Names {
  std::string_view name, title;
};

constexpr std::array<Names, 10> kNames{{
    {"percent_agreement", "percent agreement"},
    {"krippendorff_alpha", "Krippendorff's alpha"},
    {"fleiss_kappa", "Fleiss' kappa"},
    {"cohen_kappa", "Cohen's kappa, mean of pairs"},
    {"gwet_ac1", "Gwet's AC1"},
    {"krippendorff_alpha_ordinal", "Krippendorff's alpha, ordinal"},
    {"cohen_kappa_linear", "Cohen's kappa, linear"},
    {"cohen_kappa_quadratic", "Cohen's kappa, quadratic"},
    {"gwet_ac2_linear", "Gwet's AC2, linear"},
    {"gwet_ac2_quadratic", "Gwet's AC2, quadratic"},
}};
constexpr std::size_t kNominal = 5;  // coefficients that need no order

/// Most shared items of all pairs of workers for which kappas are resampled (600 MB).
constexpr std::size_t kMostShared = 50'000'000;

/// One value per coefficient; nothing if it is undefined.
using Values = std::array<std::optional<double>, kNames.size()>;

std::optional<double>& of(Values& values, Coefficient coefficient) {
  return values[static_cast<std::size_t>(coefficient)];
}

/// Labels of one class of an item.
struct Tally {
  std::uint32_t label;
  double count;
};

/// An item as resamples see it. Distances are means over its pairs of labels, with 1 for the
/// farthest classes; they are 0 if it has fewer than two labels.
struct ItemRow {
  std::size_t begin, end;  // of its tallies
  double labels = 0;
  double unequal = 0, linear = 0, quadratic = 0;
};

/// Sums over the items of a resample.
struct Sums {
  explicit Sums(std::size_t classes) : shares(classes), counts(classes) {}

  double items = 0, paired = 0, paired_labels = 0;
  double unequal = 0, linear = 0, quadratic = 0;  // of paired items
  double unequal_labels = 0;                      // unequal, weighted by labels
  std::vector<double> shares;                     // per class: sum of n_ik / n_i
  std::vector<double> counts;                     // per class: labels of paired items
};

bool one_class(const std::vector<double>& sums) {
  return std::ranges::count_if(sums, [](double sum) { return sum > 0; }) < 2;
}

/// sum_k x_k (all - x_k): 0 if and only if one class has everything.
double spread(const std::vector<double>& sums, double all) {
  double sum = 0;
  for (const double x : sums) sum += x * (all - x);
  return sum;
}

/// Gwet's coefficient; `weights` is the sum of the weights of all pairs of classes.
double gwet(double agreement, double weights, const Sums& sums) {
  const auto classes = static_cast<double>(sums.shares.size());
  const double chance = weights / (classes * (classes - 1)) * spread(sums.shares, sums.items) /
                        (sums.items * sums.items);
  return (agreement - chance) / (1 - chance);
}

/// sum_{k,l} 1 - (|k - l| / (classes - 1))^power
double weight_sum(std::size_t classes, int power) {
  const auto count = static_cast<double>(classes);
  double sum = count;
  for (std::size_t d = 1; d < classes; ++d) {
    const auto steps = static_cast<double>(d);
    sum += 2 * (count - steps) * (1 - std::pow(steps / (count - 1), power));
  }
  return sum;
}

/// A label set reduced to what every resample needs.
class Measures {
 public:
  Measures(const LabelSet& labels, const AgreementOptions& options);

  /// Counts and spread of labels.
  Agreement summary() const;
  /// The coefficients if item i counts times[i] times; without `times` once.
  Values values(std::span<const std::uint32_t> times);
  /// Values of resamples, per coefficient; undefined ones are left out.
  std::vector<std::vector<double>> resamples();
  /// Reason why a coefficient has no value.
  std::string undefined(Coefficient coefficient) const;

 private:
  void add_item(std::span<const ItemLabels::Entry> entries, std::vector<double>& counts);
  Sums sums(std::span<const std::uint32_t> times) const;
  std::optional<double> ordinal_alpha(const Sums& sums, std::span<const std::uint32_t> times) const;

  const LabelSet& labels_;
  const AgreementOptions& options_;
  std::vector<ItemRow> rows_;
  std::vector<Tally> tallies_;
  WorkerPairs pairs_;
};

/// Labels by item. Throws for ids out of range, and if a worker labelled an item twice.
ItemLabels checked_items(const LabelSet& labels) {
  constexpr std::string_view kName = "measure_agreement";
  static_cast<void>(check_size(kName, labels, 0));  // an empty set is undefined, not refused
  ItemLabels items(labels);
  std::vector<std::uint64_t> last(labels.worker_count);
  for (std::uint32_t i = 0; i < items.item_count(); ++i) {
    for (const auto& [worker, label] : items.of(i)) {
      require(last[worker] != std::uint64_t{i} + 1, kName, "item", i,
              "expected at most one label per item and worker");
      last[worker] = std::uint64_t{i} + 1;
    }
  }
  return items;
}

Measures::Measures(const LabelSet& labels, const AgreementOptions& options)
    : labels_(labels),
      options_(options),
      pairs_(checked_items(labels), labels, std::max(options.least_shared, 1U), kMostShared) {
  const ItemLabels items(labels);
  std::vector<double> counts(labels.class_count);
  for (std::uint32_t i = 0; i < items.item_count(); ++i) add_item(items.of(i), counts);
}

/// Adds a row and its tallies. `counts` is 0 before and after.
void Measures::add_item(std::span<const ItemLabels::Entry> entries, std::vector<double>& counts) {
  ItemRow row{tallies_.size(), tallies_.size(), static_cast<double>(entries.size())};
  for (const auto& [worker, label] : entries) {
    if (counts[label]++ == 0) tallies_.push_back({label, 0});
  }
  row.end = tallies_.size();
  const std::span<Tally> own(tallies_.data() + row.begin, row.end - row.begin);
  std::ranges::sort(own, {}, &Tally::label);
  for (auto& [label, count] : own) count = std::exchange(counts[label], 0.0);
  const double farthest = std::max(labels_.class_count, 2U) - 1;
  for (std::size_t k = 0; k < own.size(); ++k) {
    for (std::size_t l = k + 1; l < own.size(); ++l) {
      const double pairs = own[k].count * own[l].count;
      const double steps = (own[l].label - own[k].label) / farthest;
      row.unequal += pairs;
      row.linear += pairs * steps;
      row.quadratic += pairs * steps * steps;
    }
  }
  const double pairs = row.labels * (row.labels - 1) / 2;
  if (pairs > 0) row.unequal /= pairs, row.linear /= pairs, row.quadratic /= pairs;
  rows_.push_back(row);
}

Agreement Measures::summary() const {
  Agreement summary;
  summary.labels = labels_.labels.size();
  summary.pairs_of_workers = pairs_.pairs().size();
  double squares = 0;
  for (const ItemRow& row : rows_) {
    const auto labels = static_cast<std::uint32_t>(row.labels);
    if (labels == 0) continue;
    summary.fewest_labels = summary.items == 0 ? labels : std::min(summary.fewest_labels, labels);
    summary.most_labels = std::max(summary.most_labels, labels);
    ++summary.items;
    if (labels > 1) ++summary.paired_items;
    squares += row.labels * row.labels;
  }
  if (summary.items == 0) return summary;
  const double mean = static_cast<double>(summary.labels) / summary.items;
  summary.label_spread = std::sqrt(std::max(0.0, squares / summary.items - mean * mean)) / mean;
  return summary;
}

Sums Measures::sums(std::span<const std::uint32_t> times) const {
  Sums sums(labels_.class_count);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const ItemRow& row = rows_[i];
    const double count = times.empty() ? 1 : times[i];
    if (count == 0 || row.labels == 0) continue;
    const bool paired = row.labels > 1;
    sums.items += count;
    for (std::size_t t = row.begin; t < row.end; ++t) {
      const double labels = count * tallies_[t].count;
      sums.shares[tallies_[t].label] += labels / row.labels;
      if (paired) sums.counts[tallies_[t].label] += labels;
    }
    if (!paired) continue;
    sums.paired += count;
    sums.paired_labels += count * row.labels;
    sums.unequal += count * row.unequal;
    sums.linear += count * row.linear;
    sums.quadratic += count * row.quadratic;
    sums.unequal_labels += count * row.labels * row.unequal;
  }
  return sums;
}

/// Mean ranks r_k turn the ordinal distance into (r_k - r_l)^2.
std::optional<double> Measures::ordinal_alpha(const Sums& sums,
                                              std::span<const std::uint32_t> times) const {
  std::vector<double> ranks(sums.counts.size());
  double below = 0, expected = 0;
  for (std::size_t k = 0; k < ranks.size(); ++k) {
    ranks[k] = below + sums.counts[k] / 2;
    below += sums.counts[k];
    const double from_mean = ranks[k] - sums.paired_labels / 2;
    expected += 2 * sums.paired_labels * sums.counts[k] * from_mean * from_mean;
  }
  double observed = 0;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const ItemRow& row = rows_[i];
    const double count = times.empty() ? 1 : times[i];
    if (count == 0 || row.labels < 2) continue;
    double sum = 0, squares = 0;
    for (std::size_t t = row.begin; t < row.end; ++t) {
      const double rank = ranks[tallies_[t].label] - ranks[tallies_[row.begin].label];
      sum += tallies_[t].count * rank;
      squares += tallies_[t].count * rank * rank;
    }
    observed += count * 2 * (row.labels * squares - sum * sum) / (row.labels - 1);
  }
  return 1 - (sums.paired_labels - 1) * observed / expected;
}

Values Measures::values(std::span<const std::uint32_t> times) {
  const Sums sums = this->sums(times);
  Values values;
  if (sums.paired == 0) return values;
  const double percent = 1 - sums.unequal / sums.paired;
  of(values, Coefficient::percent) = percent;
  const bool ordered = options_.ordered;
  if (!one_class(sums.counts)) {
    of(values, Coefficient::alpha) = 1 - (sums.paired_labels - 1) * sums.unequal_labels /
                                             spread(sums.counts, sums.paired_labels);
    if (ordered) of(values, Coefficient::ordinal_alpha) = ordinal_alpha(sums, times);
  }
  if (!one_class(sums.shares)) {
    const std::size_t classes = labels_.class_count;
    of(values, Coefficient::fleiss) =
        1 - sums.unequal / sums.paired * sums.items * sums.items / spread(sums.shares, sums.items);
    of(values, Coefficient::ac1) = gwet(percent, static_cast<double>(classes), sums);
    if (ordered) {
      of(values, Coefficient::linear_ac2) =
          gwet(1 - sums.linear / sums.paired, weight_sum(classes, 1), sums);
      of(values, Coefficient::quadratic_ac2) =
          gwet(1 - sums.quadratic / sums.paired, weight_sum(classes, 2), sums);
    }
  }
  if (pairs_.too_many()) return values;
  const Kappas kappas = pairs_.means(times, ordered);
  of(values, Coefficient::cohen) = kappas[0];
  of(values, Coefficient::linear_cohen) = kappas[1];
  of(values, Coefficient::quadratic_cohen) = kappas[2];
  return values;
}

std::vector<std::vector<double>> Measures::resamples() {
  std::vector<std::uint32_t> labelled;
  for (std::uint32_t i = 0; i < rows_.size(); ++i)
    if (rows_[i].labels > 0) labelled.push_back(i);
  std::vector<std::vector<double>> found(kNames.size());
  std::vector<std::uint32_t> times(rows_.size());
  for (std::uint32_t run = 0; run < options_.resamples; ++run) {
    Rng rng(options_.seed, Rng::Purpose::general, run);
    std::ranges::fill(times, 0U);
    for (std::size_t n = 0; n < labelled.size(); ++n)
      ++times[labelled[below(rng, labelled.size())]];
    const Values values = this->values(times);
    for (std::size_t c = 0; c < values.size(); ++c)
      if (values[c]) found[c].push_back(*values[c]);
  }
  return found;
}

std::string Measures::undefined(Coefficient coefficient) const {
  if (labels_.labels.empty()) return "there are no labels";
  if (std::ranges::none_of(rows_, [](const ItemRow& row) { return row.labels > 1; }))
    return "no item has two labels";
  switch (coefficient) {
    case Coefficient::cohen:
    case Coefficient::linear_cohen:
    case Coefficient::quadratic_cohen:
      if (pairs_.too_many())
        return fmt::format("pairs of workers share more than {} items", kMostShared);
      if (pairs_.pairs().empty())
        return fmt::format("no two workers share {} items", std::max(options_.least_shared, 1U));
      return "every two workers gave the items that they share one class only";
    case Coefficient::alpha:
    case Coefficient::ordinal_alpha:
      return "all labels of items with two or more name one class";
    default:
      return "all labels name one class";
  }
}

/// The value at a share of the sorted values, linear between neighbours.
double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto lower = static_cast<std::size_t>(place);
  const std::size_t upper = std::min(lower + 1, sorted.size() - 1);
  return std::lerp(sorted[lower], sorted[upper], place - static_cast<double>(lower));
}

/// Sets the bounds from the values of resamples, or the reason why there are none.
void set_bounds(AgreementEstimate& estimate, std::vector<double> values, std::uint32_t paired_items,
                const AgreementOptions& options) {
  if (options.resamples == 0) return;
  if (paired_items < 2) {
    estimate.reason = "no interval: only one item has two labels";
    return;
  }
  const std::size_t missing = options.resamples - values.size();
  if (missing > options.resamples / 10) {
    estimate.reason =
        fmt::format("no interval: {} of {} resamples have no value", missing, options.resamples);
    return;
  }
  std::ranges::sort(values);
  const double tail = (1 - options.confidence) / 2;
  estimate.bounds = {quantile(values, tail), quantile(values, 1 - tail)};
}

}  // namespace

std::string_view coefficient_title(Coefficient coefficient) {
  return kNames[static_cast<std::size_t>(coefficient)].title;
}

std::string_view coefficient_name(Coefficient coefficient) {
  return kNames[static_cast<std::size_t>(coefficient)].name;
}

const AgreementEstimate& Agreement::of(Coefficient coefficient) const {
  const auto found = std::ranges::find(estimates, coefficient, &AgreementEstimate::coefficient);
  require(found != estimates.end(), "Agreement::of", "coefficient",
          static_cast<double>(coefficient), "expected one that was computed");
  return *found;
}

Agreement measure_agreement(const LabelSet& labels, const AgreementOptions& options) {
  require(options.confidence > 0 && options.confidence < 1, "measure_agreement", "confidence",
          options.confidence, "expected a number between 0 and 1");
  Measures measures(labels, options);
  Agreement agreement = measures.summary();
  const Values values = measures.values({});
  std::vector<std::vector<double>> resamples(kNames.size());
  if (agreement.paired_items > 1) resamples = measures.resamples();
  for (std::size_t c = 0; c < (options.ordered ? kNames.size() : kNominal); ++c) {
    const auto coefficient = static_cast<Coefficient>(c);
    AgreementEstimate estimate{coefficient, values[c], {}, {}};
    if (values[c]) {
      set_bounds(estimate, std::move(resamples[c]), agreement.paired_items, options);
    } else {
      estimate.reason = measures.undefined(coefficient);
    }
    agreement.estimates.push_back(std::move(estimate));
  }
  return agreement;
}

std::vector<PairKappa> pair_kappas(const LabelSet& labels, std::uint32_t least_shared) {
  WorkerPairs pairs(checked_items(labels), labels, std::max(least_shared, 1U), SIZE_MAX);
  std::vector<PairKappa> result;
  for (const WorkerPairs::Pair& pair : pairs.pairs()) {
    double shared = 0;
    const Kappas kappas = pairs.kappas(pair, {}, true, shared);
    result.push_back({WorkerId{pair.first}, WorkerId{pair.second}, pair.shared(), kappas[0],
                      kappas[1], kappas[2]});
  }
  return result;
}

}  // namespace allot::aggregate
