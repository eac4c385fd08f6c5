// Texts of figures: numbers as people write them, and how much room a text takes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace allot::figure {

/// Fixed digits after the point, commas between thousands: "1,000", "-0.25".
std::string grouped(double value, int decimals);

/// A number by itself: up to five digits after the point, no more than needed; very large and very
/// small ones as 1.5e+20.
std::string plain_number(double value);

/// Valid XML text from any bytes: markup is escaped; what XML cannot hold becomes U+FFFD.
std::string escaped(std::string_view text);

/// The room a text needs, on the safe side: nobody knows the font it will be drawn with.
double text_width(std::string_view text, double font_size);

/// The text, cut off with an ellipsis where it would be wider.
std::string shortened(std::string_view text, double font_size, double width);

/// The text in lines of at most that width, broken at blanks; a word too wide is shortened.
std::vector<std::string> wrapped(std::string_view text, double font_size, double width);

}  // namespace allot::figure
