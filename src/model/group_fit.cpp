#include "model/group_fit.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "allot/model/group_views.hpp"
#include "model/multiclass_fit.hpp"

namespace allot::model {
namespace {

/// Points of the grid of chances to repeat.
constexpr std::size_t kRepeatPoints = 20;
/// Products below this are scaled, or taken as logarithms, before they become 0.
constexpr double kSmallProduct = 1e-150;
/// Labels that the chance of the whole group is worth for that of a member.
constexpr double kSharedLabels = 10;

double repeat_at(std::size_t point) { return (static_cast<double>(point) + 0.5) / kRepeatPoints; }

/// Multiplies a likelihood by a r + b (1 - r) at every point, and scales it before it is too small.
void absorb_repeat(double a, double b, double* likelihood) {
  const double scale = 1 / std::max(a, b);
  double most = 0;
  for (std::size_t n = 0; n < kRepeatPoints; ++n) {
    likelihood[n] *= scale * (a * repeat_at(n) + b * (1 - repeat_at(n)));
    most = std::max(most, likelihood[n]);
  }
  if (most >= kSmallProduct) return;
  for (std::size_t n = 0; n < kRepeatPoints; ++n) likelihood[n] /= most;
}

/// Multiplies weights by a likelihood, and scales them to a maximum of 1.
void multiply(const double* likelihood, std::vector<double>& weights) {
  double most = 0;
  for (std::size_t n = 0; n < weights.size(); ++n)
    most = std::max(most, weights[n] *= likelihood[n]);
  if (!(most > 0)) return weights.assign(weights.size(), 1);  // no point has any likelihood
  for (double& weight : weights) weight /= most;
}

double repeat_mean(const std::vector<double>& weights) {
  double sum = 0, mean = 0;
  for (std::size_t n = 0; n < weights.size(); ++n) {
    sum += weights[n];
    mean += repeat_at(n) * weights[n];
  }
  return mean / sum;
}

/// The density of a Beta with this mean, worth kSharedLabels, at the points of the grid.
std::vector<double> repeat_prior(double mean) {
  std::vector<double> density(kRepeatPoints);
  for (std::size_t n = 0; n < density.size(); ++n) {
    density[n] = std::exp((kSharedLabels * mean - 1) * std::log(repeat_at(n)) +
                          (kSharedLabels * (1 - mean) - 1) * std::log1p(-repeat_at(n)));
  }
  return density;
}

/// Multiplies by T_j(y, z) / Pr(z | y, labels before), class by class: how much more likely the
/// label is of an independent member. `unseen` is the view before any label.
void compare_apart(std::span<const double> unseen, double repeats, std::span<const double> alone,
                   std::uint32_t label, std::span<const double> chance, double* apart) {
  const std::size_t classes = alone.size();
  for (std::size_t k = 0; k < classes; ++k) {
    const double independent = repeats * unseen[k * classes + label] + (1 - repeats) * alone[k];
    if (!(chance[k] > 0)) continue;
    apart[k] = std::clamp(apart[k] * independent / chance[k], kSmallProduct, 1 / kSmallProduct);
  }
}

/// Sums of a table of counts, from which tables without some of the counts follow.
class CountedTable {
 public:
  CountedTable(const WorkerTables& tables, const math::BetaShape& prior, const double* counts)
      : tables_(tables),
        classes_(tables.class_count),
        prior_(prior),
        counts_(counts),
        in_row_(classes_) {
    for (std::size_t n = 0; n < classes_ * classes_; ++n) {
      in_row_[n / classes_] += counts[n];
      if (n % (classes_ + 1) == 0) right_ += counts[n];
      all_ += counts[n];
    }
  }

  /// Chances of a label, class by class, without these counts of it.
  void column_without(const double* taken, std::uint32_t label, double* chances) const {
    const double mass = std::accumulate(taken, taken + classes_, 0.0);
    const double if_right = right_without(taken[label], mass);
    for (std::size_t k = 0; k < classes_; ++k)
      chances[k] = cell(k, label, if_right, taken[k], taken[k]);
  }
  /// The whole table without these counts.
  void table_without(const double* taken, double* table) const {
    double right = 0, mass = 0;
    for (std::size_t n = 0; n < classes_ * classes_; ++n) {
      if (n % (classes_ + 1) == 0) right += taken[n];
      mass += taken[n];
    }
    const double if_right = right_without(right, mass);
    for (std::size_t k = 0; k < classes_; ++k) {
      const double* const row = taken + k * classes_;
      const double in_row = std::accumulate(row, row + classes_, 0.0);
      for (std::uint32_t y = 0; y < classes_; ++y) *table++ = cell(k, y, if_right, row[y], in_row);
    }
  }

