// The allot program run as a user would.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

namespace allot::test {

struct Outcome {
  int status;
  std::string output, errors;
};

inline std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Runs `allot ARGUMENTS` by the shell, its output to a file that is read, or to where it is told.
inline Outcome allot(const std::string& arguments, const std::string& output = "") {
  char folder[] = "/tmp/allot-test-XXXXXX";
  if (!mkdtemp(folder)) return {-1, "", "no temporary folder"};
  const std::string out = std::string(folder) + "/out", err = std::string(folder) + "/err";
  const int raw = std::system(("'" + std::string(ALLOT_PROGRAM) + "' " + arguments + " >" +
                               (output.empty() ? out : output) + " 2>" + err)
                                  .c_str());
  const Outcome outcome{WIFEXITED(raw) ? WEXITSTATUS(raw) : -1, read_file(out), read_file(err)};
  std::remove(out.c_str());
  std::remove(err.c_str());
  rmdir(folder);
  return outcome;
}

}  // namespace allot::test
