// What a series looks like: one name, one look, in every figure.
//
// A look is a colour, a dash pattern and a marker. The colours differ in lightness too, so that
// most of them stay apart for colour-blind eyes; within a figure no two series share both dashes
// and marker, so that colour is never needed to tell them apart. Policies that everybody compares
// have looks of their own; any other name finds its look by its letters, and names that differ only
// after a colon share a colour.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace allot::figure {

struct Look {
  std::size_t colour, dashes, marker;
  bool operator==(const Look&) const = default;
};

/// The looks of series that share a figure, in the order given. The same as in any other figure,
/// unless two names without a look of their own find nearly the same: then the later one moves on.
/// Up to 36 series can be told apart without colour.
std::vector<Look> looks(std::span<const std::string> names);

struct Colour {
  std::string_view on_light, on_dark;
};

std::span<const Colour> palette();
/// For the attribute stroke-dasharray; empty for a solid line.
std::string_view dash_pattern(const Look& look);
/// Outline of the marker around 0,0 for the attribute d of a path.
std::string_view marker_outline(const Look& look);

}  // namespace allot::figure
