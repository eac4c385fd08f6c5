#include "io/json_object.hpp"

#include <gtest/gtest.h>

#include "base/json_text.hpp"

namespace allot::io::json_object_test {
namespace {

TEST(JsonObject, KeepsNamesValuesAndTheirOrder) {
  const auto members =
      parse_json_object(R"({"b": "x\ny", "a": 12, "c": [1, {"d": null}], "e": true})").value();
  const std::vector<JsonMember> expected{{"b", "x\ny", true},
                                         {"a", "12", false},
                                         {"c", R"([1, {"d": null}])", false},
                                         {"e", "true", false}};
  EXPECT_EQ(members, expected);
}

TEST(JsonObject, ReadsBackWhatItWrites) {
  for (const char* text :
       {R"({"a": "q\"\\\u0001é", "b": 0.1, "c": -3, "d": 1e+300, "e": {"f": [[], {}, "g"]}})",
        R"({"large": 18446744073709551615, "small": -9223372036854775808})", "{}"}) {
    const auto members = parse_json_object(text).value();
    EXPECT_EQ(json_text(members), text);
    EXPECT_EQ(parse_json_object(json_text(members)).value(), members);
  }
}

TEST(JsonObject, KeepsNumbersAsTheyWereWritten) {
  const std::string text =
      R"({"id": 123456789012345678901234567890, "price": 1.10, "size": [-0.50, 1E2, {"a": 2.0}]})";
  const auto members = parse_json_object(text).value();
  EXPECT_EQ(members[0].value, "123456789012345678901234567890");
  EXPECT_FALSE(members[0].is_text);
  EXPECT_EQ(json_text(members), text);
}

/// Texts of all lengths with each byte at each place, against one byte at a time.
TEST(JsonObject, EscapesEveryByteAtEveryPlace) {
  const auto plainly = [](std::string_view text) {
    std::string quoted;
    for (const char c : text) {
      const std::string one = json_string({&c, 1});
      quoted += one.substr(1, one.size() - 2);
    }
    return '"' + quoted + '"';
  };
  for (std::size_t size = 1; size <= 20; ++size) {
    for (std::size_t at = 0; at < size; ++at) {
      for (int byte = 0; byte < 256; ++byte) {
        std::string text(size, 'a');
        text[at] = static_cast<char>(byte);
        ASSERT_EQ(json_string(text), plainly(text)) << size << ' ' << at << ' ' << byte;
      }
    }
  }
}

TEST(JsonObject, NamesThePositionOfTheProblem) {
  const auto refusal = [](const char* text) { return parse_json_object(text).error().message; };
  EXPECT_NE(refusal(R"({"a": })").find("at character 7"), std::string::npos)
      << refusal(R"({"a": })");
  EXPECT_NE(refusal(R"({"a": 1)").find("is not a JSON object"), std::string::npos);
  EXPECT_NE(refusal(R"({"a": 1} x)").find("is not a JSON object"), std::string::npos);
  EXPECT_NE(refusal("[1]").find("is not a JSON object"), std::string::npos);
  EXPECT_NE(refusal(R"({"a": 1e999})").find("too large"), std::string::npos);
}

}  // namespace
}  // namespace allot::io::json_object_test
