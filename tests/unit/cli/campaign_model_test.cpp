// The beliefs of a campaign: classes, their order, features, and another model.
#include "unit/cli/campaign_command.hpp"

namespace allot::test::campaign_model_test {
namespace {

TEST_F(CampaignCommand, TakesMoreThanTwoClassesAndFeatures) {
  const std::string items = folder_.file("f.csv", "id,text,size\na,x,1\nb,y,2\nc,z,3.5\n");
  done("create", "--items " + items +
                     " --classes red,green,blue --budget 9 --features size "
                     "--policy eig --prior dirichlet:1,2,1");
  const std::string handed = done("next", "--worker ann");
  EXPECT_FALSE(has(handed, "size")) << "a feature is no content";
  done("record", "--item " + handed.substr(10, 1) + " --worker ann --label green");
  EXPECT_TRUE(has(done("answers", "--format csv"), ",p_red,p_green,p_blue\n"));
  EXPECT_TRUE(has(done("verify"), "no differences"));
}

TEST_F(CampaignCommand, OrderedClassesHaveAnExpectedRank) {
  const std::string items = folder_.file("f.csv", "id,text,gold\na,x,\nb,y,\nc,z,good\n");
  done("create", "--items " + items +
                     " --classes poor,fair,good --ordered --budget 9 --gold-rate 0 --ties first");
  const std::string handed = done("next", "--worker ann");
  done("record", "--item " + handed.substr(10, 1) + " --worker ann --label fair");
  EXPECT_TRUE(has(done("answers", "--format csv"), ",expected_rank,p_poor,p_fair,p_good\n"));
  const std::string results = done("export", "results");
  EXPECT_TRUE(has(results, "text,item,answer,probability,calibrated,labels,status,expected_rank\n"))
      << results;
  EXPECT_TRUE(has(results, "x,a,fair,")) << results;
  EXPECT_TRUE(has(results, ",1,labelled,")) << results;
  EXPECT_TRUE(has(results, "y,b,,,,0,no label yet,\n")) << "no label, no rank: " << results;
  EXPECT_TRUE(has(results, "z,c,good,1,1,0,known,3\n")) << results;
  EXPECT_TRUE(has(done("verify"), "no differences"));
}

TEST_F(CampaignCommand, OrderOfClassesStaysWithAModelThatUsesIt) {
  const std::string items = folder_.file("f.csv", "id,text\na,x\nb,y\n");
  done("create", "--items " + items + " --classes poor,fair,good --ordered --budget 9");
  const std::string pooled =
      "decides by budget-kg: refits by pooled every 20 labels, confusion tables, worker prior "
      "learned, ordered classes\n";
  EXPECT_TRUE(has(done("model", ""), pooled));
  EXPECT_TRUE(has(done("model", "pooled"), pooled)) << "the order stays";
  EXPECT_TRUE(has(done("model", "em"),
                  "refits by em every 20 labels, one coin, worker prior beta:3,0.9; the order of "
                  "classes is no longer used\n"));
  EXPECT_FALSE(has(done("model", "pooled"), "order"));
  EXPECT_TRUE(has(done("verify"), "no differences"));
}

TEST_F(CampaignCommand, TwoClassesCanBeOrdered) {
  const std::string items = folder_.file("f.csv", "id,text\na,x\nb,y\n");
  done("create", "--items " + items + " --classes no,yes --ordered --budget 9");
  EXPECT_TRUE(has(done("model", ""), "two coins, worker prior beta:3,0.9, ordered classes\n"));
  EXPECT_TRUE(has(done("answers", "--format csv"), ",expected_rank,p_no,p_yes\n"));
}

TEST_F(CampaignCommand, MovesToAnotherModel) {
  const std::string items = folder_.file("f.csv", "id,text\na,x\nb,y\nc,z\n");
  done("create", "--items " + items + " --classes red,green,blue --refit-by em --budget 9");
  EXPECT_TRUE(has(done("model", ""),
                  "decides by budget-kg: refits by em every 20 labels, one coin, worker prior "
                  "beta:3,0.9\n"));
  const std::string handed = done("next", "--worker ann");
  done("record", "--item " + handed.substr(10, 1) + " --worker ann --label green");
  EXPECT_TRUE(has(done("model", "pooled --policy eig"),
                  "decides by eig: refits by pooled every 20 labels, confusion tables, worker "
                  "prior learned\n"));
  EXPECT_TRUE(has(done("export", "events"),
                  "policy eig, refits by pooled every 20 labels, confusion tables, worker prior "
                  "learned"));
  EXPECT_TRUE(has(done("verify"), "no differences"));
  refuses("model", "bp", "METHOD 'bp' is no method for items of several classes",
          "pooled, em or off");
  refuses("model", "--ordered", "--ordered needs METHOD", "pooled");
  refuses("model", "--policy kg --coins 1", "--coins needs METHOD", "pooled, em or off");
  refuses("model", "off --refit 50", "--refit '50' has no effect", "another method");
  refuses("model", "em --ordered", "ordered classes", "pooled refits");
}

/// Ids that would move the cursor or fill the screen: whole in files, harmless in tables.

}  // namespace
}  // namespace allot::test::campaign_model_test
