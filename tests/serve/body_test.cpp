// Reading the JSON of a request.
#include "serve/body.hpp"

#include <gtest/gtest.h>

#include "serve/campaign_fixture.hpp"

namespace allot::test::body_test {
namespace {

TEST(Body, RemembersTheFirstThingThatIsWrong) {
  const auto wrong = [](std::string_view text, auto read) {
    serve::Body body = serve::Body::parse(text);
    read(body);
    const auto done = body.done();
    return done ? "" : done.error().message;
  };
  const auto text = [](serve::Body& body) { body.text("a"); };
  EXPECT_EQ(wrong(R"({"a": "x"})", text), "");
  EXPECT_EQ(wrong(R"({"a": 1})", text), "a is a number; expected a text");
  EXPECT_EQ(wrong(R"({"a": null})", text), "a is missing; expected a text");
  EXPECT_EQ(wrong(R"({"a": "x", "b": 1})", text),
            "'b' is unknown here; expected a, did you mean 'a'?");
  EXPECT_EQ(wrong(R"({"a": "x\u0000y"})", text), "a has a zero byte; expected none");
  const auto whole = [](serve::Body& body) { body.whole("a", 1, 1, 9); };
  EXPECT_EQ(wrong(R"({"a": 1.5})", whole), "a is 1.5; expected a whole number from 1 to 9");
  EXPECT_EQ(wrong(R"({"a": -1})", whole), "a is -1; expected a whole number from 1 to 9");
  EXPECT_EQ(wrong(R"({"a": 1e30})", whole), "a is 1e+30; expected a whole number from 1 to 9");
  EXPECT_EQ(wrong(R"({"a": 10})", whole), "a is 10; expected at most 9");
  EXPECT_EQ(wrong(R"({"a": [{"b": 1}]})",
                  [](serve::Body& body) {
                    for (serve::Body& one : body.objects("a", 5)) {
                      one.text("b");
                      static_cast<void>(one.done());
                    }
                  }),
            "a[0].b is a number; expected a text");
  EXPECT_EQ(wrong(R"({"a": "x", "a": "y"})", text),
            "the member 'a' comes twice in one object of the body; expected it once");
  EXPECT_EQ(wrong(R"({"a": [{"b": ":", "c": {}}, {"b": "\"", "\u0062" : 1}]})", text),
            "the member 'b' comes twice in one object of the body; expected it once");
  EXPECT_EQ(wrong(R"({"a": "\\\":{", "b": {"a": 1, "c": {"a": 2}}})",
                  [](serve::Body& body) {
                    body.text("a");
                    body.object("b");
                  }),
            "")
      << "in different objects";
  EXPECT_NE(wrong(std::string(100, '['), [](serve::Body&) {}).find("not JSON"), std::string::npos);
}

}  // namespace
}  // namespace allot::test::body_test
