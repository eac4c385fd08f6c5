// Workers whose labels do not depend on the item.
//
// Some workers give nearly all items the same label. Tables show it late, and strong ones hardly:
// their rows start from one reliability, and where a class is common, a worker who always names it
// looks reliable. So labels have a second reading: drawn from shares of the worker's own, whatever
// the item. The odds of this reading are
//   e^-7 prod over labels  share of the label / Pr(label | the item's other labels, the table),
// where shares and table come from the worker's other labels. Labels that are alone on their item
// do not count: nothing says whether they are right. Workers with a probability below .05 are read
// through their table alone, the others through the mean of both.
#pragma once

#include <cstdint>
#include <vector>

#include "model/by_worker.hpp"

namespace allot::model {

class Spammers {
 public:
  /// Before `judge`, nobody is a spammer but those who are `known` by worker; none if empty.
  Spammers(const MulticlassLabelsByWorker& labels, std::size_t classes,
           const std::vector<bool>& known = {});

  /// The logarithm of the share that the worker's other labels give to a label.
  double log_share_apart(std::size_t worker, std::uint32_t label) const;
  /// Takes the logarithm of what the worker's labels say for the second reading.
  void judge(std::size_t worker, double log_evidence);

  bool any() const;
  double probability(std::size_t worker) const { return probability_[worker]; }
  /// The chance of a label, whose chance by the worker's table is given.
  double chance(std::size_t worker, std::uint32_t label, double by_table) const {
    if (probability_[worker] == 0) return by_table;
    const double share = given_[worker * classes_ + label] / count_[worker];
    return by_table + probability_[worker] * (share - by_table);
  }

 private:
  std::size_t classes_;
  std::vector<double> given_;  // labels worker by worker and class by class
  std::vector<double> count_, probability_;
};

/// Workers who give nearly all of at least five items the same label, by worker. Empty if they gave
/// less than a quarter of the labels, or nobody else gave any.
std::vector<bool> workers_of_one_label(const MulticlassLabelsByWorker& labels, std::size_t classes);

}  // namespace allot::model
