// A program in a separate process, watched from outside.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace allot::load {

/// Processor seconds of a process so far, and of processes that it started and that have ended.
inline double processor_seconds(pid_t process, bool with_ended = false) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const std::size_t end = text.rfind(')');
  if (end == std::string::npos) return 0;
  std::istringstream rest(text.substr(end + 1));
  std::string skipped;
  for (int n = 0; n < 11; ++n) rest >> skipped;
  double user = 0, system = 0, ended_user = 0, ended_system = 0;
  rest >> user >> system >> ended_user >> ended_system;
  const double ticks = user + system + (with_ended ? ended_user + ended_system : 0);
  return ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

/// Starts the program and reads its output up to the line with its address.
class Process {
 public:
  explicit Process(std::vector<std::string> words) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    std::vector<char*> list;
    for (std::string& word : words) list.push_back(word.data());
    list.push_back(nullptr);
    id_ = ::fork();
    if (id_ == 0) {
      ::dup2(ends[1], STDOUT_FILENO);
      ::execv(list[0], list.data());
      ::_exit(127);
    }
    ::close(ends[1]);
    output_ = ends[0];
    while (said_.find("Listening on ") == std::string::npos || said_.back() != '\n') {
      char piece[512];
      const ssize_t size = ::read(output_, piece, sizeof piece);
      if (size <= 0) throw std::runtime_error(words[0] + " did not start: " + said_);
      said_.append(piece, static_cast<std::size_t>(size));
    }
  }
  ~Process() { end(SIGTERM); }
  Process(const Process&) = delete;

  std::string address() const {
    const std::string url = word_after("Listening on ");
    return url.substr(url.find("//") + 2);
  }
  /// The first word after that text; empty if there is none.
  std::string word_after(const std::string& text) const {
    const std::size_t found = said_.find(text);
    if (found == std::string::npos) return "";
    std::istringstream rest(said_.substr(found + text.size()));
    std::string word;
    rest >> word;
    return word;
  }

  void kill() { end(SIGKILL); }

  /// Memory in megabytes: now ("VmRSS:"), or the peak ("VmHWM:").
  double memory(const std::string& which = "VmRSS:") const {
    std::ifstream file("/proc/" + std::to_string(id_) + "/status");
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with(which)) return std::stod(line.substr(which.size())) / 1024;
    }
    return 0;
  }

  /// Processor seconds so far.
  double processor() const { return processor_seconds(id_); }

 private:
  void end(int signal) {
    if (id_ <= 0) return;
    ::kill(id_, signal);
    ::waitpid(id_, nullptr, 0);
    ::close(output_);
    id_ = -1;
  }

  pid_t id_ = -1;
  int output_ = -1;
  std::string said_;
};

}  // namespace allot::load
