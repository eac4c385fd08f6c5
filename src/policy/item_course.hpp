// The states of one item while the level of an index policy falls (see policy/forecast.hpp).
//
// All probability of an item starts in the state without labels. At each level the probability in
// states above it moves on, by the chances of the next label, until none is left. Each label is
// booked under the number of labels before it, in bins.
//
// Cost: a few nanoseconds per level and state above it. There are about 0.8 sqrt(n) / level such
// states for label-price, n being the labels it looks ahead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "allot/index/stopping.hpp"
#include "allot/model/prior.hpp"
#include "index/reward_lattice.hpp"

namespace allot::policy {

/// A number of labels of an item, and its chance.
struct LabelCount {
  double labels, chance;
};

/// The number of labels that some independent items have had together. The distribution for one
/// item is split over cells of `width` labels and multiplied with itself: O(log items) products of
/// O(cells^2) steps, about a millisecond for 200 items.
class LabelSum {
 public:
  static constexpr std::size_t kCells = 1024;

  /// The sum over items with the distribution `item` each, up to kCells * width labels.
  LabelSum(std::span<const LabelCount> item, std::uint64_t items, double width);

  struct Chance {
    double value, slope;
  };
  /// The chance of fewer labels than this, each cell spread evenly, and its slope.
  Chance fewer_than(double labels) const;

 private:
  double width_;
  std::vector<double> chances_, below_;
};

/// The states in which an item is asked at the present level, and how the level falls.
class LevelRule {
 public:
  virtual ~LevelRule() = default;
  /// Moves to the next level; false if there is none.
  virtual bool lower() = 0;
  /// The present level.
  virtual double level() const = 0;
  /// The states with this number of labels that are above the level.
  virtual index::StoppingBand band(std::size_t labels) = 0;
};

/// The rule of opt-kg, label-price or least-labelled, whose levels are numbers of labels.
std::unique_ptr<LevelRule> level_rule(std::string_view policy, const model::Prior& prior);

/// Labels that an item gets between two levels, for similar numbers of labels before them.
struct LabelBin {
  double had = 0;     // mean
  double labels = 0;  // expected number
  double gain = 0;    // in accuracy, expected
};

/// The labels from one level to the next.
struct CourseStep {
  double level = 0;                            // at its end
  double labels_before = 0, labels_after = 0;  // expected, per item
  double labels = 0, gain = 0;                 // sums over the bins
  std::vector<LabelBin> bins = {};
  std::vector<LabelCount> counts = {};  // the labels of an item after the step
};

class ItemCourse {
 public:
  /// An item gets at most `most_labels`.
  ItemCourse(model::Prior prior, std::unique_ptr<LevelRule> rule, std::size_t most_labels);
  ItemCourse(const ItemCourse&) = delete;

  double accuracy_now() const { return accuracy_now_; }
  /// The steps that have labels, by number; null beyond the last. They stay where they are.
  const CourseStep* step(std::size_t number);

 private:
  /// Probabilities of the states with the same number of labels, from `first` positive ones on.
  struct Row {
    index::Place first = 0;
    std::vector<double> parts = {};
    void widen(index::Place low, index::Place high);
  };
  struct Moved {
    double labels = 0, gain = 0;
  };

  double rest() const;
  void take(CourseStep& step);
  Moved move_on(std::size_t labels);

  const model::Prior prior_;
  const std::unique_ptr<LevelRule> rule_;
  const std::size_t most_labels_;
  index::RewardSpots spots_;
  index::Chances chances_;
  std::vector<double> chance_;
  std::vector<Row> rows_;
  std::vector<double> at_count_{1.0};  // probability by number of labels
  std::deque<CourseStep> steps_;
  bool ended_ = false;
  double accuracy_now_;
};

}  // namespace allot::policy
