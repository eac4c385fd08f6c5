// What becomes of one item while the level of an index policy falls (see policy/forecast.hpp).
//
// All of an item starts in the state without labels. At each level whatever is in a state above it
// moves on, by the chances of its next label, until nothing is. Each label is booked under the
// number of labels before it, in bins.
//
// Cost: a few nanoseconds a level and state above it; the number of those is some 0.8 sqrt(n) /
// level for label-price, n the labels it looks ahead.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "allot/index/stopping.hpp"
#include "allot/model/prior.hpp"
#include "index/reward_lattice.hpp"
#include "policy/label_sum.hpp"

namespace allot::policy {

/// Where an item is asked on at the present level, and how the level falls.
class LevelRule {
 public:
  virtual ~LevelRule() = default;
  /// To the next level; false if there is none.
  virtual bool lower() = 0;
  /// The present one.
  virtual double level() const = 0;
  /// The states with so many labels that are above the level.
  virtual index::StoppingBand band(std::size_t labels) = 0;
};

std::unique_ptr<LevelRule> label_price_rule(const model::Prior& prior);
std::unique_ptr<LevelRule> opt_kg_rule(const model::Prior& prior);
/// The items with the fewest labels first: a level is a number of labels.
std::unique_ptr<LevelRule> equal_rule();

/// Labels that an item gets between two levels, of those before which it has had about as many.
struct LabelBin {
  double had = 0;     // mean
  double labels = 0;  // expected number
  double gain = 0;    // in accuracy, expected
};

/// From one level to the next.
struct CourseStep {
  double level = 0;                            // at its end
  double labels_before = 0, labels_after = 0;  // of an item, expected
  double labels = 0, gain = 0;                 // of all bins
  std::vector<LabelBin> bins = {};
  std::vector<Settled> settled = {};  // the labels an item has after it
};

class ItemCourse {
 public:
  /// No item gets more than `most_labels`.
  ItemCourse(model::Prior prior, std::unique_ptr<LevelRule> rule, std::size_t most_labels);
  ItemCourse(const ItemCourse&) = delete;

  double accuracy_now() const { return accuracy_now_; }
  /// Steps without labels are left out. Nothing beyond the last.
  const CourseStep* step(std::size_t number);

 private:
  /// Parts of the item in the states with the same number of labels, from `first` positive ones on.
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
  std::vector<double> settled_{1.0};  // part of the item with so many labels
  std::vector<CourseStep> steps_;
  bool ended_ = false;
  double accuracy_now_;
};

}  // namespace allot::policy
