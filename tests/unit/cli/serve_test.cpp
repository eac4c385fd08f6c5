// allot serve as a user would start, call, stop and misuse it.
#include <gtest/gtest.h>
#include <signal.h>

#include <regex>

#include "support/http_client.hpp"
#include "support/keys.hpp"
#include "support/notify_socket.hpp"
#include "support/program.hpp"
#include "support/started.hpp"

namespace allot::test::serve_test {
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
                   "one process per folder");
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
  Started server(folder,
                 {"serve", "--config", root() + "/packaging/serve.toml", "--data", folder / "data",
                  "--listen", "127.0.0.1:0", "--admin-token-file", folder / "token"});
  EXPECT_EQ(status_of(server, "/readyz", ""), 200);
  EXPECT_EQ(status_of(server, "/api/v1/campaigns", token_in(read_file(folder / "token"))), 200);
}

/// Waits until the file has the text, at most 20 seconds.
bool has_text(const std::string& file, const std::string& text) {
  for (int n = 0; n < 1000; ++n) {
    if (read_file(file).find(text) != std::string::npos) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return false;
}

TEST(Serve, OpensItsLogAgainAtAHangUp) {
  const Folder folder;
  const std::string log = folder / "log";
  Started server(folder,
                 {"serve", "--data", folder / "data", "--listen", "127.0.0.1:0", "--log", log});
  EXPECT_EQ(status_of(server, "/docs", ""), 200);
  ASSERT_TRUE(has_text(log, "/docs"));
  std::filesystem::rename(log, log + ".1");
  server.signal(SIGHUP);
  ASSERT_TRUE(has_text(folder / "serve.out", "Reloaded"));
  EXPECT_EQ(status_of(server, "/openapi.json", ""), 200);
  EXPECT_TRUE(has_text(log, "/openapi.json"));
  EXPECT_EQ(read_file(log + ".1").find("/openapi.json"), std::string::npos);
  EXPECT_EQ(server.stop(SIGTERM), 0);
}

TEST(Serve, TellsTheServiceManagerWhenItIsReadyReloadsAndStops) {
  const Folder folder;
  const NotifySocket manager(folder / "notify");
  ASSERT_TRUE(manager.is_open());
  const std::string token = folder / "token";
  Started server(
      folder,
      {"serve", "--data", folder / "data", "--listen", "127.0.0.1:0", "--admin-token-file", token},
      {manager.variable()});
  EXPECT_EQ(manager.next(), "READY=1");
  EXPECT_NE(token_in(read_file(token)), "") << "written before the server is ready";
  EXPECT_EQ(status_of(server, "/readyz", ""), 200);
  server.signal(SIGHUP);
  EXPECT_EQ(manager.next().substr(0, 27), "RELOADING=1\nMONOTONIC_USEC=");
  EXPECT_EQ(manager.next(), "READY=1");
  EXPECT_EQ(server.stop(SIGTERM), 0);
  EXPECT_EQ(manager.next(), "STOPPING=1");
  EXPECT_EQ(read_file(folder / "serve.err").find("NOTIFY_SOCKET"), std::string::npos);
}

TEST(Serve, IsNeverReadyWithSettingsThatItRefuses) {
  const Folder folder;
  const NotifySocket manager(folder / "notify");
  ::setenv("NOTIFY_SOCKET", (folder / "notify").c_str(), 1);
  const std::string config = folder.file("serve.toml", "listne = \"127.0.0.1:0\"\n");
  expect_refusal("serve --data '" + (folder / "data") + "' --config '" + config + "'", "listne",
                 "listen");
  ::unsetenv("NOTIFY_SOCKET");
  EXPECT_EQ(manager.next(0), "");
}

TEST(Serve, RunsOnWhereTheServiceManagerCannotBeReached) {
  const Folder folder;
  Started server(folder, {"serve", "--data", folder / "data", "--listen", "127.0.0.1:0"},
                 {"NOTIFY_SOCKET=" + (folder / "missing")});
  EXPECT_EQ(status_of(server, "/readyz", ""), 200);
  EXPECT_TRUE(has_text(folder / "serve.err",
                       "$NOTIFY_SOCKET '" + (folder / "missing") + "' cannot be written to"));
  EXPECT_EQ(server.stop(SIGTERM), 0);
}

TEST(Serve, SaysWhatItCannotReloadAtAHangUp) {
  const Folder folder;
  const std::string log = folder / "logs/log";
  std::filesystem::create_directory(folder / "logs");
  Started server(folder, {"serve", "--data", folder / "data", "--listen", "127.0.0.1:0", "--log",
                          log, "--access-log", folder / "access"});
  EXPECT_EQ(std::filesystem::status(folder / "access").permissions(), std::filesystem::perms(0600));
  std::filesystem::rename(folder / "logs", folder / "moved");
  server.signal(SIGHUP);
  EXPECT_TRUE(has_text(folder / "moved/log", "\"not reloaded\""));
  EXPECT_TRUE(has_text(folder / "serve.err", "not reloaded: --log"));
  EXPECT_TRUE(has_text(folder / "serve.out", "Reloaded: access log\n"));
  EXPECT_EQ(server.stop(SIGTERM), 0);
}

TEST(Serve, ReloadsLogAndCertificateEachForItself) {
  const Folder folder;
  const Keys keys;
  const std::string log = folder / "log", err = folder / "serve.err";
  Started server(folder, {"serve", "--data", folder / "data", "--listen", "127.0.0.1:0", "--log",
                          log, "--tls-cert", keys.certificate_file, "--tls-key", keys.key_file});
  EXPECT_TRUE(has_text(log, "the certificate expires soon")) << "it is good for an hour";
  EXPECT_TRUE(has_text(err, "the certificate expires soon: '" + keys.certificate_file));
  const std::string key = read_file(keys.key_file);
  std::ofstream(keys.key_file) << "no key";
  std::filesystem::rename(log, log + ".1");
  server.signal(SIGHUP);
  EXPECT_TRUE(has_text(err, "not reloaded: key"));
  EXPECT_TRUE(has_text(log, "\"what\": \"reloaded\", \"parts\": \"log\"")) << read_file(log);
  EXPECT_TRUE(has_text(log, "\"what\": \"not reloaded\", \"parts\": \"certificate\""));
  std::ofstream(keys.key_file) << key;
  std::filesystem::remove(log);
  std::filesystem::create_directory(log);
  server.signal(SIGHUP);
  EXPECT_TRUE(has_text(err, "not reloaded: --log"));
  EXPECT_TRUE(has_text(folder / "serve.out", "Reloaded: certificate\n"));
  EXPECT_EQ(server.stop(SIGTERM), 0);
}

TEST(Serve, FinishesRequestsIfAHangUpComesWhileItStops) {
  const Folder folder;
  Started server(folder, {"serve", "--data", folder / "data", "--listen", "127.0.0.1:0"});
  Client slow(std::make_unique<PlainWire>(server.address()));
  slow.send("POST /api/v1/campaigns HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " +
            token_in(server.said()) + "\r\nContent-Length: 2\r\n\r\n{");
  EXPECT_EQ(status_of(server, "/healthz", ""), 200);
  server.signal(SIGTERM);
  ASSERT_TRUE(has_text(folder / "serve.out", "Stopping"));
  server.signal(SIGHUP);
  slow.send("}");
  EXPECT_EQ(slow.answer().status, 400) << "a campaign needs a name";
  EXPECT_EQ(server.stop(0), 0);
}

TEST(Serve, GivesALostAdminTokenAnother) {
  const Folder folder;
  const std::string data = folder / "data", file = folder.file("token", "allot_0 of before");
  std::filesystem::permissions(file, std::filesystem::perms(0644));
  const std::string call = "serve --new-admin-token --data '" + data + "'";
  expect_refusal(call, data, "data folder of a server");
  EXPECT_FALSE(std::filesystem::exists(data)) << "a wrong folder is no new server";
  Started(folder, {"serve", "--data", data, "--listen", "127.0.0.1:0"}).stop(SIGTERM);
  const std::string first = token_in(allot(call).output);
  const std::string other = folder.file("other", "not a token"), link = folder / "link";
  std::filesystem::create_symlink(file, link);
  expect_refusal(call + " --admin-token-file '" + other + "'", other, "something else in it");
  expect_refusal(call + " --admin-token-file '" + link + "'", link, "is a link");
  EXPECT_EQ(read_file(other), "not a token");
  const Outcome filed = allot(call + " --admin-token-file '" + file + "'");
  EXPECT_EQ(filed.status, 0) << filed.errors;
  EXPECT_EQ(token_in(filed.output), "");
  EXPECT_EQ(std::filesystem::status(file).permissions(), std::filesystem::perms(0600));
  Started server(folder, {"serve", "--data", data, "--listen", "127.0.0.1:0"});
  EXPECT_EQ(token_in(server.said()), "") << "there are admin tokens already";
  EXPECT_EQ(status_of(server, "/api/v1/campaigns", first), 200);
  EXPECT_EQ(status_of(server, "/api/v1/campaigns", token_in(read_file(file))), 200);
  expect_refusal(call, data, "one process per folder");
}

TEST(Serve, ReadsTheTokenFileOnlyToWriteIt) {
  const Folder folder;
  const std::string data = folder / "data", other = folder.file("other", "not a token");
  expect_refusal("serve --data '" + data + "' --admin-token-file '" + other + "'", other,
                 "something else in it");
  EXPECT_FALSE(std::filesystem::exists(data)) << "nothing was made for a server that cannot be";
  Started(folder, {"serve", "--data", data, "--listen", "127.0.0.1:0"}).stop(SIGTERM);
  Started again(folder,
                {"serve", "--data", data, "--listen", "127.0.0.1:0", "--admin-token-file", other});
  EXPECT_EQ(status_of(again, "/healthz", ""), 200) << "it has an admin token";
  EXPECT_EQ(again.stop(SIGTERM), 0);
  EXPECT_EQ(read_file(other), "not a token");
}

TEST(Serve, ANewAdminTokenByRootBelongsToTheService) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  namespace fs = std::filesystem;
  constexpr uid_t kService = 65'534;
  const Folder folder;
  const std::string data = folder / "data", token = data + "/admin-token";
  Started(folder, {"serve", "--data", data, "--listen", "127.0.0.1:0"}).stop(SIGTERM);
  fs::permissions(folder.path(), fs::perms(0711));
  ASSERT_EQ(chown(data.c_str(), kService, kService), 0);
  for (const auto& entry : fs::recursive_directory_iterator(data))
    ASSERT_EQ(chown(entry.path().c_str(), kService, kService), 0);
  fs::remove(data + "/lock");
  const std::string call =
      "serve --new-admin-token --data '" + data + "' --admin-token-file '" + token + "'";
  for (int n = 0; n < 2; ++n) {
    const Outcome made = allot(call);
    ASSERT_EQ(made.status, 0) << made.errors;
    EXPECT_NE(token_in(read_file(token)), "");
    EXPECT_EQ(fs::status(token).permissions(), fs::perms(0600));
  }
  for (const auto& entry : fs::recursive_directory_iterator(data)) {
    struct stat found = {};
    ASSERT_EQ(stat(entry.path().c_str(), &found), 0);
    EXPECT_EQ(found.st_uid, kService) << entry.path();
    EXPECT_EQ(found.st_gid, kService) << entry.path();
  }
  ASSERT_EQ(chown(token.c_str(), 0, 0), 0);
  expect_refusal(call, "cannot be read (Permission denied)", "can read and write");
}

