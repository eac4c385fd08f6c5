// The JSON object of a request, read member by member.
//
//   Body body = Body::parse(text);  body.text("worker");  body.whole("count", 1, 1, 100);
//   if (const auto wrong = body.done()) -> a refusal
// What is wrong is remembered, the first of it is what done() says: a value of another kind, one
// beyond its limits, one that is missing, a member that nobody asked for.
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
class object;
class value;
}  // namespace boost::json

namespace allot::serve {

/// Bytes of a name: of an item, a worker, a class.
inline constexpr std::size_t kLongestName = 500;
/// Numbers that are known of an item.
inline constexpr std::size_t kMostFeatures = 1000;

class Body {
 public:
  /// An empty text is an empty object.
  static Body parse(std::string_view text);

  bool has(std::string_view name) const;
  /// A text that must be there and must not be empty.
  std::string text(std::string_view name, std::size_t longest = kLongestName);
  std::optional<std::string> text_if(std::string_view name, std::size_t longest = kLongestName);
  /// A text, number or truth value as text.
  std::optional<std::string> scalar_if(std::string_view name, std::size_t longest = kLongestName);
  std::uint64_t whole(std::string_view name, std::uint64_t usual, std::uint64_t least,
                      std::uint64_t most);
  bool flag(std::string_view name);
  std::optional<Money> money_if(std::string_view name);
  std::vector<std::string> texts(std::string_view name, std::size_t most);
  std::vector<double> numbers(std::string_view name, std::size_t most);
  /// An object as JSON; "{}" if it is not there.
  std::string object_text(std::string_view name, std::size_t longest);
  std::vector<Body> objects(std::string_view name, std::size_t most);
  /// Nothing if it is not there.
  std::optional<Body> object(std::string_view name);
  /// Names of what is there, in order.
  std::vector<std::string> members() const;

  void refuse(std::string why, ErrorCode code = ErrorCode::invalid_argument);
  /// What is wrong, if anything is. To be called on the whole body, and on each of its objects.
  std::optional<Error> done();

 private:
  struct Shared;
  Body(std::shared_ptr<Shared> shared, const boost::json::object* object, std::string path);
  const boost::json::value* find(std::string_view name);
  std::string path(std::string_view name) const;

  std::shared_ptr<Shared> shared_;
  const boost::json::object* object_;
  std::string path_;  // "labels[3]."
  std::vector<std::string> asked_;
};

}  // namespace allot::serve
