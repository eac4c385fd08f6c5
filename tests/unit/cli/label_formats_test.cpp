// Files as people have them, in every command that reads labels.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/program.hpp"

namespace allot::test::label_formats_test {
namespace {

constexpr const char* kLines =
    "{\"task\": \"a\", \"worker\": \"ann\", \"label\": 1}\n"
    "{\"task\": \"a\", \"worker\": \"bob\", \"label\": 1}\n"
    "{\"task\": \"b\", \"worker\": \"ann\", \"label\": 0}\n"
    "{\"task\": \"b\", \"worker\": \"bob\", \"label\": null}\n";
constexpr const char* kBatch =
    "HITId,WorkerId,AssignmentStatus,Answer.no.on,Answer.yes.on\n"
    "a,ann,Approved,false,true\na,bob,Rejected,true,false\nb,ann,Approved,true,false\n";

class LabelFormatsCli : public testing::Test {
 protected:
  const Folder folder;
  const std::string lines = folder.file("labels.jsonl", kLines);
  const std::string batch = folder.file("batch.csv", kBatch);
};

TEST_F(LabelFormatsCli, AggregatePrintsAnswersAndSaysWhatItLeftOut) {
  const Outcome outcome = allot("aggregate " + batch + " --method majority");
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_EQ(outcome.output,
            "item,answer,probability,labels,p_no,p_yes\na,yes,1,1,0,1\nb,no,1,1,1,0\n");
  EXPECT_EQ(
      outcome.errors,
      "allot aggregate: " + batch +
          ": left out 1 label: 1 rejected (--keep-rejected uses them)\n"
          "allot aggregate: 2 labels of 2 items by 1 worker, 1 per item, 2 classes (no, yes); "
          "answers by majority, expected accuracy 1.0000, not verified\n");
  EXPECT_NE(allot("aggregate " + batch + " --keep-rejected --format csv").output.find(",3,2,"),
            std::string::npos);
  EXPECT_NE(allot("aggregate " + lines).errors.find("1 missing (empty, NA, nan)"),
            std::string::npos);
}

TEST_F(LabelFormatsCli, NamesOfColumnsAreOptions) {
  const std::string odd =
      folder.file("odd.csv", "sentence,coder,rating,gold\ns1,ann,3,2\ns1,bob,2,2\n");
  const std::string columns =
      odd + " --item-column sentence --worker-column coder --label-column rating";
  EXPECT_EQ(allot("aggregate " + columns + " --method majority").output,
            "item,answer,probability,labels,p_2,p_3\ns1,2,0.5,2,0.5,0.5\n");
  const Outcome outcome =
      allot("aggregate " + columns + " --truth-column gold --method majority --format csv");
  EXPECT_NE(outcome.output.find(",1,1,0,,,\n"), std::string::npos)
      << outcome.output << outcome.errors;
  expect_refusal("aggregate " + odd, "no column holds the item", "--item-column names it");
  expect_refusal("aggregate " + columns + " --from exel", "--from: unknown format 'exel'",
                 "csv, json");
}

TEST_F(LabelFormatsCli, AnswersTakeOtherShapes) {
  EXPECT_EQ(allot("aggregate " + batch + " --method majority --to crowd-kit").output,
            "task,agg_label,confidence\na,yes,1\nb,no,1\n");
  EXPECT_EQ(
      allot("aggregate " + batch + " --method majority --to rows --output " + folder / "r.csv")
          .status,
      0);
  EXPECT_EQ(read_file(folder / "r.csv"),
            "HITId,WorkerId,AssignmentStatus,Answer.no.on,Answer.yes.on,answer,probability\n"
            "a,ann,Approved,false,true,yes,1\na,bob,Rejected,true,false,yes,1\n"
            "b,ann,Approved,true,false,no,1\n");
  expect_refusal("aggregate " + batch + " --to crowdkit", "--to 'crowdkit'", "crowd-kit");
  expect_refusal("aggregate " + batch + " --to mturk --workers-output -", "--to 'mturk'",
                 "--output FILE");
  expect_refusal("aggregate " + batch + " --to mturk --method majority,pooled", "--to 'mturk'",
                 "expected one of them");
}

TEST_F(LabelFormatsCli, ConfusionTablesAreLong) {
  const Outcome outcome = allot("aggregate " + lines + " --tables-output -");
  EXPECT_EQ(outcome.output.rfind("worker,truth,label,probability\nann,0,0,0.", 0), 0U)
      << outcome.output << outcome.errors;
  EXPECT_EQ(std::ranges::count(outcome.output, '\n'), 1 + 2 * 4);
  expect_refusal("aggregate " + lines + " --tables-output - --method majority", "--tables-output",
                 "dawid-skene");
}

TEST_F(LabelFormatsCli, ReplayWithoutATruthMeasuresAgreement) {
  const std::string run = "replay --labels " + lines + " --policy uniform --runs 5 --budget 100%";
  const Outcome outcome = allot(run);
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_NE(outcome.output.find("no truth"), std::string::npos) << outcome.output;
  EXPECT_NE(outcome.output.find("Agreement with all labels: "), std::string::npos);
  EXPECT_NE(outcome.output.find("agreement: share of answers equal to those of pooled"),
            std::string::npos);
  EXPECT_EQ(outcome.output.find("accuracy"), std::string::npos) << "nothing claims an accuracy";
  const std::string csv = allot(run + " --format csv").output;
  EXPECT_EQ(csv.rfind("policy,budget,labels_per_item,agreement,stderr", 0), 0U) << csv;
  const std::string json = allot(run + " --format json").output;
  EXPECT_NE(json.find("\"truth\": null"), std::string::npos) << json;
  EXPECT_NE(json.find("\"agreement_with\": \"pooled\""), std::string::npos);
  expect_refusal(run + " --calibration -", "--calibration '-' needs a truth", "--truth FILE");
  expect_refusal(run + " --duplicates all", "--duplicates 'all'", "majority");
}

TEST_F(LabelFormatsCli, PlansAndCampaignsReadThemToo) {
  EXPECT_EQ(allot("plan --pilot " + lines + " --budget 2x").status, 0);
  expect_refusal("plan --items 5 --from json", "--from has no effect without a pilot", "--pilot");
  const std::string items = folder.file("items.csv", "id\na\nb\n"), file = folder / "c.db";
  ASSERT_EQ(allot("campaign create " + file + " --items " + items +
                  " --classes no,yes --budget 5 --now 2026-03-01T12:00:00Z")
                .status,
            0);
  const Outcome outcome = allot("campaign import " + file + " " + batch);
  EXPECT_EQ(outcome.output, "2 recorded\n") << outcome.errors;
  EXPECT_NE(outcome.errors.find("left out 1 label: 1 rejected"), std::string::npos);
}

TEST_F(LabelFormatsCli, CampaignsKeepOneOfRepeatedLabels) {
  const std::string items = folder.file("items.csv", "id\na\nb\n");
  const std::string repeated = folder.file(
      "again.csv", "item,worker,label\na,ann,no\na,ann,yes\na,ann,yes\na,ann,no\nb,ann,no\n");
  const auto imported = [&](const std::string& rule) {
    const std::string file = folder / (rule + ".db");
    EXPECT_EQ(
        allot("campaign create " + file + " --items " + items + " --classes no,yes --budget 5")
            .status,
        0);
    const Outcome outcome =
        allot("campaign import " + file + " " + repeated + " --duplicates " + rule);
    EXPECT_EQ(outcome.output, "2 recorded\n") << outcome.errors;
    EXPECT_NE(
        outcome.errors.find("again.csv: left out 3 repeated labels (--duplicates " + rule + ")"),
        std::string::npos)
        << outcome.errors;
    const std::string labels = allot("campaign export " + file + " labels").output;
    return labels.find("\na,ann,yes,") == std::string::npos ? "no" : "yes";
  };
  EXPECT_STREQ(imported("first"), "no");
  EXPECT_STREQ(imported("last"), "no");
  EXPECT_STREQ(imported("majority"), "no");  // of equals, the class named first
  const std::string file = folder / "error.db";
  ASSERT_EQ(allot("campaign create " + file + " --items " + items + " --classes no,yes --budget 5")
                .status,
            0);
  expect_refusal("campaign import " + file + " " + repeated, "labels item 'a' as", "one label");
  expect_refusal("campaign import " + file + " " + repeated + " --duplicates all",
                 "--duplicates 'all'", "majority");
}

TEST_F(LabelFormatsCli, ExamplesCanBeAggregated) {
  for (const char* name : {"toloka", "label-studio", "prodigy", "mturk", "doccano", "cleanlab"}) {
    const std::string shown = allot(std::string("formats ") + name).output;
    std::string example;
    for (std::size_t at = shown.find("\n    "); at != std::string::npos;) {
      const std::size_t end = shown.find('\n', at + 1);
      example += shown.substr(at + 5, end - at - 5) + "\n";
      at = end != std::string::npos && shown.compare(end, 5, "\n    ") == 0 ? end
                                                                            : std::string::npos;
    }
    const Outcome outcome = allot("aggregate " + folder.file(std::string(name), example));
    EXPECT_EQ(outcome.status, 0) << name << "\n" << example << outcome.errors;
  }
}

TEST_F(LabelFormatsCli, DoubtLabelsThatAllDiffer) {
  std::string text = "item,worker,label\n";
  for (int n = 0; n < 600; ++n)
    text += std::to_string(n) + ",ann,some words " + std::to_string(n) + "\n";
  const Outcome outcome = allot("aggregate " + folder.file("texts.csv", text));
  EXPECT_NE(outcome.errors.find("texts.csv: 600 labels have 600 different classes, such as "
                                "'some words 0'; is --label-column another one?"),
            std::string::npos)
      << outcome.errors;
}

TEST_F(LabelFormatsCli, AreListedWithExamples) {
  const std::string list = allot("formats").output;
  for (const char* part : {"csv: ", "label-studio: ", "    HITId,WorkerId", "crowd-kit  "})
    EXPECT_NE(list.find(part), std::string::npos) << part;
  EXPECT_EQ(allot("formats toloka").output.rfind("toloka: Assignments of Toloka\n\n", 0), 0U);
  expect_refusal("formats tolka", "unknown format 'tolka'", "toloka");
}

}  // namespace
}  // namespace allot::test::label_formats_test
