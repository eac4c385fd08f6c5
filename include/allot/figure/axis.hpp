// Axes: ticks at round numbers, and where a value lies on the paper.
//
// Ticks are whole multiples of 1, 2 or 5 times a power of ten, taken from whole numbers and not by
// adding steps up, so that 0.3 is 0.3 and every machine finds the same ticks.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace allot::figure {

struct Range {
  double low, high;
};

inline constexpr Range kEverywhere{-std::numeric_limits<double>::infinity(),
                                   std::numeric_limits<double>::infinity()};

/// What can be drawn: neither NaN nor beyond 1e100.
bool drawable(double value);

struct Tick {
  double value;
  std::string text;  // "1,000", "0.85"; no two of an axis are equal
};

struct Axis {
  double low, high;  // low < high
  std::vector<Tick> ticks;
  /// Digits after the point that its ticks have.
  int decimals;
};

enum class Ends {
  at_ticks,  // the axis goes on to the next tick on both sides
  at_data,   // it ends where the data end
};

/// An axis that covers `data` and has at most `most_ticks` (at least 3) ticks. It stays within
/// `limits`, say 0 and 1 for shares. Data all but equal get some room around them.
Axis nice_axis(Range data, std::size_t most_ticks, Ends ends, Range limits = kEverywhere);

/// From the values of an axis to places on the paper: its low end at `from`, its high end at `to`.
class Scale {
 public:
  Scale(const Axis& axis, double from, double to)
      : low_(axis.low), high_(axis.high), from_(from), to_(to) {}
  /// A value beyond the axis lies on its end.
  double operator()(double value) const;

 private:
  double low_, high_, from_, to_;
};

}  // namespace allot::figure