TEST(Serve, NamesASettingAsTheOperatorWroteIt) {
  const Folder folder;
  const auto refuses = [&](const std::string& line, const std::string& wrong,
                           const std::string& accepted) {
    const std::string config = folder.file("serve.toml", line + "\n");
    expect_refusal("serve --config '" + config + "'", wrong, accepted);
  };
  refuses("rate = \"abc\"", "serve.toml: rate 'abc' is not valid", "whole number");
  refuses("max-body = \"1X\"", "serve.toml: max-body '1X'", "64k");
  refuses("private-webhooks = \"maybe\"", "serve.toml: private-webhooks 'maybe'", "yes, no");
  refuses("rate = true", "serve.toml: setting rate has another type", "whole number");
  refuses("require-sync = true", "serve.toml: require-sync 'yes' needs", "expected store");
  refuses("tls-cert = \"x\"", "serve.toml: tls-cert and tls-key need each other", "both");
  refuses("oidc-issuer = \"https://x\"", "serve.toml: oidc-issuer needs oidc-client-id", "both");
  refuses("listen = 127.0.0.1:8080", "line 1", "with quotes around texts");
  const std::string fine = folder.file(
      "fine.toml", "private-webhooks = true\nlisten = \"127.0.0.1:0\"\nrequire-sync = false\n");
  Started server(folder, {"serve", "--config", fine, "--data", folder / "data"});
  EXPECT_EQ(status_of(server, "/healthz", ""), 200);
  const std::string unlogged = folder.file("unlogged.toml", "log = \"" + folder.path() + "\"\n");
  EXPECT_NE(allot("serve --config '" + unlogged + "'").errors.find("unlogged.toml: log '"),
            std::string::npos);
  ASSERT_EQ(setenv("ALLOT_RATE", "abc", 1), 0);
  expect_refusal("serve", "serve: ALLOT_RATE 'abc' is not valid", "whole number");
  unsetenv("ALLOT_RATE");
}

