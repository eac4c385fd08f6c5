// The allot program run as a user would.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "support/folder.hpp"
#include "support/places.hpp"

namespace allot::test {

struct Outcome {
  int status;
  std::string output, errors;
};

/// Runs `allot ARGUMENTS` in a shell and returns its output, unless `output` names another place.
inline Outcome allot(const std::string& arguments, const std::string& output = "") {
  const Folder folder;
  const std::string out = folder / "out", err = folder / "err";
  const int raw = std::system(("'" + std::string(program()) + "' " + arguments + " >" +
                               (output.empty() ? out : output) + " 2>" + err)
                                  .c_str());
  return {WIFEXITED(raw) ? WEXITSTATUS(raw) : -1, read_file(out), read_file(err)};
}

/// CSV columns of simulate and replay.
inline constexpr const char* kColumns =
    "policy,budget,labels_per_item,accuracy,stderr,expected_accuracy,seconds,worst,bound";

/// Lines of a comparison as CSV without the time, the third field from the end.
inline std::vector<std::string> without_time(const std::string& csv) {
  std::vector<std::string> lines;
  std::istringstream text(csv);
  for (std::string line; std::getline(text, line);) {
    const std::size_t bound = line.rfind(','), worst = line.rfind(',', bound - 1),
                      seconds = line.rfind(',', worst - 1);
    lines.push_back(line.erase(seconds, worst - seconds));
  }
  return lines;
}

/// Expects exit status 2 and one line that says what is wrong and what is expected.
inline void expect_refusal(const std::string& arguments, const std::string& wrong,
                           const std::string& accepted) {
  const Outcome outcome = allot(arguments);
  EXPECT_EQ(outcome.status, 2) << arguments;
  EXPECT_EQ(outcome.output, "") << arguments;
  EXPECT_EQ(std::ranges::count(outcome.errors, '\n'), 1) << outcome.errors;
  EXPECT_NE(outcome.errors.find(wrong), std::string::npos) << outcome.errors;
  EXPECT_NE(outcome.errors.find(accepted), std::string::npos) << outcome.errors;
}

}  // namespace allot::test
