#include "allot/io/answer_shapes.hpp"

#include <gtest/gtest.h>

namespace allot::io::answer_shapes_test {
namespace {

/// Answers "no" to the first item and "yes" to the second, from any text with two items.
std::string shaped(std::string_view shape, std::string_view text, const LabelReading& reading = {},
                   bool confident = true) {
  const LabelFile file = parse_labels(text, reading).value();
  std::vector<std::optional<ClassId>> answers(file.items.size(), ClassId{0});
  answers.back() = ClassId{1};
  const std::vector<double> confidence(confident ? answers.size() : 0, 0.75);
  const auto result =
      shape_answers(shape, {file, answers, confidence, "pooled"}, text, reading.columns);
  return result ? *result : result.error().message;
}

constexpr std::string_view kLabels =
    "task,worker,label,answer\na,ann,no,1\na,bob,yes,2\n\"b, c\",ann,yes,3\n";
const LabelReading kByLabel{.columns = {.label = "label"}};

TEST(AnswerShapes, HaveTheColumnsOfOtherTools) {
  EXPECT_EQ(shaped("crowd-kit", kLabels, kByLabel),
            "task,agg_label,confidence\na,no,0.75\n\"b, c\",yes,0.75\n");
  EXPECT_EQ(shaped("crowd-kit", kLabels, kByLabel, false),
            "task,agg_label,confidence\na,no,\n\"b, c\",yes,\n");
  EXPECT_EQ(shaped("cleanlab", kLabels, kByLabel),
            "item,consensus_label,consensus_quality_score,annotator_agreement,num_annotations\n"
            "a,no,0.75,0.5,2\n\"b, c\",yes,0.75,1,1\n");
  EXPECT_EQ(shaped("mturk", kLabels, kByLabel),
            "HITId,Answer.label,Confidence\na,no,0.75\n\"b, c\",yes,0.75\n");
}

TEST(AnswerShapes, RowsKeepEveryColumnAndRow) {
  EXPECT_EQ(shaped("rows", kLabels, kByLabel),
            "task,worker,label,answer,allot_answer,probability\n"
            "a,ann,no,1,no,0.75\na,bob,yes,2,no,0.75\n\"b, c\",ann,yes,3,yes,0.75\n");
  EXPECT_EQ(shaped("rows",
                   "{\"item\": \"a\", \"worker\": \"ann\", \"label\": \"no\"}\n"
                   "{\"item\": \"b\", \"worker\": \"ann\", \"label\": \"yes\", \"time\": 3}\n"
                   "{\"item\": \"z\", \"worker\": \"ann\", \"label\": null}\n"),
            "item,worker,label,time,answer,probability\n"
            "a,ann,no,,no,0.75\nb,ann,yes,3,yes,0.75\nz,ann,,,,\n");
  EXPECT_EQ(shaped("rows", "w1,w2\n0,1\n1,\n", {.format = "cleanlab"}),
            "w1,w2,answer,probability\n0,1,0,0.75\n1,,1,0.75\n");
  EXPECT_NE(shaped("rows",
                   "{\"id\": 1, \"text\": \"t\", \"label\": [\"no\"], \"user\": \"ann\"}\n"
                   "{\"id\": 2, \"text\": \"t\", \"label\": [\"yes\"], \"user\": \"ann\"}\n")
                .find("a record of doccano holds several labels; expected another shape"),
            std::string::npos);
}

TEST(AnswerShapes, RowsHaveTheExpectedRankOfOrderedClasses) {
  const LabelFile file = parse_labels(kLabels, kByLabel).value();
  const std::vector<std::optional<ClassId>> answers{ClassId{0}, std::nullopt};
  const std::vector<double> confidence{0.75, 0.5}, ranks{1.25, 1.5};
  EXPECT_EQ(shape_answers("rows", {file, answers, confidence, "pooled", ranks}, kLabels).value(),
            "task,worker,label,answer,allot_answer,probability,expected_rank\n"
            "a,ann,no,1,no,0.75,1.25\na,bob,yes,2,no,0.75,1.25\n\"b, c\",ann,yes,3,,,\n");
}

TEST(AnswerShapes, GiveNoAnswerToAnItemWithoutALabel) {
  const LabelFile file = parse_labels(kLabels, kByLabel).value();
  const std::vector<std::optional<ClassId>> answers{std::nullopt, ClassId{1}};
  const std::vector<double> confidence{0.5, 0.75};
  const auto shaped = [&](std::string_view shape) {
    return shape_answers(shape, {file, answers, confidence, "pooled"}, kLabels).value();
  };
  EXPECT_EQ(shaped("crowd-kit"), "task,agg_label,confidence\n\"b, c\",yes,0.75\n");
  EXPECT_EQ(shaped("mturk"), "HITId,Answer.label,Confidence\na,,\n\"b, c\",yes,0.75\n");
  EXPECT_EQ(shaped("label-studio").find("\"a\""), std::string::npos);
}

TEST(AnswerShapes, MturkKeepsTheInputOfABatch) {
  EXPECT_EQ(shaped("mturk",
                   "HITId,WorkerId,Input.text,Answer.class\n"
                   "h1,ann,Good.,no\nh1,bob,Good.,yes\nh2,ann,Bad.,yes\n"),
            "HITId,Input.text,Answer.label,Confidence\nh1,Good.,no,0.75\nh2,Bad.,yes,0.75\n");
}

constexpr std::string_view kTasks = R"([
{"id": 1, "data": {"text": "Good."}, "annotations": [{"completed_by": 3, "result": [
  {"from_name": "class", "to_name": "t", "type": "choices", "value": {"choices": ["no"]}}]}]},
{"id": 2, "data": {"text": "Bad."}, "annotations": []},
{"id": 3, "data": {"text": "So so."}, "annotations": [{"completed_by": 3, "result": [
  {"from_name": "class", "to_name": "t", "type": "choices", "value": {"choices": ["yes"]}}]}]}])";

