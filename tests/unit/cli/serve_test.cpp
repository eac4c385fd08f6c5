// allot serve as a user would start, call, stop and misuse it.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <regex>
#include <thread>

#include "support/http_client.hpp"
#include "support/program.hpp"

namespace allot::test {
namespace {

/// A server that was started and is killed at the end, if it still runs.
class Started {
 public:
  Started(const Folder& folder, const std::vector<std::string>& arguments,
          const std::vector<std::string>& variables = {}) {
    const std::string out = folder / "serve.out", err = folder / "serve.err";
    std::remove(out.c_str());
    pid_ = fork();
    if (pid_ == 0) {
      std::freopen(out.c_str(), "w", stdout);
      std::freopen(err.c_str(), "w", stderr);
      for (const std::string& one : variables) putenv(const_cast<char*>(one.c_str()));
      std::vector<char*> words;
      const std::string name = program();
      words.push_back(const_cast<char*>(name.c_str()));
      words.push_back(const_cast<char*>("serve"));
      for (const std::string& one : arguments) words.push_back(const_cast<char*>(one.c_str()));
      words.push_back(nullptr);
      execv(name.c_str(), words.data());
      _exit(127);
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

std::string token_in(const std::string& said) {
  static const std::regex token("allot_[0-9a-z_]+");
  std::smatch match;
  return std::regex_search(said, match, token) ? match.str() : "";
}

int status_of(const Started& server, const std::string& path, const std::string& token) {
  Client client(std::make_unique<PlainWire>(server.address()));
  client.send("GET " + path + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + token +
              "\r\nConnection: close\r\n\r\n");
  return client.answer().status;
}

TEST(Serve, ShowsAnAdminTokenOnceAndStopsWhenItIsTold) {
  const Folder folder;
  const std::string data = folder / "data";
  std::string token;
  {
    Started server(folder, {"--data", data, "--listen", "127.0.0.1:0"});
    ASSERT_NE(server.address(), "");
    token = token_in(server.said());
    ASSERT_NE(token, "");
    EXPECT_EQ(status_of(server, "/api/v1/campaigns", token), 200);
    EXPECT_EQ(status_of(server, "/api/v1/campaigns", token + "x"), 401);
    expect_refusal("serve --data '" + data + "' --listen 127.0.0.1:0", data, "one server a folder");
    EXPECT_EQ(server.stop(SIGTERM), 0);
    EXPECT_NE(read_file(folder / "serve.out").find("Stopped"), std::string::npos);
    EXPECT_EQ(read_file(folder / "serve.err").find(token), std::string::npos);
  }
  Started again(folder, {"--data", data, "--listen", "127.0.0.1:0"});
  EXPECT_EQ(token_in(again.said()), "");
  EXPECT_EQ(status_of(again, "/api/v1/campaigns", token), 200);
  EXPECT_EQ(again.stop(SIGINT), 0);
}

TEST(Serve, TakesSettingsFromFlagsTheEnvironmentAndAFile) {
  const Folder folder;
  const std::string config = folder.file(
      "allot.toml", "# a comment\nlisten = [\"127.0.0.1:0\"]\ndata = \"" + (folder / "filed") +
                        "\"\nmax-batch = 5\nlog-level = \"off\"\n");
  Started server(folder, {"--config", config}, {"ALLOT_DATA=" + (folder / "set")});
  ASSERT_NE(server.address(), "");
  EXPECT_NE(server.said().find("data in " + (folder / "set")), std::string::npos) << server.said();
  EXPECT_EQ(status_of(server, "/healthz", ""), 200);
  EXPECT_EQ(server.stop(SIGTERM), 0);
  EXPECT_EQ(read_file(folder / "serve.err"), "");
  Started flagged(folder, {"--config", config, "--data", folder / "flagged"},
                  {"ALLOT_DATA=" + (folder / "set")});
  EXPECT_NE(flagged.said().find("data in " + (folder / "flagged")), std::string::npos);
}

TEST(Serve, RefusesWhatMakesNoSense) {
  const Folder folder;
  expect_refusal("serve --max-body 1X", "'1X'", "64k");
  expect_refusal("serve --rate 0", "--rate", "1");
  expect_refusal("serve --private-webhooks maybe", "'maybe'", "yes");
  expect_refusal("serve --log-level loud", "'loud'", "warning");
  expect_refusal("serve --tls-cert x", "--tls-cert", "both or neither");
  expect_refusal("serve --data ''", "--data", "folder");
  expect_refusal("serve --config /nowhere", "/nowhere", "cannot be read");
  const std::string wrong = folder.file("wrong.toml", "listne = \"x\"\n");
  expect_refusal("serve --config '" + wrong + "'", "'listne'", "did you mean 'listen'");
  const std::string broken = folder.file("broken.toml", "listen = \n");
  expect_refusal("serve --config '" + broken + "'", "line 1", "expected value");
  const std::string odd = folder.file("odd.toml", "rate = 1.5\n");
  expect_refusal("serve --config '" + odd + "'", "rate", "whole number");
  expect_refusal("serve --data '" + (folder / "d") + "' --listen nowhere", "nowhere", "");
}

}  // namespace
}  // namespace allot::test
