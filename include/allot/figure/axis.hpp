// Axes: ticks at round numbers, and the mapping of values to places on the paper.
//
// Ticks are whole multiples of 1, 2 or 5 times a power of ten. They are computed from whole
// numbers, not by adding steps up, so 0.3 is 0.3 and every machine finds the same ticks.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace allot::figure {

/// An interval of values.
struct Range {
  double low;   ///< lower end
  double high;  ///< upper end
};

/// The unlimited range.
inline constexpr Range kEverywhere{-std::numeric_limits<double>::infinity(),
                                   std::numeric_limits<double>::infinity()};

/// True if the value can be drawn: neither NaN nor beyond 1e100.
bool drawable(double value);

/// A tick of an axis.
struct Tick {
  double value;      ///< place on the axis
  std::string text;  ///< "1,000", "0.85"; no two of an axis are equal
};

/// An axis with its ticks.
struct Axis {
  double low;   ///< lower end
  double high;  ///< upper end, above `low`
  /// Ticks, from low to high.
  std::vector<Tick> ticks;
  /// Digits after the point of its ticks.
  int decimals;
};

/// Where an axis ends.
enum class Ends {
  at_ticks,  ///< at the next tick on both sides
  at_data,   ///< at the ends of the data
};

/// An axis that covers `data` and has at most `most_ticks` (at least 3) ticks. It stays within
/// `limits`, for example 0 and 1 for shares. Data that are almost equal get some room around them.
Axis nice_axis(Range data, std::size_t most_ticks, Ends ends, Range limits = kEverywhere);

/// Maps the values of an axis to places on the paper.
class Scale {
 public:
  /// The low end of the axis lies at `from`, its high end at `to`.
  Scale(const Axis& axis, double from, double to)
      : low_(axis.low), high_(axis.high), from_(from), to_(to) {}
  /// The place of a value; a value beyond the axis lies on its end.
  double operator()(double value) const;

 private:
  double low_, high_, from_, to_;
};

}  // namespace allot::figure