TEST(AnswerShapes, LabelStudioGetsPredictionsForItsOwnControls) {
  EXPECT_EQ(
      shaped("label-studio", kTasks),
      "[{\"id\": 1, \"data\": {\"text\": \"Good.\"}, \"predictions\": [{\"model_version\": \"allot "
      "pooled\", \"score\": 0.75, \"result\": [{\"from_name\": \"class\", \"to_name\": \"t\", "
      "\"type\": \"choices\", \"value\": {\"choices\": [\"no\"]}}]}]},\n"
      " {\"id\": 3, \"data\": {\"text\": \"So so.\"}, \"predictions\": [{\"model_version\": "
      "\"allot "
      "pooled\", \"score\": 0.75, \"result\": [{\"from_name\": \"class\", \"to_name\": \"t\", "
      "\"type\": \"choices\", \"value\": {\"choices\": [\"yes\"]}}]}]}]\n");
  EXPECT_EQ(shaped("label-studio", kLabels, kByLabel, false)
                .rfind("[{\"data\": {\"item\": \"a\"}, \"predictions\": [{\"model_version\": "
                       "\"allot pooled\", \"result\": [{\"from_name\": \"label\"",
                       0),
            0U);
}

TEST(AnswerShapes, LabelStudioGetsItsNumbersBackAsTheyWere) {
  const std::string text = shaped(
      "label-studio",
      "[{\"id\": 123456789012345678901, \"data\": {\"price\": 1.10}, \"annotations\": "
      "[{\"completed_by\": 3, \"result\": [{\"from_name\": \"c\", \"value\": {\"choices\": "
      "[\"no\"]}}]}]},\n"
      "{\"id\": 2, \"data\": {\"price\": 1e3}, \"annotations\": [{\"completed_by\": 3, \"result\": "
      "[{\"from_name\": \"c\", \"value\": {\"choices\": [\"yes\"]}}]}]}]");
  EXPECT_NE(text.find("{\"id\": 123456789012345678901, \"data\": {\"price\": 1.10}"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("{\"price\": 1e3}"), std::string::npos) << text;
}

/// The results of a label-studio shape, from the first "from_name" on.
std::string first_result(const std::string& shaped) {
  const std::size_t begin = shaped.find("{\"from_name\"");
  return shaped.substr(begin, shaped.find("]}]}", begin) - begin);
}

std::string task(int id, std::string_view control, std::string_view value) {
  return "{\"id\": " + std::to_string(id) +
         ", \"data\": {}, \"annotations\": [{\"completed_by\": 3, \"result\": [{\"from_name\": "
         "\"c\", \"to_name\": \"a,b\", " +
         std::string(control) + "\"value\": " + std::string(value) + "}]}]}";
}

TEST(AnswerShapes, PredictionsAreOfTheKindOfTheControl) {
  const auto predicted = [](std::string_view control, std::string_view a, std::string_view b) {
    return first_result(
        shaped("label-studio", "[" + task(1, control, a) + ",\n" + task(2, control, b) + "]"));
  };
  EXPECT_EQ(predicted("\"type\": \"rating\", ", "{\"rating\": 2}", "{\"rating\": 4}"),
            "{\"from_name\": \"c\", \"to_name\": \"a,b\", \"type\": \"rating\", \"value\": "
            "{\"rating\": 2}}");
  EXPECT_EQ(predicted("\"type\": \"pairwise\", ", "{\"selected\": \"left\"}",
                      "{\"selected\": \"right\"}"),
            "{\"from_name\": \"c\", \"to_name\": \"a,b\", \"type\": \"pairwise\", \"value\": "
            "{\"selected\": \"left\"}}");
  // Without a type, that of the value.
  EXPECT_EQ(predicted("", "{\"number\": 1.5}", "{\"number\": 2}"),
            "{\"from_name\": \"c\", \"to_name\": \"a,b\", \"type\": \"number\", \"value\": "
            "{\"number\": 1.5}}");
}

TEST(AnswerShapes, ShortExportsOfLabelStudioKeepIdDataAndControl) {
  const std::string rows =
      "[{\"text\": \"Good.\", \"n\": 1.10, \"id\": 1, \"mood\": \"no\", \"annotator\": 3, "
      "\"annotation_id\": 11},\n"
      "{\"text\": \"Good.\", \"n\": 1.10, \"id\": 1, \"mood\": \"yes\", \"annotator\": 4, "
      "\"annotation_id\": 12},\n"
      "{\"text\": \"Bad.\", \"id\": 2, \"mood\": \"yes\", \"annotator\": 3, \"annotation_id\": "
      "13}]";
  const std::string text = shaped("label-studio", rows);
  EXPECT_EQ(
      text.rfind("[{\"id\": 1, \"data\": {\"text\": \"Good.\", \"n\": 1.10}, \"predictions\"", 0),
      0U)
      << text;
  EXPECT_EQ(first_result(text),
            "{\"from_name\": \"mood\", \"to_name\": \"text\", \"type\": \"choices\", \"value\": "
            "{\"choices\": [\"no\"]}}");
  EXPECT_NE(text.find("{\"id\": 2, \"data\": {\"text\": \"Bad.\"}"), std::string::npos) << text;
  EXPECT_EQ(shaped("label-studio",
                   "text,id,mood,annotator,annotation_id\nGood.,1,no,ann,11\nBad.,2,yes,ann,12\n")
                .rfind("[{\"id\": 1, \"data\": {\"text\": \"Good.\"}, ", 0),
            0U);
  const std::string stars =
      "[{\"id\": 1, \"stars\": 2, \"annotator\": 3, \"annotation_id\": 11},\n"
      "{\"id\": 2, \"stars\": 4, \"annotator\": 3, \"annotation_id\": 12}]";
  EXPECT_EQ(first_result(shaped("label-studio", stars)),
            "{\"from_name\": \"stars\", \"to_name\": \"text\", \"type\": \"rating\", \"value\": "
            "{\"rating\": 2}}");
}

TEST(AnswerShapes, AnUnknownShapeIsRefusedWithTheKnownOnes) {
  EXPECT_EQ(shaped("crowdkit", kLabels, kByLabel),
            "unknown shape 'crowdkit', did you mean 'crowd-kit'?; expected one of crowd-kit, "
            "cleanlab, label-studio, mturk, rows");
}

}  // namespace
}  // namespace allot::io::answer_shapes_test
