// Checks that can stop after any look: answers drawn one by one, doubtful ones more often.
//
// The next draw takes one of the answers not drawn yet, with a chance in proportion to
//   w_i = 3/(4N) + sqrt(p_i (1-p_i)) / (4 sum_j sqrt(p_j (1-p_j))),
// N the number of answers, p_i their stated probabilities. Three quarters of the chance are equal:
// then no wrong answer weighs much more than another, and audits of good answers end early.
//
// The order is that of the keys E_i / w_i, E_i independent exponential variates. So the first draws
// are the same for any number of draws. Cost: O(N) at the start, O(log N) per draw; 24 N bytes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "allot/audit/strata.hpp"
#include "allot/audit/verdict.hpp"

namespace allot::audit {

/// The answers to check, in order; a function of stated probabilities and seed alone.
class SequentialDesign {
 public:
  /// From one stated probability per item.
  SequentialDesign(std::span<const double> stated, std::uint64_t seed);

  /// The first `count` draws, at most one per item; q is the chance of the draw given those before
  /// it. The span is valid until the next call.
  std::span<const Draw> draw(std::size_t count);
  /// The draws made so far.
  std::span<const Draw> draws() const { return draws_; }

  /// The stated probabilities.
  std::span<const double> stated() const { return stated_; }
  /// Weight w of answers stated at this probability; the weights of all answers add up to 1.
  double weight(double probability) const;
  /// The strata, by which results are shown; the draws do not use them.
  std::span<const Stratum> strata() const { return strata_.all(); }
  /// Number of the stratum of an item.
  std::uint32_t stratum(ItemId item) const { return strata_.of(stated_[position(item)]); }

 private:
  /// An answer that is not drawn yet; the smallest key is drawn next.
  struct Waiting {
    double key;
    std::uint32_t item;
    bool operator<(const Waiting& other) const {
      return key != other.key ? key > other.key : item > other.item;
    }
  };

  std::vector<double> stated_;
  Strata strata_;
  double spread_ = 0;
  double left_ = 1;               // weight of the answers not drawn yet
  std::vector<Waiting> waiting_;  // a heap
  std::vector<Draw> draws_;
};

}  // namespace allot::audit
