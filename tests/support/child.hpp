// What a forked child does to become the allot program.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "support/places.hpp"

namespace allot::test {

/// Goes on as `allot ARGUMENTS` with those environment variables, each `NAME=value`.
[[noreturn]] inline void become_program(const std::vector<std::string>& arguments,
                                        const std::vector<std::string>& variables = {}) {
  for (const std::string& one : variables) putenv(const_cast<char*>(one.c_str()));
  const std::string name = program();
  std::vector<char*> words{const_cast<char*>(name.c_str())};
  for (const std::string& one : arguments) words.push_back(const_cast<char*>(one.c_str()));
  words.push_back(nullptr);
  execv(name.c_str(), words.data());
  _exit(127);
}

}  // namespace allot::test
