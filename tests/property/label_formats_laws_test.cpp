// Every format of labels: what is written comes back, and damaged files do no harm.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/resource.h>

#include <map>
#include <random>
#include <set>

#include "allot/io/answer_shapes.hpp"
#include "allot/io/label_formats.hpp"
#include "allot/io/truth_csv.hpp"
#include "io/record_reader.hpp"
#include "support/label_writers.hpp"

namespace allot::io::label_formats_laws_test {
namespace {

using test::WrittenLabel;
using test::WrittenLabels;

rc::Gen<std::string> any_name(std::vector<std::string> pieces) {
  return rc::gen::map(rc::gen::nonEmpty(rc::gen::container<std::vector<std::string>>(
                          rc::gen::elementOf(std::move(pieces)))),
                      [](const std::vector<std::string>& parts) {
                        std::string text;
                        for (const std::string& part : parts) text += part;
                        return text;
                      });
}

/// Names with everything that a format could trip over, and none that means a missing value.
rc::Gen<std::string> hard_name() {
  return any_name(
      {"a", "b", "7", ",", ";", "\t", "\"", "'", "\n", " ", "{", "]", ":", "\\", "\xc3\xa9"});
}

/// At least two labels, each worker labelling an item once.
WrittenLabels some_labels(const rc::Gen<std::string>& label) {
  WrittenLabels labels{{*hard_name(), *hard_name(), *label}};
  std::set<std::pair<std::string, std::string>> pairs{{labels[0].item, labels[0].worker}};
  const int count = *rc::gen::inRange(0, 15);
  for (int n = 0; n < count; ++n) {
    const bool same_item = *rc::gen::arbitrary<bool>(), same_worker = *rc::gen::arbitrary<bool>();
    WrittenLabel next{same_item ? labels.back().item : *hard_name(),
                      same_worker ? labels.front().worker : *hard_name(), *label};
    if (pairs.emplace(next.item, next.worker).second) labels.push_back(next);
  }
  return labels;
}

WrittenLabels read_back(const LabelFile& file) {
  WrittenLabels labels;
  for (const auto& [item, worker, label] : file.set.labels) {
    labels.push_back({file.items[position(item)], file.workers[position(worker)],
                      file.classes[position(label)]});
  }
  return labels;
}

WrittenLabels sorted(WrittenLabels labels) {
  std::ranges::sort(labels);
  return labels;
}

RC_GTEST_PROP(LabelFormatLaws, LabelsComeBackFromEveryFormat, ()) {
  const WrittenLabels labels = some_labels(hard_name());
  for (const auto& [name, write] : test::text_writers()) {
    const std::string text = write(labels);
    const auto file = parse_labels(text);
    if (!file) RC_FAIL(name + ": " + file.error().message + "\n" + text);
    RC_ASSERT(file->format == name);
    RC_ASSERT(sorted(read_back(*file)) == sorted(labels));
    RC_ASSERT(file->left_out == LeftOutLabels{});
    RC_ASSERT(parse_labels(text, {.format = name}).has_value());
  }
}

RC_GTEST_PROP(LabelFormatLaws, AMatrixOfNumbersComesBack, ()) {
  const auto number = rc::gen::map(rc::gen::inRange(0, 9), [](int n) { return std::to_string(n); });
  WrittenLabels labels = some_labels(number);
  const auto file = parse_labels(test::as_cleanlab(labels), {.format = "cleanlab"});
  if (!file) RC_FAIL(file.error().message);
  RC_ASSERT(sorted(read_back(*file)) == sorted(labels));
  // Recognised by itself once a cell is empty.
  labels.push_back({"only", "here", "1"});
  const auto recognised = parse_labels(test::as_cleanlab(labels));
  if (!recognised) RC_FAIL(recognised.error().message);
  RC_ASSERT(recognised->format == "cleanlab");
  RC_ASSERT(sorted(read_back(*recognised)) == sorted(labels));
}

/// Pairs of item and answer in a table with these columns.
std::map<std::string, std::string> answers_in(const std::string& text, const char* item,
                                              const char* answer) {
  std::map<std::string, std::string> answers;
  auto rows = RecordReader::open(text).value();
  const std::size_t at = rows.place(item, {}).value(), given = rows.place(answer, {}).value();
  while (rows.next().value())
    answers.emplace(std::string(rows.value(at)), std::string(rows.value(given)));
  return answers;
}

RC_GTEST_PROP(LabelFormatLaws, AnswersComeBackFromEveryShape, ()) {
  const std::string text = test::as_csv(some_labels(hard_name()));
  const LabelFile file = parse_labels(text).value();
  std::vector<std::optional<ClassId>> answers;
  std::map<std::string, std::string> expected;
  for (const std::string& item : file.items) {
    const auto answer =
        static_cast<std::uint32_t>(*rc::gen::inRange<std::size_t>(0, file.classes.size()));
    answers.push_back(ClassId{answer});
    expected[item] = file.classes[answer];
  }
  const std::vector<double> confidence(answers.size(), 0.5);
  const auto shaped = [&](std::string_view shape) {
    return shape_answers(shape, {file, answers, confidence, "majority"}, text).value();
  };
  RC_ASSERT(answers_in(shaped("crowd-kit"), "task", "agg_label") == expected);
  RC_ASSERT(answers_in(shaped("cleanlab"), "item", "consensus_label") == expected);
  RC_ASSERT(answers_in(shaped("mturk"), "HITId", "Answer.label") == expected);
  RC_ASSERT(answers_in(shaped("rows"), "task", "answer") == expected);
  const std::string predictions = shaped("label-studio");
  JsonRecords tasks(predictions);
  std::map<std::string, std::string> predicted;
  while (tasks.next().value()) {
    const auto task = tasks.object().value();
    const auto& prediction = task.at("predictions").as_array().at(0).as_object();
    const auto& choice = prediction.at("result").at(0).at("value").at("choices").at(0);
    predicted[scalar_text(task.at("data").at("item")).value()] = scalar_text(choice).value();
  }
  RC_ASSERT(predicted == expected);
}

/// A text with one to four random changes.
std::string mutated(std::string text, std::mt19937_64& random) {
  static const std::vector<std::string> kPieces{"\"",
                                                "{",
                                                "}",
                                                "[",
                                                "]",
                                                ",",
                                                ":",
                                                "\n",
                                                "\\u12",
                                                "null",
                                                "[[[[",
                                                "1e999",
                                                "\xff",
                                                "\t",
                                                "-0",
                                                "true",
                                                "{\"a\":",
                                                "NA",
                                                std::string(1, '\0'),
                                                "\\"};
  const std::uint64_t changes = 1 + random() % 4;
  for (std::uint64_t n = 0; n < changes && !text.empty(); ++n) {
    const std::size_t at = random() % text.size(), size = random() % 12;
    switch (random() % 6) {
      case 0:
        text[at] = static_cast<char>(random());
        break;
      case 1:
        text.erase(at, size);
        break;
      case 2:
        text.insert(at, text.substr(random() % text.size(), size));
        break;
      case 3:
        text.insert(at, kPieces[random() % kPieces.size()]);
        break;
      case 4:
        text.resize(at);
        break;
      default:
        text.insert(at, std::string(1000, "[{\",(a"[random() % 6]));
    }
  }
  return text;
}

/// The file is read, or refused with a line.
::testing::AssertionResult does_no_harm(const std::string& text, const LabelReading& reading) {
  const auto file = parse_labels(text, reading);
  if (!file) {
    if (file.error().message.rfind("line ", 0) == 0) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << file.error().message << "\n" << text;
  }
  for (const auto& [item, worker, label] : file->set.labels) {
    if (position(item) >= file->items.size() || position(worker) >= file->workers.size() ||
        position(label) >= file->classes.size())
      return ::testing::AssertionFailure() << "a number without a name\n" << text;
  }
  const auto truth = parse_truth(text, *file);
  if (truth || truth.error().message.rfind("line ", 0) == 0) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << truth.error().message << "\n" << text;
}

/// The most memory that the process has had so far.
long peak_kilobytes() {
  struct rusage usage {};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

TEST(LabelFormatLaws, TwoThousandDamagedFilesOfEachFormatDoNoHarm) {
  constexpr int kFiles = 2000;
  const WrittenLabels labels{
      {"r1", "ann", "1"}, {"r1", "bob", "0"}, {"r2", "ann", "0"}, {"r3", "cyd", "1"}};
  std::mt19937_64 random(20150101);
  const long before = peak_kilobytes();
  for (const LabelFormat& format : label_formats()) {
    std::vector<std::string> texts{std::string(format.example)};
    for (const auto& [name, write] : test::text_writers())
      if (name == format.name) texts.push_back(write(labels));
    if (format.name == "cleanlab") texts.push_back(test::as_cleanlab(labels));
    int read = 0;
    for (int n = 0; n < kFiles; ++n) {
      const std::string text = mutated(texts[random() % texts.size()], random);
      const LabelReading forced{.format = std::string(format.name)};
      ASSERT_TRUE(does_no_harm(text, n % 2 == 0 ? LabelReading{} : forced)) << format.name;
      read += parse_labels(text).has_value();
    }
    EXPECT_GT(read, kFiles / 50) << format.name << ": too few changes leave a file readable";
    EXPECT_LT(read, kFiles) << format.name << ": some changes must be noticed";
  }
  EXPECT_LT(peak_kilobytes() - before, 1 << 20);
}

}  // namespace
}  // namespace allot::io::label_formats_laws_test
