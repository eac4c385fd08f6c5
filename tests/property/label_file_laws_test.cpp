// Label files from hostile hands, and tables that read back as they were written.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "allot/io/label_csv.hpp"
#include "allot/io/truth_csv.hpp"

namespace allot::io::label_file_laws_test {
namespace {

std::string quoted_field(const std::string& field) {
  std::string text = "\"";
  for (const char c : field) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + "\"";
}

/// Texts of the characters that matter to a reader of separated values.
rc::Gen<std::string> hostile() {
  return rc::gen::container<std::string>(rc::gen::element('a', 'b', ',', ';', '\t', '"', '\n', '\r',
                                                          ' ', '\0', '\xff', '\xef', '1', '-'));
}

rc::Gen<std::string> name() {
  return rc::gen::map(
      rc::gen::nonEmpty(rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
          "a", "b", "c", ",", ";", "\t", "\"", "\n", "\r", " ", "\xc3\xa9"))),
      [](const std::vector<std::string>& characters) {
        std::string text;
        for (const std::string& character : characters) text += character;
        return text;
      });
}

/// Parses, or refuses with the number of a line.
void check(std::string_view text) {
  for (const Duplicates rule : {Duplicates::error, Duplicates::first, Duplicates::last,
                                Duplicates::majority, Duplicates::all}) {
    auto file = parse_labels(text, {.duplicates = rule});
    if (!file) {
      RC_ASSERT(file.error().message.rfind("line ", 0) == 0U);
      continue;
    }
    RC_ASSERT(!file->set.labels.empty());
    for (const auto& [item, worker, label] : file->set.labels) {
      RC_ASSERT(position(item) < file->items.size());
      RC_ASSERT(position(worker) < file->workers.size());
      RC_ASSERT(position(label) < file->classes.size());
    }
    const auto truth = parse_truth(text, *file);
    RC_ASSERT(truth || truth.error().message.rfind("line ", 0) == 0U);
  }
}

RC_GTEST_PROP(LabelFileLaws, AnyBytesAreReadOrRefusedWithALine, ()) { check(*hostile()); }

RC_GTEST_PROP(LabelFileLaws, AnyRowsAreReadOrRefusedWithALine, ()) {
  std::string text = "task,worker,label\n";
  for (const std::string& row : *rc::gen::container<std::vector<std::string>>(hostile()))
    text += row + (*rc::gen::arbitrary<bool>() ? "\n" : ",");
  check(text);
}

RC_GTEST_PROP(LabelFileLaws, QuotedTablesComeBack, ()) {
  struct Row {
    std::string item, worker, label;
  };
  std::vector<Row> rows;
  std::set<std::pair<std::string, std::string>> pairs;
  const int count = *rc::gen::inRange(1, 20);
  for (int n = 0; n < count; ++n) {
    Row row{*name(), *name(), *name()};
    if (pairs.emplace(row.item, row.worker).second) rows.push_back(row);
  }
  const char separator = *rc::gen::element(',', ';', '\t');
  const std::string end = *rc::gen::element<std::string>("\n", "\r\n", "\r");
  std::string text = std::string("label") + separator + "item" + separator + "worker" + end;
  for (const auto& [item, worker, label] : rows) {
    text += quoted_field(label) + separator + quoted_field(item) + separator +
            quoted_field(worker) + end;
  }
  const auto file = parse_labels(text);
  RC_ASSERT(file.has_value());
  RC_ASSERT(file->set.labels.size() == rows.size());
  for (std::size_t n = 0; n < rows.size(); ++n) {
    const auto& [item, worker, label] = file->set.labels[n];
    RC_ASSERT(file->items[position(item)] == rows[n].item);
    RC_ASSERT(file->workers[position(worker)] == rows[n].worker);
    RC_ASSERT(file->classes[position(label)] == rows[n].label);
  }
}

}  // namespace
}  // namespace allot::io::label_file_laws_test
