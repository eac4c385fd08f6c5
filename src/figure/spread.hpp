// Places of labels beside the ends of lines: as close as possible to the lines, without overlap.
#pragma once

#include <vector>

namespace allot::figure {

/// Places in [low, high] at least `gap` apart, in the order of the wanted places (equal ones keep
/// their order), with the least sum of squared moves. There must be room: (n - 1) * gap <= high -
/// low.
std::vector<double> spread(const std::vector<double>& wanted, double gap, double low, double high);

}  // namespace allot::figure
