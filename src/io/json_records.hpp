// JSON objects one after the other: the lines of a text, or the elements of an array.
//
// An array is cut into its elements without parsing them, so that a long export costs the memory of
// its text and of one element. Errors name the line in which an element begins.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "allot/base/result.hpp"

namespace allot::io {

/// Walks over the objects of a text.
class JsonRecords {
 public:
  /// A text that begins with '[' is an array, any other has one object per line. The text must be
  /// UTF-8, and outlive this object.
  explicit JsonRecords(std::string_view text);

  /// Moves to the next object; false if there is none.
  Result<bool> next();
  /// The text of the object.
  std::string_view text() const { return element_; }
  /// The object, parsed (io/exact_json.hpp); refuses what is not JSON or not an object.
  Result<boost::json::object> object() const;
  /// Line in which the object begins, from 1.
  std::uint64_t line() const { return line_; }

 private:
  Result<bool> next_line();
  Result<bool> next_element();
  void skip_blanks();
  /// Position after the element that begins here; npos if the text ends before.
  std::size_t element_end() const;
  Result<bool> finish_array();

  std::string_view text_;
  std::size_t at_ = 0;
  std::uint64_t lines_begun_ = 1, line_ = 0;
  bool is_array_ = false, first_ = true, done_ = false;
  std::string_view element_;
};

/// True if the first character other than a blank opens an object or an array.
bool looks_like_json(std::string_view text);

/// A text, number or truth value as text, numbers as they were written; empty for null; nothing for
/// a list or an object.
std::optional<std::string> scalar_text(const boost::json::value& value);
/// The same for a member; empty if there is no such member.
std::optional<std::string> scalar_member(const boost::json::object& object, std::string_view name);
/// The member if it is a list, else null.
const boost::json::array* array_member(const boost::json::object& object, std::string_view name);
/// The member if it is an object, else null.
const boost::json::object* object_member(const boost::json::object& object, std::string_view name);

}  // namespace allot::io
