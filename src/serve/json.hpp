// Writing JSON: an object member by member, a list value by value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "allot/base/money.hpp"
#include "allot/campaign/event.hpp"

namespace allot::serve {

class JsonObject {
 public:
  /// Adds a value that is JSON text.
  JsonObject& json(std::string_view name, std::string_view value);
  JsonObject& text(std::string_view name, std::string_view value);
  /// Writes null for an empty text.
  JsonObject& text_or_null(std::string_view name, std::string_view value);
  JsonObject& whole(std::string_view name, std::uint64_t value);
  /// Writes null if the number is not finite.
  JsonObject& number(std::string_view name, double value);
  JsonObject& money(std::string_view name, Money value);
  JsonObject& time(std::string_view name, campaign::Time value);
  JsonObject& flag(std::string_view name, bool value);

  /// The JSON text; call it once.
  std::string end() { return std::move(text_ += '}'); }

 private:
  void name(std::string_view name);

  std::string text_ = "{";
};

class JsonList {
 public:
  JsonList& json(std::string_view value);
  JsonList& text(std::string_view value);
  JsonList& number(double value);
  /// The JSON text; call it once.
  std::string end() { return std::move(text_ += ']'); }

 private:
  std::string text_ = "[";
};

}  // namespace allot::serve
