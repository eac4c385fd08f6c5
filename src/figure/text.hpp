// Texts of figures: numbers as people write them, the room a text takes, and its place.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace allot::figure {

/// The number with fixed digits after the point and commas between thousands: "1,000", "-0.25".
std::string grouped(double value, int decimals);

/// The number with up to five digits after the point, no more than needed; very large and very
/// small ones as 1.5e+20.
std::string plain_number(double value);

/// Valid XML text from any bytes: markup is escaped; characters that XML cannot hold become U+FFFD.
std::string escaped(std::string_view text);

/// Room a text needs, on the safe side, because the font is unknown.
double text_width(std::string_view text, double font_size);

/// The text, cut with an ellipsis to fit the width.
std::string shortened(std::string_view text, double font_size, double width);

/// The text in lines of at most that width, broken at blanks; a word that is too wide is shortened.
std::vector<std::string> wrapped(std::string_view text, double font_size, double width);

/// Places of labels beside the ends of lines, in [low, high], at least `gap` apart, in the order of
/// the wanted places (equal ones keep their order), with the least sum of squared moves. There must
/// be room: (n - 1) * gap <= high - low.
std::vector<double> spread(const std::vector<double>& wanted, double gap, double low, double high);

}  // namespace allot::figure
