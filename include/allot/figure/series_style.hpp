// The style of a series: one name has one style in every figure.
//
// A style is a colour, a dash pattern and a marker. The colours differ in lightness too, so most of
// them stay distinct for colour-blind readers. Within a figure no two series share both dashes and
// marker, so colour is never needed to tell them apart. The common policies have fixed styles. Any
// other name finds its style by a hash of its letters, and names that differ only after a colon
// share a colour.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace allot::figure {

/// Numbers of a colour, a dash pattern and a marker.
struct SeriesStyle {
  std::size_t colour;  ///< number of the colour in the palette
  std::size_t dashes;  ///< number of the dash pattern
  std::size_t marker;  ///< number of the marker

  /// Styles are equal if all three parts are.
  bool operator==(const SeriesStyle&) const = default;
};

/// The styles of series that share a figure, in the order given. They are the same in every figure,
/// unless two names without a fixed style hash to nearly the same one; then the later name moves
/// on. Up to 36 series are distinct without colour.
std::vector<SeriesStyle> series_styles(std::span<const std::string> names);

/// A colour for light and for dark paper, as a CSS hex code.
struct Colour {
  std::string_view on_light;  ///< for light paper
  std::string_view on_dark;   ///< for dark screens
};

/// All colours.
std::span<const Colour> palette();
/// Value of the attribute stroke-dasharray; empty for a solid line.
std::string_view dash_pattern(const SeriesStyle& style);
/// Outline of the marker around 0,0, for the attribute d of a path.
std::string_view marker_outline(const SeriesStyle& style);

}  // namespace allot::figure
