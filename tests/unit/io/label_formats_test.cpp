#include "allot/io/label_formats.hpp"

#include <gtest/gtest.h>

#include "allot/aggregate/registry.hpp"
#include "allot/io/truth_csv.hpp"
#include "support/data_sets.hpp"
#include "support/label_writers.hpp"

namespace allot::io::label_formats_test {
namespace {

using test::WrittenLabels;

WrittenLabels labels_of(const LabelFile& file) {
  WrittenLabels labels;
  for (const auto& [item, worker, label] : file.set.labels) {
    labels.push_back({file.items[position(item)], file.workers[position(worker)],
                      file.classes[position(label)]});
  }
  return labels;
}

WrittenLabels read(std::string_view text, const LabelReading& reading = {}) {
  const auto file = parse_labels(text, reading);
  if (!file) ADD_FAILURE() << file.error().message;
  return file ? labels_of(*file) : WrittenLabels{};
}

std::string refusal(std::string_view text, const LabelReading& reading = {}) {
  const auto file = parse_labels(text, reading);
  return file ? "read" : file.error().message;
}

LeftOutLabels left_out(std::string_view text, const LabelReading& reading = {}) {
  return parse_labels(text, reading).value().left_out;
}

TEST(LabelFormats, AreRecognisedByTheirExamples) {
  for (const LabelFormat& format : label_formats()) {
    const auto file = parse_labels(format.example);
    ASSERT_TRUE(file) << format.name << ": " << file.error().message;
    EXPECT_EQ(file->format, format.name);
    EXPECT_EQ(file->classes.size(), 2U) << format.name;  // what `allot aggregate` needs
    EXPECT_EQ(recognise_labels(format.example).value().name, format.name);
    EXPECT_FALSE(format.summary.empty());
    EXPECT_TRUE(format.details.ends_with('.')) << format.details;
  }
}

TEST(LabelFormats, AnUnknownNameIsRefusedWithTheKnownOnes) {
  const auto format = label_format("mtruk");
  ASSERT_FALSE(format);
  EXPECT_NE(format.error().message.find("did you mean 'mturk'?"), std::string::npos);
  EXPECT_NE(format.error().message.find("csv, json, cleanlab"), std::string::npos);
}

TEST(LabelFormats, JsonMayBeAnArrayOrLines) {
  const WrittenLabels expected{{"a", "ann", "1"}, {"b", "ann", "true"}};
  EXPECT_EQ(read("[{\"task\": \"a\", \"worker\": \"ann\", \"label\": 1},\n {\"label\": true, "
                 "\"task\": \"b\", \"worker\": \"ann\"}]"),
            expected);
  EXPECT_NE(refusal("[{\"task\": \"a\", \"worker\": \"ann\", \"label\": 1},\n{\"task\": }]")
                .find("line 2: "),
            std::string::npos);
  EXPECT_NE(refusal("[{\"task\": 1, \"worker\": 2, \"label\": 3}").find("not closed"),
            std::string::npos);
  EXPECT_NE(refusal("{\"task\": 1, \"worker\": 2, \"label\": [1, 2]}").find("is a list"),
            std::string::npos);
}

constexpr std::string_view kBatch =
    "HITId,WorkerId,AssignmentStatus,Input.text,Answer.sentiment.label,Answer.comment,Reject\n"
    "h1,ann,Approved,Good.,yes,fine,\n"
    "h1,bob,Rejected,Good.,no,x,\n"
    "h2,ann,Submitted,Bad.,no,,too fast\n"
    "h2,cyd,Submitted,Bad.,no,,\n";

TEST(LabelFormats, MturkLeavesRejectedWorkOutAndChoosesAnAnswer) {
  const LabelReading named{.columns = {.label = "sentiment"}};
  EXPECT_EQ(read(kBatch, named), (WrittenLabels{{"h1", "ann", "yes"}, {"h2", "cyd", "no"}}));
  EXPECT_EQ(left_out(kBatch, named), (LeftOutLabels{.rejected = 2}));
  LabelReading all = named;
  all.keep_rejected = true;
  EXPECT_EQ(read(kBatch, all).size(), 4U);
  LabelReading by_text = named;
  by_text.columns.item = "Input.text";
  EXPECT_EQ(read(kBatch, by_text).front().item, "Good.");
  const std::string message = refusal(kBatch);
  EXPECT_NE(message.find("'Answer.comment', 'Answer.sentiment.label' could all be the label"),
            std::string::npos)
      << message;
  EXPECT_NE(refusal(kBatch, {.columns = {.label = "mood"}}).find("'mood' is no answer"),
            std::string::npos);
}

TEST(LabelFormats, MturkReadsCheckBoxes) {
  constexpr std::string_view kBoxes =
      "HITId,WorkerId,Answer.no.on,Answer.yes.on\n"
      "h1,ann,false,true\nh1,bob,true,false\nh1,cyd,true,true\nh1,dan,false,false\n";
  EXPECT_EQ(read(kBoxes), (WrittenLabels{{"h1", "ann", "yes"}, {"h1", "bob", "no"}}));
  EXPECT_EQ(left_out(kBoxes), (LeftOutLabels{.missing = 1, .ambiguous = 1}));
  constexpr std::string_view kWithComment =
      "HITId,WorkerId,Answer.no.on,Answer.yes.on,Answer.comment\nh1,ann,false,true,hm\n";
  EXPECT_EQ(read(kWithComment, {.columns = {.label = "no,yes"}}),
            (WrittenLabels{{"h1", "ann", "yes"}}));
}

TEST(LabelFormats, MturkTakesTaskAnswersApart) {
  constexpr std::string_view kForms =
      "HITId,WorkerId,Answer.taskAnswers\n"
      "h1,ann,\"[{\"\"class\"\": {\"\"label\"\": \"\"yes\"\"}}]\"\n"
      "h1,bob,\"[{\"\"class\"\": {\"\"label\"\": \"\"no\"\"}}]\"\n";
  EXPECT_EQ(read(kForms), (WrittenLabels{{"h1", "ann", "yes"}, {"h1", "bob", "no"}}));
  EXPECT_NE(refusal("HITId,WorkerId,Answer.taskAnswers\nh1,ann,{\n").find("line 2: "),
            std::string::npos);
}

TEST(LabelFormats, TolokaLeavesRejectedWorkOutAndHasGoldenAnswers) {
  constexpr std::string_view kText =
      "INPUT:text\tOUTPUT:class\tGOLDEN:class\tASSIGNMENT:worker_id\tASSIGNMENT:status\n"
      "a\tyes\tyes\tann\tAPPROVED\na\tno\tyes\tbob\tREJECTED\nb\tno\t\tann\tAPPROVED\n";
  const LabelFile file = parse_labels(kText).value();
  EXPECT_EQ(labels_of(file), (WrittenLabels{{"a", "ann", "yes"}, {"b", "ann", "no"}}));
  EXPECT_EQ(file.left_out, (LeftOutLabels{.rejected = 1}));
  EXPECT_EQ(parse_truth(kText, file).value().known, 1U);
}

TEST(LabelFormats, LabelStudioRowsHaveTheControlBetweenIdAndAnnotator) {
  constexpr std::string_view kRows =
      "text,label,id,sentiment,annotator,annotation_id\nGood.,x,1,yes,3,11\nGood.,x,1,,4,12\n";
  EXPECT_EQ(read(kRows), (WrittenLabels{{"1", "3", "yes"}}));
  EXPECT_EQ(left_out(kRows).missing, 1U);
  EXPECT_EQ(read("[{\"text\": \"Good.\", \"id\": 1, \"sentiment\": \"yes\", \"annotator\": 3, "
                 "\"annotation_id\": 11}]"),
            (WrittenLabels{{"1", "3", "yes"}}));
  constexpr std::string_view kTwo = "text,id,a,b,annotator,annotation_id\nGood.,1,yes,no,3,11\n";
  EXPECT_NE(refusal(kTwo).find("expected --label-column"), std::string::npos) << refusal(kTwo);
  EXPECT_EQ(read(kTwo, {.columns = {.label = "b"}}), (WrittenLabels{{"1", "3", "no"}}));
}

constexpr std::string_view kTasks = R"([
{"id": 1, "data": {"text": "Good.", "key": "k1"}, "annotations": [
  {"completed_by": 3, "result": [
    {"from_name": "class", "to_name": "text", "type": "choices", "value": {"choices": ["yes"]}}]},
  {"completed_by": {"id": 4, "email": "d@x.org"}, "was_cancelled": true, "result": []},
  {"completed_by": 5, "result": [
    {"from_name": "class", "type": "choices", "value": {"choices": ["yes", "no"]}}]},
  {"completed_by": 6, "ground_truth": true, "result": [
    {"from_name": "class", "type": "choices", "value": {"choices": ["no"]}}]}]},
{"id": 2, "data": {"text": "Bad.", "key": "k2"}, "annotations": []},
{"id": 3, "data": {"text": "Bad.", "key": "k3"}, "annotations": [
  {"completed_by": {"id": 4, "email": "d@x.org"}, "result": [
    {"from_name": "class", "type": "choices", "value": {"choices": ["no"]}},
    {"from_name": "why", "type": "textarea", "value": {"text": ["because"]}}]}]}])";

