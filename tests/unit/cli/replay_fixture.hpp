// Recorded labels for tests of `allot replay`.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/program.hpp"

namespace allot::test {

/// Twelve items; four workers label all of them, and the last one is wrong about every third.
inline std::string labels_text(const std::string& no, const std::string& yes,
                               const std::string& line_end = "\n") {
  std::string text = "task,worker,label" + line_end;
  for (int item = 0; item < 12; ++item) {
    for (int worker = 0; worker < 4; ++worker) {
      const bool positive = (item % 2 == 1) != (worker == 3 && item % 3 == 0);
      text += "i" + std::to_string(item) + ",w" + std::to_string(worker) + "," +
              (positive ? yes : no) + line_end;
    }
  }
  return text;
}

inline std::string truth_text(const std::string& no, const std::string& yes) {
  std::string text = "task,truth\n";
  for (int item = 0; item < 12; ++item)
    text += "i" + std::to_string(item) + "," + (item % 2 == 1 ? yes : no) + "\n";
  return text;
}

class Replay : public testing::Test {
 protected:
  std::string command(const std::string& more, const std::string& file) const {
    return "replay --labels " + file + " --truth " + truth + " --runs 3 --format csv " + more;
  }
  /// Rows for a file that can be replayed.
  std::vector<std::string> result(const std::string& more, const std::string& file) const {
    const Outcome outcome = allot(command(more, file));
    EXPECT_EQ(outcome.status, 0) << more << "\n" << outcome.errors;
    EXPECT_EQ(outcome.errors, "") << more;
    EXPECT_EQ(outcome.output.find("nan"), std::string::npos) << more << "\n" << outcome.output;
    return without_time(outcome.output);
  }
  std::vector<std::string> result(const std::string& more) const { return result(more, labels); }
  /// Expects other rows than without the options `more`.
  void expect_difference(const std::string& usual, const std::string& more) const {
    EXPECT_NE(result(usual), result(usual + " " + more)) << more;
  }

  const Folder folder;
  const std::string labels = folder.file("labels.csv", labels_text("0", "1"));
  const std::string truth = folder.file("truth.csv", truth_text("0", "1"));
};

}  // namespace allot::test
