#include "aggregate/worker_pairs.hpp"

#include <algorithm>
#include <cmath>

namespace allot::aggregate {
namespace {

double distance(Distance kind, std::uint32_t k, std::uint32_t l) {
  if (kind == Distance::nominal) return k == l ? 0 : 1;
  const double steps = k > l ? k - l : l - k;
  return kind == Distance::linear ? steps : steps * steps;
}

/// sum_{k,l} first[k] second[l] distance(k,l), in O(classes).
double expected(Distance kind, std::span<const double> first, std::span<const double> second) {
  double sum = 0, below_first = 0, below_second = 0, all_first = 0, all_second = 0;
  for (std::size_t k = 0; k < first.size(); ++k) all_first += first[k], all_second += second[k];
  if (kind == Distance::nominal) {
    for (std::size_t k = 0; k < first.size(); ++k) sum += first[k] * (all_second - second[k]);
    return sum;
  }
  // Each step between neighbours is crossed by the pairs that it separates. With squares, a pair
  // that is d steps apart is counted 1 + 3 + ... + (2d - 1) times, by its place from the lower end.
  double weighted_first = 0, weighted_second = 0;  // sum of labels below times steps to them
  for (std::size_t k = 0; k + 1 < first.size(); ++k) {
    weighted_first += below_first;
    weighted_second += below_second;
    below_first += first[k];
    below_second += second[k];
    const double above_first = all_first - below_first, above_second = all_second - below_second;
    const bool squares = kind == Distance::quadratic;
    sum += (below_first + (squares ? 2 * weighted_first : 0)) * above_second;
    sum += (below_second + (squares ? 2 * weighted_second : 0)) * above_first;
  }
  return sum;
}

}  // namespace

WorkerPairs::WorkerPairs(const ItemLabels& items, const model::LabelSet& labels,
                         std::uint32_t least_shared, std::size_t most_cells)
    : first_(labels.class_count), second_(labels.class_count), met_(labels.worker_count) {
  std::vector<std::vector<std::uint32_t>> items_of(labels.worker_count);
  for (std::uint32_t i = 0; i < items.item_count(); ++i)
    for (const auto& [worker, label] : items.of(i)) items_of[worker].push_back(i);
  std::vector<Meeting> meetings;
  for (std::uint32_t worker = 0; worker < labels.worker_count && !too_many_; ++worker) {
    meetings.clear();
    for (const std::uint32_t item : items_of[worker]) {
      const auto entries = items.of(item);
      const auto own = std::ranges::find(entries, worker, &ItemLabels::Entry::worker);
      for (const auto& [other, label] : entries)
        if (other > worker) meetings.push_back({other, {item, own->label, label}});
    }
    add_pairs(worker, meetings, least_shared);
    too_many_ = cells_.size() > most_cells;
  }
}

void WorkerPairs::add_pairs(std::uint32_t worker, std::span<const Meeting> meetings,
                            std::uint32_t least_shared) {
  std::vector<std::uint32_t> others;
  for (const Meeting& meeting : meetings)
    if (met_[meeting.other]++ == 0) others.push_back(meeting.other);
  std::ranges::sort(others);
  constexpr auto kNone = static_cast<std::size_t>(-1);
  for (const std::uint32_t other : others) {
    const std::size_t shared = met_[other];
    met_[other] = shared < least_shared ? kNone : cells_.size();
    if (shared < least_shared) continue;
    pairs_.push_back({worker, other, cells_.size(), cells_.size() + shared});
    cells_.resize(cells_.size() + shared);
  }
  for (const auto& [other, cell] : meetings)
    if (met_[other] != kNone) cells_[met_[other]++] = cell;
  for (const std::uint32_t other : others) met_[other] = 0;
}

Kappas WorkerPairs::kappas(const Pair& pair, std::span<const std::uint32_t> times, bool ordered,
                           double& shared) {
  std::ranges::fill(first_, 0.0);
  std::ranges::fill(second_, 0.0);
  shared = 0;
  std::array<double, 3> observed{};
  const std::size_t kinds = ordered ? kDistances.size() : 1;
  for (std::size_t c = pair.begin; c < pair.end; ++c) {
    const auto& [item, first, second] = cells_[c];
    const double count = times.empty() ? 1 : times[item];
    shared += count;
    first_[first] += count;
    second_[second] += count;
    if (first == second) continue;
    for (std::size_t d = 0; d < kinds; ++d)
      observed[d] += count * distance(kDistances[d], first, second);
  }
  Kappas kappas;
  for (std::size_t d = 0; d < kinds; ++d) {
    const double chance = expected(kDistances[d], first_, second_);
    if (chance > 0) kappas[d] = 1 - shared * observed[d] / chance;
  }
  return kappas;
}

Kappas WorkerPairs::means(std::span<const std::uint32_t> times, bool ordered) {
  std::array<double, 3> sums{}, weights{};
  for (const Pair& pair : pairs_) {
    double shared = 0;
    const Kappas kappas = this->kappas(pair, times, ordered, shared);
    for (std::size_t d = 0; d < kappas.size(); ++d) {
      if (!kappas[d]) continue;
      sums[d] += shared * *kappas[d];
      weights[d] += shared;
    }
  }
  Kappas means;
  for (std::size_t d = 0; d < means.size(); ++d)
    if (weights[d] > 0) means[d] = sums[d] / weights[d];
  return means;
}

}  // namespace allot::aggregate