/// A row of JSON_MIN with these controls.
std::string short_row(int id, int annotator, std::string_view controls) {
  return "{\"text\": \"t\", \"id\": " + std::to_string(id) + ", " + std::string(controls) +
         "\"annotator\": " + std::to_string(annotator) + ", \"annotation_id\": 11}\n";
}

TEST(LabelFormats, LabelStudioRowsWithSeveralControlsNeedTheNameOfOne) {
  const std::string mood = "\"mood\": \"yes\", ", topic = "\"topic\": \"sport\", ";
  const std::string expected =
      "line 1: the controls 'mood', 'topic' could all be the label; expected --label-column with "
      "one of "
      "them";
  // Some annotators used only one of the controls.
  const std::string mixed = short_row(1, 3, mood) + short_row(1, 4, topic) +
                            short_row(2, 4, "\"mood\": \"no\", " + topic);
  EXPECT_EQ(refusal(mixed), expected);
  EXPECT_EQ(refusal(short_row(1, 3, mood + topic) + short_row(1, 4, mood + topic)), expected);
  EXPECT_EQ(refusal("text,id,mood,topic,annotator,annotation_id\nt,1,yes,sport,3,11\n"), expected);
  const LabelFile file = parse_labels(mixed, {.columns = {.label = "mood"}}).value();
  EXPECT_EQ(labels_of(file), (WrittenLabels{{"1", "3", "yes"}, {"2", "4", "no"}}));
  EXPECT_EQ(file.left_out, (LeftOutLabels{.missing = 1}));
}

