#include "policy/item_course.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "allot/index/knowledge_gradient.hpp"

namespace allot::policy {
namespace {

using index::Place;
using index::StoppingBand;

/// The largest index.
constexpr double kHighestLevel = 0.5;
/// The least probability that is moved on.
constexpr double kSpeck = 1e-15;

class LabelPriceRule final : public LevelRule {
 public:
  explicit LabelPriceRule(const model::Prior& prior) : lattice_(prior) {}

  bool lower() override {
    if (level_ < kLowest) return false;
    level_ *= kRatio;
    bands_ = lattice_.bands(level_, kTolerance);
    return true;
  }
  double level() const override { return level_; }
  StoppingBand band(std::size_t labels) override {
    return labels < bands_.size() ? bands_[labels] : StoppingBand{};
  }

 private:
  /// The ratio of two levels. All labels of a step are worth the level within this factor; the
  /// curve that a step joins by a line bends by an eighth of its square.
  static constexpr double kRatio = 0.95;
  /// The last level, beyond 100 labels per item under the uniform prior.
  static constexpr double kLowest = 3e-5;
  static constexpr double kTolerance = 1e-6;

  index::StoppingLattice lattice_;
  double level_ = kHighestLevel;
  std::vector<StoppingBand> bands_;
};

/// R+ falls on both sides of the tie, so the states above a level form a band, and it only grows.
class OptKgRule final : public LevelRule {
 public:
  explicit OptKgRule(model::Prior prior) : prior_(std::move(prior)), spots_(prior_) {}

  bool lower() override {
    level_ *= level_ > 2e-3 ? kRatio : kRatio * kRatio;
    return level_ >= kLowest;
  }
  double level() const override { return level_; }
  StoppingBand band(std::size_t labels) override {
    while (rows_.size() <= labels) add_row();
    Row& row = rows_[labels];
    if (row.band.last < row.band.first) {
      if (row.above <= level_) return row.band;
      row.below = value(row.band.first - 1, labels);
      row.above = value(++row.band.last + 1, labels);
    }
    while (row.below > level_) row.below = value(--row.band.first - 1, labels);
    while (row.above > level_) row.above = value(++row.band.last + 1, labels);
    return row.band;
  }

 private:
  /// Labels at the same level are not worth the same, so their order matters and steps are small.
  static constexpr double kRatio = 0.985;
  static constexpr double kLowest = 1e-4;

  /// A band and the indices just outside; an empty one waits at the largest, which is `above`.
  struct Row {
    StoppingBand band;
    double below, above;
  };

  void add_row() {
    const std::size_t labels = rows_.size();
    const Place tie = std::clamp<Place>(spots_.at(labels).place, 0, static_cast<Place>(labels));
    const double at = value(tie, labels), beside = value(tie + 1, labels);
    const Place peak = at >= beside ? tie : tie + 1;
    rows_.push_back({{peak, peak - 1}, 0, std::max(at, beside)});
  }

  double value(Place place, std::size_t labels) const {
    if (place < 0 || place > static_cast<Place>(labels)) return 0;
    const auto positive = static_cast<std::uint32_t>(place);
    return index::opt_kg({&prior_, {positive, static_cast<std::uint32_t>(labels) - positive}});
  }

  const model::Prior prior_;
  index::RewardSpots spots_;
  double level_ = kHighestLevel;
  std::vector<Row> rows_;
};

class EqualRule final : public LevelRule {
 public:
  bool lower() override { return ++level_ > 0; }
  double level() const override { return -static_cast<double>(level_); }
  StoppingBand band(std::size_t labels) override {
    return labels < level_ ? StoppingBand{0, static_cast<Place>(labels)} : StoppingBand{};
  }

 private:
  std::size_t level_ = 0;
};

/// Bins for numbers of labels: each its own up to 64, then 32 in every factor of two.
std::size_t bin_of(std::size_t labels) {
  if (labels < 64) return labels;
  const auto octave = static_cast<std::size_t>(std::bit_width(labels)) - 7;
  return 64 + 32 * octave + ((labels >> (octave + 1)) - 32);
}

/// Adds up the labels of each bin.
class Bins {
 public:
  void add(std::size_t had, double labels, double gain) {
    const std::size_t place = bin_of(had);
    if (bins_.size() <= place) bins_.resize(place + 1);
    LabelBin& bin = bins_[place];
    bin.had += static_cast<double>(had) * labels;
    bin.labels += labels;
    bin.gain += gain;
  }
  /// The bins that are not empty, with means.
  std::vector<LabelBin> filled() const {
    std::vector<LabelBin> result;
    for (const auto& [had, labels, gain] : bins_) {
      if (labels > 0) result.push_back({had / labels, labels, gain});
    }
    return result;
  }

