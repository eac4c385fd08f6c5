// The JSON object of a request, read member by member.
//
//   Body body = Body::parse(text);  body.text("worker");  body.whole("count", 1, 1, 100);
//   if (const auto wrong = body.done()) -> a refusal
// The first error is kept, and done() returns it: a value of the wrong kind or beyond its limits, a
// missing member, a member that the route does not know.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "allot/base/money.hpp"
#include "allot/base/result.hpp"

namespace boost::json {
class array;
class object;
class value;
}  // namespace boost::json

namespace allot::serve {

/// Bytes of a name of an item, worker or class.
inline constexpr std::size_t kLongestName = 500;
/// Features per item.
inline constexpr std::size_t kMostFeatures = 1000;

class Body {
 public:
  /// An empty text counts as an empty object.
  static Body parse(std::string_view text);

  bool has(std::string_view name) const;
  /// A text that is required and not empty.
  std::string text(std::string_view name, std::size_t longest = kLongestName);
  std::optional<std::string> text_if(std::string_view name, std::size_t longest = kLongestName);
  /// A text, number or boolean, as text.
  std::optional<std::string> scalar_if(std::string_view name, std::size_t longest = kLongestName);
  std::uint64_t whole(std::string_view name, std::uint64_t usual, std::uint64_t least,
                      std::uint64_t most);
  bool flag(std::string_view name);
  /// A number from 0 to 1.
  std::optional<double> probability_if(std::string_view name);
  std::optional<Money> money_if(std::string_view name);
  std::vector<std::string> texts(std::string_view name, std::size_t most);
  std::vector<double> numbers(std::string_view name, std::size_t most);
  /// An object as JSON text; "{}" if it is missing.
  std::string object_text(std::string_view name, std::size_t longest);
  std::vector<Body> objects(std::string_view name, std::size_t most);
  /// Nothing if it is missing.
  std::optional<Body> object(std::string_view name);
  /// Names of the members, in order.
  std::vector<std::string> members() const;

  void refuse(std::string why, ErrorCode code = ErrorCode::invalid_argument);
  /// The first error, if any. Call it on the whole body and on each of its objects: it also refuses
  /// members that were not read.
  Result<void> done();

 private:
  struct Shared;
  Body(std::shared_ptr<Shared> shared, const boost::json::object* object, std::string path);
  const boost::json::value* find(std::string_view name);
  const boost::json::value* find_object(std::string_view name);
  void refuse_kind(std::string_view name, const boost::json::value& value,
                   std::string_view expected);
  void refuse_size(std::string_view name, std::size_t size, std::string_view of, std::size_t most);
  /// A list of at most `most` members; null if it is missing or refused. `what` is for the message.
  const boost::json::array* list(std::string_view name, std::string_view what, std::size_t most);
  std::string path(std::string_view name) const;

  std::shared_ptr<Shared> shared_;
  const boost::json::object* object_;
  std::string path_;  // "labels[3]."
  std::vector<std::string> read_;
};

}  // namespace allot::serve
