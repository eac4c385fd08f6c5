// A sorted set of numbers that also counts its gaps: the k-th number in the set, and the k-th
// number not in it.
//
// Numbers are kept in sorted runs of at most 4096, so an insert into a million numbers moves few of
// them. Cost: a lookup is O(log n); insert and erase add the length of a run; the k-th number or
// gap adds the number of runs. Memory: 4 bytes per number and up to half as much slack.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace allot {

/// A sorted set of 32-bit numbers.
class SortedNumbers {
 public:
  /// Count of numbers in the set.
  std::uint32_t size() const { return size_; }

  /// True if the number is in the set.
  bool contains(std::uint32_t number) const {
    if (runs_.empty()) return false;
    return std::ranges::binary_search(runs_[run_of(number)], number);
  }

  /// Adds a number. It must not be in the set.
  void insert(std::uint32_t number) {
    if (runs_.empty()) runs_.emplace_back();
    std::size_t place = run_of(number);
    if (runs_[place].size() == kLongest) {
      split(place);
      place = run_of(number);
    }
    std::vector<std::uint32_t>& run = runs_[place];
    run.insert(std::ranges::lower_bound(run, number), number);
    ++size_;
  }

  /// Removes a number. It must be in the set.
  void erase(std::uint32_t number) {
    const std::size_t place = run_of(number);
    std::vector<std::uint32_t>& run = runs_[place];
    run.erase(std::ranges::lower_bound(run, number));
    --size_;
    if (run.empty()) runs_.erase(runs_.begin() + static_cast<std::ptrdiff_t>(place));
  }

  /// The k-th smallest number in the set, from 0.
  std::uint32_t operator[](std::uint32_t k) const {
    auto run = runs_.begin();
    for (; k >= run->size(); ++run) k -= static_cast<std::uint32_t>(run->size());
    return (*run)[k];
  }

  /// The k-th smallest number, from 0, that is not in the set.
  std::uint32_t gap(std::uint32_t k) const {
    // The numbers before the result are those with at most k gaps before them.
    std::uint32_t before = 0;
    for (const auto& run : runs_) {
      const auto length = static_cast<std::uint32_t>(run.size());
      if (run.back() - (before + length - 1) <= k) {
        before += length;
        continue;
      }
      std::uint32_t low = 0, high = length;
      while (low < high) {
        const std::uint32_t middle = (low + high) / 2;
        if (run[middle] - (before + middle) <= k) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return k + before + low;
    }
    return k + before;
  }

 private:
  static constexpr std::size_t kLongest = 4096;

  /// The last run that starts at or before the number, else the first.
  std::size_t run_of(std::uint32_t number) const {
    if (runs_.size() == 1) return 0;
    const auto after = std::ranges::upper_bound(
        runs_, number, {}, [](const std::vector<std::uint32_t>& run) { return run.front(); });
    return after == runs_.begin() ? 0 : static_cast<std::size_t>(after - runs_.begin()) - 1;
  }

  /// Splits a full run in two. The last run keeps all but one, so that numbers inserted in order
  /// leave full runs behind.
  void split(std::size_t place) {
    std::vector<std::uint32_t>& run = runs_[place];
    const std::ptrdiff_t kept = place + 1 == runs_.size() ? kLongest - 1 : kLongest / 2;
    std::vector<std::uint32_t> rest(run.begin() + kept, run.end());
    run.erase(run.begin() + kept, run.end());
    runs_.insert(runs_.begin() + static_cast<std::ptrdiff_t>(place) + 1, std::move(rest));
  }

  std::vector<std::vector<std::uint32_t>> runs_;  // none is empty, except during an insert
  std::uint32_t size_ = 0;
};

}  // namespace allot
