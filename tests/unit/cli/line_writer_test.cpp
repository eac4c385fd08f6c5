#include "cli/line_writer.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <cstdio>
#include <set>
#include <thread>
#include <vector>

#include "allot/base/text.hpp"
#include "support/folder.hpp"

namespace allot::cli::line_writer_test {
namespace {

int file_at(const std::string& path) {
  return ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

TEST(LineWriter, WritesEveryLineOfEveryThreadOnceAndWhole) {
  const test::Folder folder;
  {
    LineWriter writer(file_at(folder / "log"));
    std::vector<std::jthread> threads;
    for (int n = 0; n < 4; ++n) {
      threads.emplace_back([&writer, n] {
        for (int line = 0; line < 500; ++line) {
          writer.add(std::to_string(n) + " " + std::to_string(line));
        }
      });
    }
  }
  const std::string all = test::read_file(folder / "log");
  std::set<std::string> lines;
  std::vector<int> next(4, 0);
  for (const std::string_view line : split(all, '\n')) {
    if (line.empty()) continue;
    lines.emplace(line);
    const auto n = static_cast<std::size_t>(line[0] - '0');
    EXPECT_EQ(line.substr(2), std::to_string(next.at(n)++)) << "each thread's in order";
  }
  EXPECT_EQ(lines.size(), 2000U);
}

TEST(LineWriter, WaitsForNoDiskAndSaysWhatItLeftOut) {
  const test::Folder folder;
  const std::string pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  // A pipe that nobody reads takes 64 KB, then nothing.
  const std::shared_ptr<std::FILE> reader(std::fopen(pipe.c_str(), "r+e"),
                                          [](std::FILE* file) { std::fclose(file); });
  constexpr int kLines = 5000;
  LineWriter writer(file_at(pipe), 100'000);
  for (int n = 0; n < kLines; ++n) writer.add(std::string(99, 'x'));
  int whole = 0, left_out = 0;
  std::string line(200, '\0');
  while (whole + left_out < kLines &&
         std::fgets(line.data(), static_cast<int>(line.size()), reader.get()) != nullptr) {
    int count = 0;
    const bool says =
        std::sscanf(line.c_str(), "{\"level\": \"error\", \"what\": \"%d lines were left out\"}",
                    &count) == 1;
    left_out += count;
    if (!says) {
      EXPECT_EQ(std::string(line.c_str()), std::string(99, 'x') + "\n");
      ++whole;
    }
  }
  EXPECT_EQ(whole + left_out, kLines);
  EXPECT_GT(left_out, 0);
}

TEST(LineWriter, ContinuesInAnotherFileWithoutLosingALine) {
  const test::Folder folder;
  {
    LineWriter writer(file_at(folder / "0"));
    for (int n = 1; n <= 20; ++n) {
      writer.add("before " + std::to_string(n));
      writer.continue_in(file_at(folder / std::to_string(n)));
      writer.add("after " + std::to_string(n));
    }
  }
  std::string all;
  for (int n = 0; n <= 20; ++n) all += test::read_file(folder / std::to_string(n));
  EXPECT_EQ(std::ranges::count(all, '\n'), 40);
  EXPECT_NE(test::read_file(folder / "20").find("after 20\n"), std::string::npos);
}

TEST(LineWriter, DoesNotKeepAProcessFromEnding) {
  std::signal(SIGPIPE, SIG_IGN);
  const test::Folder folder;
  const std::string pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int unread = ::open(pipe.c_str(), O_RDWR | O_CLOEXEC);
  {
    LineWriter writer(file_at(pipe), 16 << 20, std::chrono::milliseconds(1));
    writer.add(std::string(1 << 20, 'x'));
  }
  // Its thread goes on in vain until the pipe is gone.
  ::close(unread);
}

}  // namespace
}  // namespace allot::cli::line_writer_test
