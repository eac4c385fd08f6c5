#include "io/label_rows.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace allot::io::label_rows_test {
namespace {

using Names = std::vector<std::string>;
using Numbers = std::vector<std::int64_t>;

/// Rows with these numbers of items a, b, workers v, w and classes no, yes.
struct Columns {
  Names items{"a", "b"}, workers{"v", "w"}, labels{"yes", "no"};
  Numbers item, worker, label;

  Result<LabelFile> read(const LabelReading& reading = {}) const {
    return read_label_rows({{items, item}, {workers, worker}, {labels, label}}, reading);
  }
};

TEST(LabelRows, AreReadAsTheSameRowsOfAFile) {
  const Columns columns{.item = {0, 1, 0}, .worker = {0, 0, 1}, .label = {0, 1, 1}};
  const auto rows = columns.read().value();
  const auto file = parse_labels("item,worker,label\na,v,yes\nb,v,no\na,w,no\n").value();
  EXPECT_EQ(rows.set.labels, file.set.labels);
  EXPECT_EQ(rows.items, file.items);
  EXPECT_EQ(rows.workers, file.workers);
  EXPECT_EQ(rows.classes, file.classes);
  EXPECT_EQ(rows.set.class_count, 2U);
}

TEST(LabelRows, LeaveOutMissingLabels) {
  const Columns columns{.item = {0, 1}, .worker = {0, 0}, .label = {-1, 1}};
  const auto rows = columns.read().value();
  EXPECT_EQ(rows.left_out.missing, 1U);
  EXPECT_EQ(rows.items, (Names{"b"}));
}

TEST(LabelRows, AreRefusedByTheirNumberFromZero) {
  const Columns repeated{.item = {0, 0}, .worker = {0, 0}, .label = {0, 1}};
  EXPECT_EQ(repeated.read().error().message,
            "line 1: item 'a' already has a label by worker 'v', in line 0; expected one label per "
            "pair (--duplicates first|last|majority keeps one, all keeps every one)");
  EXPECT_EQ(repeated.read({.duplicates = Duplicates::last}).value().set.labels.size(), 1U);
  const Columns nameless{.item = {0, -1}, .worker = {0, 0}, .label = {0, 1}};
  EXPECT_EQ(nameless.read().error().message.substr(0, 25), "line 1: the item is empty");
  EXPECT_EQ(Columns().read().error().message,
            "no row has a label; expected one row per label");
}

}  // namespace
}  // namespace allot::io::label_rows_test
