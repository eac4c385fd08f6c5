// The allot program as a server: started, and stopped by signals.
#pragma once

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <regex>
#include <string>
#include <thread>
#include <vector>

#include "support/child.hpp"
#include "support/folder.hpp"

namespace allot::test {

/// `allot ARGUMENTS` that serves, and is killed at the end, if it still runs.
class Started {
 public:
  /// `most_bytes` is what any of its files may have, 0 for no limit.
  Started(const Folder& folder, const std::vector<std::string>& arguments,
          const std::vector<std::string>& variables = {}, rlim_t most_bytes = 0) {
    const std::string out = folder / "serve.out", err = folder / "serve.err";
    std::remove(out.c_str());
    pid_ = fork();
    if (pid_ == 0) {
      std::freopen(out.c_str(), "w", stdout);
      std::freopen(err.c_str(), "w", stderr);
      if (most_bytes > 0) {
        const rlimit most{most_bytes, most_bytes};
        setrlimit(RLIMIT_FSIZE, &most);
      }
      become_program(arguments, variables);
    }
    for (int n = 0; n < 1000 && address_.empty(); ++n) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      said_ = read_file(out);
      static const std::regex address("://(127\\.0\\.0\\.1:[0-9]+)");
      std::smatch match;
      if (std::regex_search(said_, match, address)) address_ = match[1];
    }
  }
  ~Started() {
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
  }
  Started(const Started&) = delete;

  /// Empty if it did not start.
  const std::string& address() const { return address_; }
  const std::string& said() const { return said_; }
  void signal(int signal) const { kill(pid_, signal); }
  /// Its exit status after a signal.
  int stop(int signal) {
    kill(pid_, signal);
    int raw = 0;
    waitpid(pid_, &raw, 0);
    pid_ = 0;
    return WIFEXITED(raw) ? WEXITSTATUS(raw) : -WTERMSIG(raw);
  }

 private:
  pid_t pid_ = 0;
  std::string said_, address_;
};

inline std::string token_in(const std::string& said) {
  static const std::regex token("allot_[0-9a-z_]+");
  std::smatch match;
  return std::regex_search(said, match, token) ? match.str() : "";
}

}  // namespace allot::test
