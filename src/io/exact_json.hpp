// JSON values in which numbers keep their own text.
//
// Ids and data are other people's: 12345678901234567890123 must not become 1.2345678901234568e22,
// nor 1.10 become 1.1. So numbers that are not whole, or too large for 64 bits, are kept as texts
// behind a mark. The mark is a byte that UTF-8 does not use, so no text of a file begins with it.
#pragma once

#include <boost/json/value.hpp>
#include <boost/system/error_code.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace allot::io {

/// A parsed text.
struct ExactJson {
  boost::json::value value = {};  ///< null if the text is wrong
  boost::system::error_code wrong = {};
  std::size_t read = 0;  ///< characters up to the end of the value, or to the problem
};

/// Parses one JSON value; only blanks may follow it.
ExactJson parse_exact_json(std::string_view text);

/// The text of a number that was kept as text; nothing for any other value.
std::optional<std::string_view> own_text(const boost::json::value& value);

/// Appends the value as JSON on one line, numbers as they were written; false if one of them is
/// beyond 1.7e308.
bool add_exact_json(const boost::json::value& value, std::string& to);
/// The value as JSON on one line.
std::string exact_json_text(const boost::json::value& value);

}  // namespace allot::io