TEST(LabelFormats, LabelStudioLeavesSeveralChoicesOutInEveryExport) {
  const std::string rows = short_row(1, 3, "\"mood\": \"yes\", ") +
                           short_row(2, 3, "\"mood\": {\"choices\": [\"no\", \"yes\"]}, ");
  const LabelFile file = parse_labels(rows).value();
  EXPECT_EQ(labels_of(file), (WrittenLabels{{"1", "3", "yes"}}));
  EXPECT_EQ(file.left_out, (LeftOutLabels{.ambiguous = 1}));
  EXPECT_EQ(file.lost_items, 1U);
}

TEST(LabelFormats, ItemsWithoutALabelThatCountsAreCounted) {
  const LabelFile file =
      parse_labels("item,worker,label\na,ann,yes\na,bob,NA\nb,ann,\nb,bob,NA\nc,ann,\n").value();
  EXPECT_EQ(file.items, std::vector<std::string>{"a"});
  EXPECT_EQ(file.left_out.missing, 4U);
  EXPECT_EQ(file.lost_items, 2U);
  EXPECT_EQ(parse_labels(",ann,bob\na,1,0\nb,,\n").value().lost_items, 1U);
}

TEST(LabelFormats, NamesAreTextsOfDifferentColumns) {
  EXPECT_EQ(refusal("{\"item\": {\"a\": 1}, \"worker\": \"ann\", \"label\": \"yes\"}\n"),
            "line 1: the item '{\"a\": 1}' is a list or an object; expected a text");
  EXPECT_EQ(refusal("{\"item\": 1, \"worker\": [2], \"label\": \"yes\"}\n"),
            "line 1: the worker '[2]' is a list or an object; expected a text");
  EXPECT_EQ(refusal("x,label\n1,yes\n", {.columns = {.item = "x", .worker = "x"}}),
            "--worker-column 'x' is also --item-column; expected different columns");
}

TEST(LabelFormats, LabelStudioTasksHaveAnnotations) {
  const LabelFile file = parse_labels(kTasks).value();
  EXPECT_EQ(labels_of(file), (WrittenLabels{{"1", "3", "yes"}, {"3", "d@x.org", "no"}}));
  EXPECT_EQ(file.left_out, (LeftOutLabels{.skipped = 1, .ambiguous = 1, .truths = 1}));
  const Truth truth = parse_truth(kTasks, file).value();
  EXPECT_EQ(truth.known, 1U);
  EXPECT_EQ(truth.of_item[0], ClassId{0});
  EXPECT_EQ(read(kTasks, {.columns = {.item = "key"}}).back().item, "k3");
  EXPECT_EQ(read(kTasks, {.columns = {.label = "why"}}),
            (WrittenLabels{{"3", "d@x.org", "because"}}));
}

