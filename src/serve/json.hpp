// Writing JSON: an object member by member, a list value by value. Both convert to their text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "allot/base/money.hpp"
#include "allot/campaign/event.hpp"

namespace allot::serve {

class JsonList {
 public:
  /// Adds a value that is JSON text.
  JsonList& json(const std::string& value);
  JsonList& text(std::string_view value);
  operator std::string() const& { return text_ + ']'; }
  operator std::string() && { return std::move(text_ += ']'); }

 private:
  std::string text_ = "[";
};

class JsonObject {
 public:
  JsonObject() {
    text_.reserve(kUsualSize);
    text_ += '{';
  }

  /// Adds a value that is JSON text.
  JsonObject& json(std::string_view name, const std::string& value);
  JsonObject& text(std::string_view name, std::string_view value);
  /// Writes null for an empty text.
  JsonObject& text_or_null(std::string_view name, std::string_view value);
  // These write null for no value; `number` also for one that is not finite.
  JsonObject& whole(std::string_view name, std::optional<std::uint64_t> value);
  JsonObject& number(std::string_view name, std::optional<double> value);
  JsonObject& money(std::string_view name, std::optional<Money> value);
  JsonObject& time(std::string_view name, std::optional<campaign::Time> value);
  JsonObject& flag(std::string_view name, bool value);
  /// Adds a list of row_json(row) for each row.
  template <typename Rows, typename Json>
  JsonObject& list(std::string_view name, const Rows& rows, Json row_json) {
    JsonList values;
    for (const auto& row : rows) values.json(row_json(row));
    return json(name, std::move(values));
  }

  operator std::string() const& { return text_ + '}'; }
  operator std::string() && { return std::move(text_ += '}'); }

 private:
  /// Bytes of most objects, so that their text need not grow.
  static constexpr std::size_t kUsualSize = 240;
  /// Begins a member; its value follows.
  std::string& member(std::string_view name);

  std::string text_;
};

}  // namespace allot::serve
