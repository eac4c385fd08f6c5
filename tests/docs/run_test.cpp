// ./run hands its arguments to the program.
#include <gtest/gtest.h>

#include <filesystem>

#include "support/program.hpp"

namespace allot::test::run_test {
namespace {

const std::string kRoot = root();

/// A program that prints its arguments stands in for allot.
TEST(Run, IsTheDemoUnlessACommandIsGiven) {
  const Folder folder;
  namespace fs = std::filesystem;
  fs::create_directories(folder / "scripts");
  fs::create_directories(folder / "build/release");
  fs::copy(kRoot + "/run", folder / "run");
  folder.file("scripts/prepare", "#!/bin/sh\nexit 0\n");
  folder.file("build/release/allot", "#!/bin/sh\nfor word in \"$@\"; do echo \"$word\"; done\n");
  for (const char* script : {"scripts/prepare", "build/release/allot"}) {
    fs::permissions(folder / script, fs::perms::owner_all);
  }
  const auto handed = [&](const std::string& words) {
    const std::string out = folder / "out";
    EXPECT_EQ(std::system(("'" + (folder / "run") + "' " + words + " >'" + out + "'").c_str()), 0);
    return read_file(out);
  };
  EXPECT_EQ(handed(""), "demo\n");
  EXPECT_EQ(handed("--data 'a b'"), "demo\n--data\na b\n");
  EXPECT_EQ(handed("-- --listen 127.0.0.1:9000"), "demo\n--listen\n127.0.0.1:9000\n");
  EXPECT_EQ(handed("--data x -- --pace 2"), "demo\n--data\nx\n--pace\n2\n");
  EXPECT_EQ(handed("simulate --items 5"), "simulate\n--items\n5\n");
  EXPECT_EQ(handed("demo --help"), "demo\n--help\n");
  EXPECT_EQ(handed("--help"), "--help\n");
  EXPECT_EQ(handed("--version"), "--version\n");
}

}  // namespace
}  // namespace allot::test::run_test
