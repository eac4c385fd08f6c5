#include "bridge/label_config.hpp"

#include <gtest/gtest.h>

namespace allot::bridge::label_config_test {
namespace {

TEST(LabelConfig, HasTheChoicesOfAnInterface) {
  const auto all = choices_in(
      "<View>\n  <!-- <Choices name=\"old\" toName=\"t\"> -->\n  <Text name=\"t\" value=\"$t\"/>\n"
      "  <Choices name=\"mood\" toName=\"t\" choice=\"single\" showInLine='true'>\n"
      "    <Choice value=\"Good &amp; &lt;fine&gt;\" hotkey=\"1\"/><Choice value='bad'></Choice>\n"
      "  </Choices><Choices name=\"tags\" toName=\"t\" choice=\"multiple\"/>"
      "<Choice value=\"stray\"/></View>");
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].name, "mood");
  EXPECT_EQ(all[0].object, "t");
  EXPECT_EQ(all[0].values, (std::vector<std::string>{"Good & <fine>", "bad"}));
  EXPECT_TRUE(all[0].single);
  EXPECT_FALSE(all[1].single);
}

TEST(LabelConfig, AsksWhichControlIsMeant) {
  const std::string two =
      "<Choices name='a' toName='t'><Choice value='x'/></Choices>"
      "<Choices name='b' toName='t' choice='multiple'><Choice value='x'/></Choices>";
  const auto why = [&](const std::optional<std::string>& name) {
    return control_for(two, name, {"x"}).error().message;
  };
  EXPECT_NE(why({}).find("--control"), std::string::npos);
  EXPECT_NE(why("c").find("'c' is unknown"), std::string::npos);
  EXPECT_NE(why("b").find("several choices"), std::string::npos);
  EXPECT_EQ(control_for(two, "a", {"x"}).value().name, "a");
}

TEST(LabelConfig, SurvivesAnyText) {
  const std::string whole = "<Choices name='a' toName=\"t\"><Choice value='x'/></Choices>";
  for (std::size_t size = 0; size <= whole.size(); ++size) choices_in(whole.substr(0, size));
  for (const char* text : {"<", "<<", "<a", "<a b", "<a b=", "<a b='", "<!--", "<Choice/>", "</>"})
    EXPECT_TRUE(choices_in(text).empty()) << text;
}

}  // namespace
}  // namespace allot::bridge::label_config_test