TEST(LabelFormats, LabelStudioAsksForTheControlIfSeveralCouldBeTheLabel) {
  constexpr std::string_view kTwo = R"([
{"id": 1, "completions": [{"completed_by": 3, "result": [
  {"from_name": "a", "value": {"choices": ["yes"]}}, {"from_name": "b", "value": {"rating": 4}}]}]}])";
  EXPECT_EQ(refusal(kTwo).rfind("line 2: the controls 'a' and 'b' could both be the label", 0), 0U)
      << refusal(kTwo);
  EXPECT_EQ(read(kTwo, {.columns = {.label = "b"}}), (WrittenLabels{{"1", "3", "4"}}));
}

TEST(LabelFormats, ArgillaHasNestedAndFlatResponses) {
  const WrittenLabels expected{{"r1", "u1", "yes"}};
  constexpr std::string_view kNested = R"([{"id": "r1", "fields": {}, "responses": {"class": [
{"value": "yes", "user_id": "u1"}, {"value": "no", "user_id": "u2", "status": "discarded"}]}}])";
  EXPECT_EQ(read(kNested), expected);
  EXPECT_EQ(left_out(kNested).skipped, 1U);
  EXPECT_EQ(read(R"([{"id": "r1", "text": "t", "class.responses": ["yes", "no"],
"class.responses.users": ["u1", "u2"], "class.responses.status": ["submitted", "draft"]}])"),
            expected);
  EXPECT_EQ(read(R"({"external_id": "r1", "class": [{"user_id": "u1", "value": "yes"}]})"),
            expected);
  EXPECT_EQ(read(R"([{"id": "r1", "fields": {}, "responses": [
{"user_id": "u1", "status": "submitted", "values": {"class": {"value": "yes"}}}]}])"),
            expected);
  EXPECT_NE(refusal(R"([{"id": "r1", "fields": {}, "responses": {"a": [], "b": []}}])")
                .find("--label-column"),
            std::string::npos);
}

TEST(LabelFormats, ProdigyHasChoicesOrVerdicts) {
  constexpr std::string_view kChoices =
      R"({"_input_hash": 5, "_task_hash": 7, "accept": ["yes"], "answer": "accept", "_session_id": "s"}
{"_input_hash": 6, "_task_hash": 8, "accept": [], "answer": "ignore", "_session_id": "s"})";
  EXPECT_EQ(read(kChoices), (WrittenLabels{{"5", "s", "yes"}}));
  EXPECT_EQ(left_out(kChoices).skipped, 1U);
  constexpr std::string_view kVerdict =
      R"({"_input_hash": 5, "_task_hash": 7, "label": "GOOD", "answer": "reject", "_annotator_id": "a"})";
  EXPECT_EQ(read(kVerdict), (WrittenLabels{{"7", "a", "reject"}}));
  EXPECT_NE(refusal(R"({"_input_hash": 5, "accept": ["yes"], "answer": "accept"})")
                .find("no _annotator_id"),
            std::string::npos);
}

TEST(LabelFormats, DoccanoNeedsItsUsers) {
  constexpr std::string_view kOne = R"({"id": 1, "text": "t", "label": ["yes"]})";
  EXPECT_NE(refusal(kOne).find("one file per user"), std::string::npos);
  EXPECT_EQ(read(kOne, {.worker = "ann"}), (WrittenLabels{{"1", "ann", "yes"}}));
  EXPECT_EQ(read(R"({"id": 1, "text": "t", "annotations": [{"label": 2, "user": 1}]})"),
            (WrittenLabels{{"1", "1", "2"}}));
  EXPECT_NE(refusal(R"({"id": 1, "text": "t", "label": [[0, 4, "X"]], "user": "ann"})")
                .find("is a list or an object"),
            std::string::npos);
}

TEST(LabelFormats, AMatrixIsTakenForOneOnlyIfCellsAreEmpty) {
  EXPECT_EQ(read(",ann,bob\nr1,1.0,\nr2,,0\n"),
            (WrittenLabels{{"r1", "ann", "1"}, {"r2", "bob", "0"}}));
  EXPECT_NE(refusal("id,length,stars\nr1,27,5\n").find("no column holds the item"),
            std::string::npos)
      << "features are not workers";
  EXPECT_EQ(read("w1,w2\n1,0\n,1\n", {.format = "cleanlab"}),
            (WrittenLabels{{"0", "w1", "1"}, {"0", "w2", "0"}, {"1", "w2", "1"}}));
}

TEST(LabelFormats, AMatrixMayNumberItsRows) {
  EXPECT_EQ(
      read("ann,bob,cyd\n1,0,\n,0,0\n"),
      (WrittenLabels{{"0", "ann", "1"}, {"0", "bob", "0"}, {"1", "bob", "0"}, {"1", "cyd", "0"}}));
}

