// Bounds of many candidates, walked from the largest down.
//
// A heap-shaped tree of maxima: changing a bound takes O(log n) steps, and so does each step of a
// walk, which visits candidates in descending order of their bounds without changing anything.
#pragma once

#include <cstdint>
#include <limits>
#include <queue>
#include <vector>

namespace allot::policy {

class BoundTree {
 public:
  static constexpr double kNothing = -std::numeric_limits<double>::infinity();

  /// Grows as needed.
  void set(std::uint32_t candidate, double bound);

  class Walk {
   public:
    explicit Walk(const BoundTree& tree) : tree_(tree) {
      if (!tree.nodes_.empty()) waiting_.push({tree.nodes_[1], 1});
    }
    /// The next candidate if its bound is at least `least`.
    bool next(double least, std::uint32_t& candidate, double& bound);

   private:
    const BoundTree& tree_;
    std::priority_queue<std::pair<double, std::size_t>> waiting_;
  };

 private:
  std::vector<double> nodes_;  // [1] is the root, leaves start at half of the size
};

}  // namespace allot::policy
