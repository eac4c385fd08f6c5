#include "bridge/chat_prompt.hpp"

#include <gtest/gtest.h>

#include <set>

namespace allot::bridge::chat_prompt_test {
namespace {

const std::vector<std::string> kClasses{"no", "yes"};

TEST(PromptTemplate, PutsFieldsAndClassesIn) {
  const auto made =
      PromptTemplate::parse("Mood of {{ text }} ({{item}}, {{price}})?\n{{classes}}").value();
  const std::string prompt =
      made.fill("r1", R"({"text": "Good", "price": 1.10})", {"yes"}, 1).value();
  EXPECT_EQ(prompt, "Mood of Good (r1, 1.10)?\n- yes\n");
}

TEST(PromptTemplate, DoesNotFillPlacesThatAnItemWrites) {
  const auto made = PromptTemplate::parse("{{text}}|{{classes}}").value();
  EXPECT_EQ(made.fill("r1", R"({"text": "{{classes}} {{item}}"})", {"a"}, 1).value(),
            "{{classes}} {{item}}|- a\n");
}

TEST(PromptTemplate, KeepsItsOwnPlacesFromFieldsOfTheSameName) {
  const auto made = PromptTemplate::parse("{{item}}|{{classes}}").value();
  EXPECT_EQ(made.fill("r1", R"({"item": "x", "classes": "y"})", {"a"}, 1).value(), "r1|- a\n");
}

TEST(PromptTemplate, RefusesWhatCannotWork) {
  const auto why = [](const char* text) { return PromptTemplate::parse(text).error().message; };
  EXPECT_NE(why("Mood of {{text}}?").find("expected {{classes}}"), std::string::npos);
  EXPECT_NE(why("{{classes}} {{text").find("without }}"), std::string::npos);
  EXPECT_NE(why("{{classes}} {{ }}").find("without a name"), std::string::npos);
  const auto made = PromptTemplate::parse("{{body}} {{classes}}").value();
  EXPECT_EQ(made.fill("r1", R"({"text": "x"})", kClasses, 1).error().message,
            "item 'r1' has no field 'body'; expected the fields that the prompt names");
}

TEST(UsualPrompt, HasTheFieldsAndKeepsPlacesOfTextsAsText) {
  EXPECT_EQ(usual_prompt("", " ", {}),
            "Which class does this item belong to?\n\n\nClasses:\n{{classes}}");
  const std::string prompt = usual_prompt("Is {{{it}}} so?", "Read.", {"text", "od{{d", "n n"});
  EXPECT_EQ(prompt,
            "Is { { {it}}} so?\n\nRead.\n\ntext: {{text}}\nn n: {{n n}}\n\nClasses:\n{{classes}}");
  EXPECT_TRUE(PromptTemplate::parse(prompt)->fill("i", R"({"text": 1, "n n": 2})", {"a"}, 1));
}

TEST(PromptTemplate, ListsClassesInAnOrderOfTheItem) {
  std::set<std::vector<std::string>> orders;
  int first_is_no = 0;
  for (int n = 0; n < 400; ++n) {
    const std::string item = "r" + std::to_string(n);
    const auto order = shuffled_classes(item, kClasses, 1);
    EXPECT_EQ(order, shuffled_classes(item, kClasses, 1)) << "the same again";
    orders.insert(order);
    first_is_no += order.front() == "no";
  }
  EXPECT_EQ(orders.size(), 2U);
  EXPECT_NEAR(first_is_no, 200, 50);  // 5 standard deviations, and fixed by the seed
}

TEST(ClassIn, TakesOneClassAndNothingElse) {
  for (const char* reply : {"yes", " Yes\n", "\"yes\"", "**yes**", "yes.", "- yes", "`YES`"})
    EXPECT_EQ(class_in(reply, kClasses), "yes") << reply;
  for (const char* reply : {"", ".", "yes and no", "The answer is yes", "yes, because", "maybe",
                            "no yes", "I cannot help with that.", "{\"label\": \"yes\"}"})
    EXPECT_FALSE(class_in(reply, kClasses)) << reply;
  const std::vector<std::string> close{"A", "a", "b."};
  EXPECT_EQ(class_in("a", close), "a");
  EXPECT_EQ(class_in("A", close), "A");
  EXPECT_EQ(class_in("b.", close), "b.");
  EXPECT_EQ(class_in("B.", close), "b.");
}

}  // namespace
}  // namespace allot::bridge::chat_prompt_test
