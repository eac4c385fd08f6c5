// Whether a value is as a JSON Schema says: the part of it that our documents use.
#pragma once

#include <fmt/format.h>

#include <boost/json.hpp>
#include <stdexcept>
#include <string>

#include "allot/base/time_text.hpp"

namespace allot::test {

class SchemaChecker {
 public:
  /// The document that has the components.
  explicit SchemaChecker(const boost::json::value& document) : document_(document) {}

  /// What is wrong, with its place; empty if nothing is.
  std::string wrong(const boost::json::value& value, const boost::json::value& schema,
                    const std::string& place = "$") const {
    using boost::json::value_to;
    const auto& rules = schema.as_object();
    for (const auto& [key, rule] : rules) {
      if (key == "$ref") {
        const std::string path(rule.as_string());
        return wrong(value, document_.at_pointer(path.substr(1)), place);
      }
      if (key == "anyOf") {
        std::string all;
        for (const auto& one : rule.as_array()) {
          const std::string why = wrong(value, one, place);
          if (why.empty()) return "";
          all += why + "; ";
        }
        return all;
      }
      std::string why;
      if (key == "type") {
        why = wrong_type(value, rule);
      } else if (key == "enum") {
        const auto& words = rule.as_array();
        if (std::find(words.begin(), words.end(), value) == words.end())
          why = "not one of the words";
      } else if (key == "minimum") {
        if (value.is_number() && value.to_number<double>() < rule.to_number<double>())
          why = "too low";
      } else if (key == "maximum") {
        // Sums of shares may be a bit off.
        if (value.is_number() && value.to_number<double>() > rule.to_number<double>() + 1e-9) {
          why = "too high";
        }
      } else if (key == "format") {
        if (rule.as_string() != "date-time") throw std::logic_error("unknown format");
        if (value.is_string() && !parse_time(value.as_string())) why = "no time";
      } else if (key == "items") {
        if (value.is_array()) {
          for (std::size_t n = 0; n < value.as_array().size(); ++n) {
            const std::string inner =
                wrong(value.as_array()[n], rule, fmt::format("{}[{}]", place, n));
            if (!inner.empty()) return inner;
          }
        }
      } else if (key == "required") {
        for (const auto& name : rule.as_array()) {
          if (value.is_object() && !value.as_object().contains(name.as_string())) {
            why = fmt::format("{} is missing", std::string(name.as_string()));
          }
        }
      } else if (key == "properties" || key == "additionalProperties") {
        const std::string inner = wrong_members(value, rules, place);
        if (!inner.empty()) return inner;
      } else if (key != "description") {
        throw std::logic_error("a schema says " + std::string(key));
      }
      if (!why.empty()) {
        return fmt::format("{}: {} ({})", place, why, boost::json::serialize(value).substr(0, 100));
      }
    }
    return "";
  }

 private:
  static bool is_of(const boost::json::value& value, std::string_view type) {
    if (type == "string") return value.is_string();
    if (type == "integer") return value.is_int64() || value.is_uint64();
    if (type == "number") return value.is_number();
    if (type == "boolean") return value.is_bool();
    if (type == "null") return value.is_null();
    if (type == "array") return value.is_array();
    if (type == "object") return value.is_object();
    throw std::logic_error("unknown type");
  }
  static std::string wrong_type(const boost::json::value& value, const boost::json::value& type) {
    if (type.is_string()) return is_of(value, type.as_string()) ? "" : "of another type";
    for (const auto& one : type.as_array()) {
      if (is_of(value, one.as_string())) return "";
    }
    return "of another type";
  }
  std::string wrong_members(const boost::json::value& value, const boost::json::object& rules,
                            const std::string& place) const {
    if (!value.is_object()) return "";
    const auto* properties = rules.if_contains("properties");
    const auto* others = rules.if_contains("additionalProperties");
    for (const auto& [name, member] : value.as_object()) {
      const std::string at = place + "." + std::string(name);
      const auto* known = properties ? properties->as_object().if_contains(name) : nullptr;
      if (!known && others && others->is_bool() && !others->as_bool()) return at + " is unknown";
      const auto* rule = known ? known : (others && others->is_object() ? others : nullptr);
      const std::string why = rule ? wrong(member, *rule, at) : "";
      if (!why.empty()) return why;
    }
    return "";
  }

  const boost::json::value& document_;
};

}  // namespace allot::test