TEST(Serve, ReportsVariablesThatNameNoSetting) {
  const Folder folder;
  const std::string log = folder / "log";
  Started server(folder,
                 {"serve", "--data", folder / "data", "--listen", "127.0.0.1:0", "--log", log},
                 {"ALLOT_LISTNE=127.0.0.1:1", "ALLOT_TOKEN=allot_1"});
  const std::string warnings = read_file(folder / "serve.err");
  EXPECT_NE(warnings.find("'ALLOT_LISTNE' names no setting, did you mean 'ALLOT_LISTEN'"),
            std::string::npos)
      << warnings;
  EXPECT_EQ(warnings.find("ALLOT_TOKEN"), std::string::npos) << "clients use it";
  EXPECT_TRUE(has_text(log, "'ALLOT_LISTNE' names no setting"));
}

TEST(Serve, RefusesInvalidOptions) {
  const Folder folder;
  expect_refusal("serve --max-body 1X", "'1X'", "64k");
  expect_refusal("serve --rate 0", "--rate", "1");
  expect_refusal("serve --private-webhooks maybe", "'maybe'", "yes");
  expect_refusal("serve --log-level loud", "'loud'", "warning");
  expect_refusal("serve --tls-cert x", "--tls-cert", "both or neither");
  const std::string proxy = "serve --proxy-header X-Email --trusted-proxies 127.0.0.1 ";
  for (const std::string entry : {"example.org", "ann@", "@", "groups:labelling", "group:"}) {
    expect_refusal(proxy + "--sign-in-requesters " + entry, "'" + entry + "'", "@example.org");
    expect_refusal(proxy + "--sign-in-workers ann@example.org," + entry, "'" + entry + "'", "or *");
  }
  expect_refusal(proxy + "--sign-in-workers group:labelling", "'group:labelling'", "--oidc-issuer");
  for (const std::string wide : {"'*'", "@example.org", "@EXAMPLE.org", "ann@example.org"}) {
    expect_refusal(proxy + "--sign-in-admins " + wide + " --sign-in-workers ann@example.org",
                   "'ann@example.org' never applies", "--sign-in-admins");
  }
  expect_refusal("serve --trusted-proxies 127.0.0.1 --sign-in-workers '*' --proxy-header cookie",
                 "'cookie'", "X-Forwarded-Email");
  expect_refusal("serve --trusted-proxies 127.0.0.1 --sign-in-workers '*' --proxy-header 'X User'",
                 "'X User'", "header field");
  expect_refusal("serve --public-url http://localhost.example.org", "http://localhost.example.org",
                 "https://");
  for (const std::string url : {"https://x.example/labels", "https://x.example?a", "https://"})
    expect_refusal("serve --public-url '" + url + "'", "'" + url + "'", "the root of a host");
  expect_refusal("serve --log same --access-log same", "'same'", "two files");
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
  const std::string secret = folder.file("secret", "s"), empty = folder.file("empty", "\n");
  const std::string provider = "serve --data '" + data +
                               "' --oidc-issuer https://x.example --oidc-client-id a "
                               "--public-url https://y.example --sign-in-workers '*' ";
  for (const std::string& roots : {folder / "nowhere", wrong}) {
    expect_refusal(
        provider + "--oidc-client-secret-file '" + secret + "' --oidc-roots '" + roots + "'",
        "--oidc-roots: ", "PEM");
  }
  expect_refusal(provider + "--oidc-client-secret-file '" + empty + "'", "is empty", "secret");
  EXPECT_FALSE(std::filesystem::exists(data)) << "nothing was made for a server that cannot be";
}

}  // namespace
}  // namespace allot::test::serve_test
