// allot serve as a user would start, call, stop and misuse it.
#include <gtest/gtest.h>
#include <signal.h>

#include <regex>

#include "support/http_client.hpp"
#include "support/program.hpp"
#include "support/started.hpp"

namespace allot::test {
namespace {

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
    Started server(folder, {"serve", "--data", data, "--listen", "127.0.0.1:0"});
    ASSERT_NE(server.address(), "");
    token = token_in(server.said());
    ASSERT_NE(token, "");
    EXPECT_EQ(status_of(server, "/api/v1/campaigns", token), 200);
    EXPECT_EQ(status_of(server, "/api/v1/campaigns", token + "x"), 401);
    expect_refusal("serve --data '" + data + "' --listen 127.0.0.1:0", data,
                   "one server per folder");
    EXPECT_EQ(server.stop(SIGTERM), 0);
    EXPECT_NE(read_file(folder / "serve.out").find("Stopped"), std::string::npos);
    EXPECT_EQ(read_file(folder / "serve.err").find(token), std::string::npos);
  }
  Started again(folder, {"serve", "--data", data, "--listen", "127.0.0.1:0"});
  EXPECT_EQ(token_in(again.said()), "");
  EXPECT_EQ(status_of(again, "/api/v1/campaigns", token), 200);
  EXPECT_EQ(again.stop(SIGINT), 0);
}

TEST(Serve, TakesSettingsFromFlagsTheEnvironmentAndAFile) {
  const Folder folder;
  const std::string config = folder.file(
      "allot.toml", "# a comment\nlisten = [\"127.0.0.1:0\"]\ndata = \"" + (folder / "filed") +
                        "\"\nmax-batch = 5\nlog-level = \"off\"\n");
  Started server(folder, {"serve", "--config", config}, {"ALLOT_DATA=" + (folder / "set")});
  ASSERT_NE(server.address(), "");
  EXPECT_NE(server.said().find("data in " + (folder / "set")), std::string::npos) << server.said();
  EXPECT_EQ(status_of(server, "/healthz", ""), 200);
  EXPECT_EQ(server.stop(SIGTERM), 0);
  EXPECT_EQ(read_file(folder / "serve.err"), "");
  Started flagged(folder, {"serve", "--config", config, "--data", folder / "flagged"},
                  {"ALLOT_DATA=" + (folder / "set")});
  EXPECT_NE(flagged.said().find("data in " + (folder / "flagged")), std::string::npos);
}

TEST(Serve, TakesTheConfigurationOfTheDebianPackage) {
  const Folder folder;
  Started server(folder, {"serve", "--config", root() + "/packaging/serve.toml", "--data",
                          folder / "data", "--listen", "127.0.0.1:0"});
  EXPECT_EQ(status_of(server, "/readyz", ""), 200);
}

TEST(Serve, RefusesInvalidOptions) {
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
  const std::string data = folder / "d";
  expect_refusal("serve --data '" + data + "' --listen nowhere", "nowhere", "");
  expect_refusal("serve --data '" + data + "' --tls-cert " + wrong + " --tls-key " + wrong,
                 "wrong.toml", "PEM");
  EXPECT_FALSE(std::filesystem::exists(data)) << "nothing was made for a server that cannot be";
}

}  // namespace
}  // namespace allot::test
