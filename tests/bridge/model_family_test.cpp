// Families of language models, and names that people have.
#include "bridge/model_family.hpp"

#include <gtest/gtest.h>

#include "allot/campaign/campaign.hpp"
#include "allot/store/memory_store.hpp"

namespace allot::bridge::model_family_test {
namespace {

using campaign::Campaign;
using campaign::State;

TEST(ModelFamily, IsTheFirstWordOfTheLastPartOfAName) {
  for (const auto& [model, family] :
       {std::pair("gpt-4o-mini", "gpt"), std::pair("meta/Llama-3.1:8b", "llama"),
        std::pair("a/b/Qwen2.5", "qwen"), std::pair("small", "small"), std::pair("7b", "7b"),
        std::pair("maker/", "maker/")}) {
    EXPECT_EQ(family_of(model), family) << model;
  }
}

class PeopleAndModels : public testing::Test {
 protected:
  std::unique_ptr<store::Store> store_ = store::memory_store();
  std::unique_ptr<Campaign> campaign_ = [this] {
    campaign::Options options;
    options.budget = Money::whole(10);
    const std::vector<campaign::ItemDraft> items{{"a"}, {"b"}};
    return Campaign::create(*store_, "c", options, campaign::now(), {items}).value();
  }();

  void label(const std::string& worker, std::uint32_t milliseconds) {
    const auto handed = campaign_->next(worker, 1, campaign::now());
    ASSERT_TRUE(handed);
    ASSERT_TRUE(campaign_->record(
        {handed->assignments.front().item, worker, "yes", {.milliseconds = milliseconds}},
        campaign::now()));
  }
  Result<void> check(const std::string& model) {
    return campaign_->view()
        .read([&](const State& state) {
          return check_no_person(state, {"other", model});
        })
        .value();
  }
};

TEST_F(PeopleAndModels, HaveDifferentNames) {
  label("ann", 1500);
  label("model", 0);
  EXPECT_TRUE(check("new"));
  EXPECT_TRUE(check("model")) << "it labelled before, and not on a page";
  const auto refused = check("ann");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::conflict);
  EXPECT_EQ(refused.error().message.find("worker 'ann' is a person; expected"), 0U);
}

TEST_F(PeopleAndModels, AParticipantIsAPerson) {
  campaign::RecruitingTerms terms = campaign::usual_terms(campaign::Platform::prolific);
  terms.labels = 1;
  terms.codes = {"CDONE", "COUT", "CNONE", "CPART"};
  terms.secret = std::string(64, '5');
  ASSERT_TRUE(campaign_->set_recruiting("link", terms, campaign::now()));
  const auto joined = campaign_->join({.link = "link", .id = "p1"}, campaign::now());
  ASSERT_TRUE(joined) << joined.error().message;
  EXPECT_FALSE(check(joined->worker));
}

}  // namespace
}  // namespace allot::bridge::model_family_test