 private:
  std::vector<LabelBin> bins_;
};

}  // namespace

std::unique_ptr<LevelRule> level_rule(std::string_view policy, const model::Prior& prior) {
  if (policy == "opt-kg") return std::make_unique<OptKgRule>(prior);
  if (policy == "label-price") return std::make_unique<LabelPriceRule>(prior);
  return std::make_unique<EqualRule>();
}

ItemCourse::ItemCourse(model::Prior prior, std::unique_ptr<LevelRule> rule, std::size_t most_labels)
    : prior_(std::move(prior)),
      rule_(std::move(rule)),
      most_labels_(most_labels),
      spots_(prior_),
      chances_(prior_),
      rows_{Row{0, {1.0}}},
      accuracy_now_(1 - model::error_probability({&prior_, {}})) {}

const CourseStep* ItemCourse::step(std::size_t number) {
  while (steps_.size() <= number && !ended_) {
    CourseStep next;
    if (!steps_.empty()) next.labels_before = steps_.back().labels_after;
    ended_ = !rule_->lower() || (rows_.size() > most_labels_ && rest() < kSpeck);
    if (!ended_) take(next);
    if (next.labels > 0) steps_.push_back(std::move(next));
  }
  return number < steps_.size() ? &steps_[number] : nullptr;
}

/// The probability that the item has not had its most labels.
double ItemCourse::rest() const {
  return std::accumulate(at_count_.begin(), at_count_.end() - 1, 0.0);
}

/// Takes all labels of a step.
void ItemCourse::take(CourseStep& step) {
  Bins bins, counts;
  step.level = rule_->level();
  for (std::size_t labels = 0; labels < std::min(rows_.size(), most_labels_); ++labels) {
    const auto [moved, gain] = move_on(labels);
    if (moved <= 0) continue;
    at_count_.resize(rows_.size(), 0.0);
    at_count_[labels] -= moved;
    at_count_[labels + 1] += moved;
    bins.add(labels, moved, gain);
    step.labels += moved;
    step.gain += gain;
  }
  for (std::size_t labels = 0; labels < at_count_.size(); ++labels) {
    counts.add(labels, at_count_[labels], 0);
  }
  step.bins = bins.filled();
  for (const LabelBin& bin : counts.filled()) step.counts.push_back({bin.had, bin.labels});
  step.labels_after = step.labels_before + step.labels;
}

/// Moves the probability in states above the level with this number of labels by one label.
ItemCourse::Moved ItemCourse::move_on(std::size_t labels) {
  const StoppingBand band = rule_->band(labels);
  const Row& row = rows_[labels];
  const Place low = std::max(band.first, row.first);
  const Place high = std::min(band.last, row.first + static_cast<Place>(row.parts.size()) - 1);
  if (high < low) return {};
  if (rows_.size() < labels + 2) rows_.emplace_back();
  rows_[labels + 1].widen(low, high + 1);
  const auto count = static_cast<std::size_t>(high - low + 1);
  if (chance_.size() < count) chance_.resize(count);
  chances_.fill(labels, low, high, chance_.data());
  double* const here = &rows_[labels].parts[static_cast<std::size_t>(low - rows_[labels].first)];
  double* const next =
      &rows_[labels + 1].parts[static_cast<std::size_t>(low - rows_[labels + 1].first)];
  const index::RewardSpots::Spot& spot = spots_.at(labels);
  Moved moved;
  for (std::size_t i = 0; i < count; ++i) {
    const double part = here[i];
    if (part < kSpeck) continue;
    here[i] = 0;
    const double up = part * chance_[i];
    next[i + 1] += up;
    next[i] += part - up;
    moved.labels += part;
    if (low + static_cast<Place>(i) == spot.place) moved.gain += part * spot.reward;
  }
  return moved;
}

void ItemCourse::Row::widen(Place low, Place high) {
  if (parts.empty()) first = low;
  if (low < first) {
    parts.insert(parts.begin(), static_cast<std::size_t>(first - low), 0.0);
    first = low;
  }
  const auto size = static_cast<std::size_t>(high - first + 1);
  if (parts.size() < size) parts.resize(size, 0.0);
}

}  // namespace allot::policy