 private:
  double right_without(double right, double mass) const {
    return (prior_.a + std::max(right_ - right, 0.0)) /
           (prior_.a + prior_.b + std::max(all_ - mass, 0.0));
  }
  double cell(std::size_t k, std::uint32_t label, double if_right, double taken,
              double taken_in_row) const {
    const std::size_t at = k * classes_ + label;
    const double one_coin = k == label ? if_right : (1 - if_right) * tables_.errors[at];
    if (tables_.coins == Coins::one) return one_coin;
    const double given = std::max(counts_[at] - taken, 0.0);
    const double in_row = std::max(in_row_[k] - taken_in_row, 0.0);
    return (tables_.row_strength * one_coin + given) / (tables_.row_strength + in_row);
  }

  const WorkerTables& tables_;
  const std::size_t classes_;
  const math::BetaShape prior_;
  const double* const counts_;
  std::vector<double> in_row_;
  double right_ = 0, all_ = 0;
};

}  // namespace

GroupFit::GroupFit(const MulticlassLabelsByWorker& labels, std::span<const std::uint32_t> groups,
                   std::uint32_t item_count, std::uint32_t classes, const KnownLabels* known)
    : labels_(labels),
      groups_(groups.first(std::min(groups.size(), labels.size()))),
      classes_(classes),
      cells_(classes_ * classes_),
      known_(known),
      group_count_(groups.empty() ? 0 : *std::ranges::max_element(groups)),
      view_counts_(group_count_ * cells_),
      repeats_(labels.size()) {
  for (std::size_t j = 0; j < labels.size(); ++j) repeats_[j] = has(j) ? kRepeatsBefore : 0;
  make_clusters(item_count);
  own_chance_.resize(voices_.size() * classes_);
  own_weight_.resize(voices_.size() * classes_);
  views_.resize(clusters_.size() * cells_);
  view_mass_.resize(clusters_.size() * cells_);
  independent_.resize(group_count_);
}

void GroupFit::make_clusters(std::uint32_t item_count) {
  std::vector<std::vector<std::uint32_t>> known(group_count_);  // by group and item: 1 + cluster
  first_voice_.resize(groups_.size() + 1);
  for (std::size_t j = 0; j < groups_.size(); ++j) {
    first_voice_[j] = static_cast<std::uint32_t>(cluster_of_.size());
    if (!has(j)) continue;
    auto& of_item = known[groups_[j] - 1];
    of_item.resize(item_count);
    for (const auto& [item, label, confidence] : labels_[j]) {
      if (of_item[item] == 0) {
        clusters_.push_back({groups_[j], item, 0, 0});
        of_item[item] = static_cast<std::uint32_t>(clusters_.size());
      }
      cluster_of_.push_back(of_item[item] - 1);
      ++clusters_[of_item[item] - 1].end;
    }
  }
  std::uint32_t begin = 0;
  for (Cluster& cluster : clusters_) {
    const std::uint32_t size = cluster.end;
    cluster.begin = cluster.end = begin;
    begin += size;
  }
  voices_.resize(cluster_of_.size());
  for (std::uint32_t j = 0; j < groups_.size(); ++j) {
    if (!has(j)) continue;
    for (std::size_t n = 0; n < labels_[j].size(); ++n) {
      Cluster& cluster = clusters_[cluster_of_[first_voice_[j] + n]];
      voices_[cluster.end++] = {j, labels_[j][n].label};
    }
  }
}

double GroupFit::vote(std::size_t worker, std::size_t n) const {
  const Cluster& cluster = clusters_[cluster_of_[first_voice_[worker] + n]];
  return 1.0 / (cluster.end - cluster.begin);
}

void GroupFit::start(const std::vector<double>& probabilities) {
  for (std::size_t c = 0; c < clusters_.size(); ++c) {
    const auto& [group, item, begin, end] = clusters_[c];
    const double* const p = &probabilities[item * classes_];
    for (std::uint32_t v = begin; v < end; ++v) {
      for (std::size_t k = 0; k < classes_; ++k) {
        own_weight_[v * classes_ + k] = (1 - kRepeatsBefore) * p[k];
        view_mass_[c * cells_ + k * classes_ + voices_[v].label] += p[k] / (end - begin);
      }
    }
  }
}

/// The labels of known items, split between member and view.
void GroupFit::count_known(std::size_t worker, double* own, double* view) const {
  const std::span<const std::uint32_t> counts = known_->of(worker);
  for (std::size_t n = 0; n < counts.size(); ++n) {
    if (counts[n] == 0) continue;
    own[n] += counts[n] * (1 - repeats_[worker]);
    view[n] += counts[n] * repeats_[worker];
  }
}

void GroupFit::count(std::vector<double>& counts) {
  std::ranges::fill(view_counts_, 0);
  std::vector<double> by_known(view_counts_.size());
  std::vector<double> checked(group_count_);  // members with labels of known items
  for (std::size_t j = 0; j < groups_.size(); ++j) {
    if (!has(j) || !known_ || known_->of(j).empty()) continue;
    count_known(j, &counts[j * cells_], &by_known[(groups_[j] - 1) * cells_]);
    checked[groups_[j] - 1] += 1;
  }
  // Members are mostly tried on the same known items, of which the group has one view.
  for (std::size_t n = 0; n < by_known.size(); ++n)
    if (by_known[n] > 0) view_counts_[n] += by_known[n] / checked[n / cells_];
  for (std::size_t c = 0; c < clusters_.size(); ++c) {
    const auto& [group, item, begin, end] = clusters_[c];
    for (std::size_t n = 0; n < cells_; ++n)
      view_counts_[(group - 1) * cells_ + n] += view_mass_[c * cells_ + n];
    for (std::uint32_t v = begin; v < end; ++v) {
      const auto& [worker, label] = voices_[v];
      for (std::size_t k = 0; k < classes_; ++k)
        counts[worker * cells_ + k * classes_ + label] += own_weight_[v * classes_ + k];
    }
  }
}

void GroupFit::add_labels(const WorkerTables& tables, const std::vector<math::BetaShape>& priors,
                          const std::vector<double>& counts,
                          std::vector<double>& log_probabilities) {
  std::vector<CountedTable> own, shared;
  for (std::size_t j = 0; j < groups_.size(); ++j)
    own.emplace_back(tables, priors[j], &counts[j * cells_]);
  for (std::uint32_t g = 0; g < group_count_; ++g)
    shared.emplace_back(tables, tables.prior, &view_counts_[g * cells_]);
  std::vector<double> chance(classes_), likelihood(classes_), unseen;
  if (is_weighed()) apart_.assign(clusters_.size() * classes_, 1);
  for (std::size_t c = 0; c < clusters_.size(); ++c) {
    const auto& [group, item, begin, end] = clusters_[c];
    const std::span<double> view(&views_[c * cells_], cells_);
    double* const log_p = &log_probabilities[item * classes_];
    std::ranges::fill(likelihood, 1);
    shared[group - 1].table_without(&view_mass_[c * cells_], view.data());
    if (is_weighed()) unseen.assign(view.begin(), view.end());
    for (std::uint32_t v = begin; v < end; ++v) {
      const auto& [worker, label] = voices_[v];
      const std::span<double> alone(&own_chance_[v * classes_], classes_);
      own[worker].column_without(&own_weight_[v * classes_], label, alone.data());
      absorb_into_view(view, repeats_[worker], alone, label, chance);
      if (is_weighed())
        compare_apart(unseen, repeats_[worker], alone, label, chance, &apart_[c * classes_]);
      for (std::size_t k = 0; k < classes_; ++k) {
        likelihood[k] *= chance[k];
        if (likelihood[k] < kSmallProduct) log_p[k] += std::log(std::exchange(likelihood[k], 1));
      }
    }
    for (std::size_t k = 0; k < classes_; ++k) log_p[k] += std::log(likelihood[k]);
  }
}

/// By group: labels after the first about an item that somebody outside the group labelled too.
std::vector<std::uint32_t> GroupFit::checked_repeats() const {
  std::vector<std::uint32_t> by_item, by_group(group_count_);
  for (const auto& given : labels_) {
    for (const auto& [item, label, confidence] : given) {
      if (by_item.size() <= item) by_item.resize(item + 1);
      ++by_item[item];
    }
  }
  for (const auto& [group, item, begin, end] : clusters_)
    if (by_item[item] > end - begin) by_group[group - 1] += end - begin - 1;
  return by_group;
}

/// Finds the groups whose labels independent members explain as well.
void GroupFit::weigh(const std::vector<double>& probabilities) {
  std::vector<double> evidence(group_count_);
  for (std::size_t c = 0; c < clusters_.size(); ++c) {
    const double* const p = &probabilities[clusters_[c].item * classes_];
    const double apart = std::inner_product(p, p + classes_, &apart_[c * classes_], 0.0);
    evidence[clusters_[c].group - 1] -= std::log(apart);
  }
  const std::vector<std::uint32_t> checked = checked_repeats();
  for (std::uint32_t g = 0; g < group_count_; ++g)
    independent_[g] = evidence[g] < kEvidence && checked[g] >= kCheckedRepeats;
  for (std::size_t j = 0; j < groups_.size(); ++j) {
    if (has(j) && independent_[groups_[j] - 1]) repeats_[j] = 0;
  }
}

void GroupFit::learn(const std::vector<double>& probabilities) {
  if (is_weighed()) weigh(probabilities);
  ++rounds_;
  for (std::size_t c = 0; c < clusters_.size(); ++c) {
    const auto& [group, item, begin, end] = clusters_[c];
    const double* const p = &probabilities[item * classes_];
    double* const mass = &view_mass_[c * cells_];
    const double counted = independent_[group - 1] ? 0 : 1;  // a view that nobody repeats is none
    for (std::size_t n = 0; n < cells_; ++n)
      mass[n] = counted * p[n / classes_] * views_[c * cells_ + n];
    for (std::uint32_t v = begin; v < end; ++v) {
      const auto& [worker, label] = voices_[v];
      const double r = repeats_[worker];
      for (std::size_t k = 0; k < classes_; ++k) {
        const double alone = (1 - r) * own_chance_[v * classes_ + k];
        own_weight_[v * classes_ + k] = p[k] - mass[k * classes_ + label] * r / (r + alone);
      }
    }
  }
  learn_repeats();
}

/// Pr(labels of an item) as a function of r_j alone is proportional to a r_j + b (1 - r_j), with
///   a = sum_y m(y, z) / f(y),   b = sum_y (P_j(y, z) m(y, z) / f(y) + (p(y) - m(y, z)) / (1 - r)),
/// m the mass of the view, f(y) = r + (1 - r) P_j(y, z), and r the present chance. A label without
/// others of its group says nothing about r_j.
void GroupFit::learn_repeats() {
  std::vector<double> likelihood(groups_.size() * kRepeatPoints, 1);
  for (std::size_t c = 0; c < clusters_.size(); ++c) {
    const auto& [group, item, begin, end] = clusters_[c];
    if (end - begin < 2) continue;
    for (std::uint32_t v = begin; v < end; ++v) {
      const auto& [worker, label] = voices_[v];
      const double r = repeats_[worker];
      double a = 0, b = 0;
      for (std::size_t k = 0; k < classes_; ++k) {
        const double* const row = &view_mass_[c * cells_ + k * classes_];
        const double alone = own_chance_[v * classes_ + k],
                     all = std::accumulate(row, row + classes_, 0.0);
        const double part = row[label] / (r + (1 - r) * alone);
        a += part;
        b += alone * part + std::max(all - row[label], 0.0) / (1 - r);
      }
      absorb_repeat(a, b, &likelihood[worker * kRepeatPoints]);
    }
  }
  set_repeats(likelihood);
}

/// The chance that all members of a group share, if they did, is the mean of the prior of each.
void GroupFit::set_repeats(const std::vector<double>& likelihood) {
  const auto of = [&](std::size_t worker) { return &likelihood[worker * kRepeatPoints]; };
  for (std::uint32_t group = 1; group <= group_count_; ++group) {
    if (independent_[group - 1]) continue;
    std::vector<double> weights(kRepeatPoints, 1);
    for (std::size_t j = 0; j < groups_.size(); ++j) {
      if (groups_[j] == group) multiply(of(j), weights);
    }
    const double shared = repeat_mean(weights);
    for (std::size_t j = 0; j < groups_.size(); ++j) {
      if (groups_[j] != group) continue;
      weights = repeat_prior(shared);
      multiply(of(j), weights);
      repeats_[j] = repeat_mean(weights);
    }
  }
}

FittedGroups GroupFit::result(const WorkerTables& tables) && {
  FittedGroups result{
      std::move(repeats_), std::vector<double>(view_counts_.size()), {}, std::move(views_)};
  for (std::size_t at = 0; at < view_counts_.size(); at += cells_)
    tables.mean(&view_counts_[at], &result.tables[at]);
  for (const Cluster& cluster : clusters_) result.places.push_back({cluster.group, cluster.item});
  return result;
}

}  // namespace allot::model