TEST(LabelFormats, AWrongFormatIsRefused) {
  for (const LabelFormat& format : label_formats()) {
    const LabelReading forced{.format = std::string(format.name)};
    EXPECT_EQ(refusal("something else\n", forced).rfind("line 1: ", 0), 0U) << format.name;
  }
}

TEST(LabelFormats, LargeNumbersStayDifferentIds) {
  const std::string_view text =
      "{\"item\": 123456789012345678901, \"worker\": 1, \"label\": 1.0}\n"
      "{\"item\": 123456789012345678902, \"worker\": 1, \"label\": 0.0}\n";
  const WrittenLabels expected{{"123456789012345678901", "1", "1.0"},
                               {"123456789012345678902", "1", "0.0"}};
  EXPECT_EQ(read(text), expected);
  const std::string_view tasks =
      "[{\"id\": 123456789012345678901, \"data\": {}, \"annotations\": [{\"completed_by\": 3, "
      "\"result\": [{\"from_name\": \"c\", \"value\": {\"choices\": [\"yes\"]}}]}]}]";
  EXPECT_EQ(read(tasks), (WrittenLabels{{"123456789012345678901", "3", "yes"}}));
}

TEST(LabelFormats, AColumnThatAFormatDoesNotReadIsRefused) {
  const auto example = [](std::string_view name) { return label_format(name).value().example; };
  for (const char* name : {"cleanlab", "label-studio", "argilla"}) {
    const std::string why = refusal(example(name), {.columns = {.worker = "who"}});
    EXPECT_NE(why.find("--worker-column 'who' has no effect in the format " + std::string(name)),
              std::string::npos)
        << why;
  }
  EXPECT_NE(
      refusal(example("cleanlab"), {.columns = {.label = "x"}}).find("each cell is the label"),
      std::string::npos);
  const std::string_view old =
      "{\"id\": 1, \"text\": \"t\", \"annotations\": [{\"label\": \"yes\", \"user\": \"ann\"}]}";
  EXPECT_EQ(read(old), (WrittenLabels{{"1", "ann", "yes"}}));
  EXPECT_NE(refusal(old, {.columns = {.label = "x"}}).find("--label-column 'x' has no effect"),
            std::string::npos);
}

TEST(LabelFormats, AForcedFormatMustFitTheText) {
  for (const LabelFormat& format : label_formats()) {
    const std::string own = refusal(format.example, {.format = std::string(format.name)});
    EXPECT_EQ(own, "read") << format.name;
  }
  const std::string_view lines = label_format("json").value().example;
  EXPECT_EQ(refusal(lines, {.format = "csv"}),
            "line 1: the text is JSON; expected a table for the format csv");
  EXPECT_EQ(refusal("task,worker,label\na,b,c\n", {.format = "json"}),
            "line 1: the text is not JSON; expected JSON for the format json");
}

TEST(LabelFormats, RealSetsHaveTheSameAnswersInEveryFormat) {
  const char* const kSets[] = {"barzan", "bluebirds", "dog",      "face", "music", "product",
                               "rte",    "temp",      "trec2011", "web",  "wsd"};
  int sets = 0;
  for (const char* name : kSets) {
    const std::string path = test::data_folder() + "/" + name + "/labels.csv";
    if (!std::filesystem::exists(path)) continue;
    ++sets;
    const LabelReading reading{.duplicates = Duplicates::first};
    const LabelFile file = parse_labels(read_text_file(path).value(), reading).value();
    const LabelFile lines = parse_labels(test::as_json_lines(labels_of(file))).value();
    EXPECT_EQ(lines.set.labels, file.set.labels) << name;
    EXPECT_EQ(lines.items, file.items) << name;
    const LabelFile tasks = parse_labels(test::as_label_studio(labels_of(file))).value();
    EXPECT_EQ(tasks.format, "label-studio");
    EXPECT_EQ(tasks.items, file.items) << name;
    EXPECT_EQ(tasks.classes, file.classes) << name;
    const auto method = aggregate::make_method("pooled").value();
    // Tasks group labels by item, so sums round differently; the answers are the same.
    EXPECT_EQ(method(tasks.set).value().answers.answers, method(file.set).value().answers.answers)
        << name;
  }
  if (sets == 0) GTEST_SKIP() << "no label sets in " << test::data_folder();
  EXPECT_EQ(sets, 11);
}

}  // namespace
}  // namespace allot::io::label_formats_test
