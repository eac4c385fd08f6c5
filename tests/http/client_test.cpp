// Requests of ours: where they may go, and how they end.
#include "http/client.hpp"

#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "http/url.hpp"
#include "support/http_client.hpp"
#include "support/rude_server.hpp"

namespace allot::test::client_test {
namespace {

using namespace std::chrono_literals;
using http::Reply;
using http::Request;

TEST(WebUrl, IsTakenApart) {
  const auto url = http::parse_web_url("HTTPS://Example.org:8443/a/b?c=%20d").value();
  EXPECT_TRUE(url.tls);
  EXPECT_EQ(url.host, "example.org");
  EXPECT_EQ(url.port, 8443);
  EXPECT_EQ(url.target, "/a/b?c=%20d");
  EXPECT_EQ(url.authority, "example.org:8443");
  EXPECT_EQ(http::parse_web_url("https://a.b")->authority, "a.b");
  EXPECT_EQ(http::parse_web_url("https://a.b:443")->authority, "a.b");
  EXPECT_EQ(http::parse_web_url("https://a.b")->port, 443);
  EXPECT_EQ(http::parse_web_url("http://a.b?x=1")->target, "/?x=1");
  EXPECT_EQ(http::parse_web_url("http://[2001:4860::1]:81/")->host, "2001:4860::1");
  EXPECT_EQ(http::parse_web_url("http://[2001:4860::1]:81/")->authority, "[2001:4860::1]:81");
}

TEST(WebUrl, RefusesWhatOthersMightReadOtherwise) {
  for (const char* text : {"",
                           "example.org",
                           "ftp://a.b/",
                           "file:///etc/passwd",
                           "javascript:alert(1)",
                           "http://",
                           "http:///x",
                           "http://user@a.b/",
                           "http://user:pass@a.b/",
                           "http://a.b@10.0.0.1/",
                           "http://a.b\\@c.d/",
                           "http://a b/",
                           "http://a.b/\r\nX: y",
                           "http://a.b/#x",
                           "http://a.b:0/",
                           "http://a.b:65536/",
                           "http://a.b:/",
                           "http://a.b:80x/",
                           "http://[::1/",
                           "http://[zz]/",
                           "http://[1.2.3.4]/",
                           "http://::1/",
                           "http://2130706433/",
                           "http://0x7f.1/",
                           "http://127.1/",
                           "http://a..b/",
                           "http://.a/",
                           "http://-a.b/",
                           "http://a.b./",
                           "http://\xc3\xa4.org/",
                           "http://a.b/\xc3\xa4",
                           "http://a.b/{x}",
                           "http://[fe80::1%eth0]/",
                           "http://a%2eb/"}) {
    EXPECT_FALSE(http::parse_web_url(text)) << text;
  }
  for (const std::string url :
       {"https://user@a.b/c", "http://a..b/", "HTTPS://a.b:0/", "ftp://a.b/"}) {
    const std::string why = http::parse_web_url(url).error().message;
    EXPECT_EQ(why.find("url '" + url + "' cannot be used: "), 0U) << why;
  }
  EXPECT_EQ(http::parse_web_url("http://a/" + std::string(2000, 'x')).error().code,
            ErrorCode::too_large);
}

TEST(WebUrl, KnowsPublicAddresses) {
  for (const char* text :
       {"1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
        "128.0.0.0", "172.15.255.255", "172.32.0.0", "192.167.255.255", "192.169.0.0",
        "198.17.255.255", "198.20.0.0", "223.255.255.255", "2606:4700::1", "2a00::1",
        "2001:4860::8888", "::ffff:8.8.8.8"}) {
    EXPECT_TRUE(http::is_public_address(text)) << text;
  }
  for (const char* text : {"0.0.0.0",
                           "0.1.2.3",
                           "10.0.0.1",
                           "10.255.255.255",
                           "100.64.0.1",
                           "100.127.255.255",
                           "127.0.0.1",
                           "127.255.255.255",
                           "169.254.169.254",
                           "172.16.0.1",
                           "172.31.255.255",
                           "192.0.0.8",
                           "192.0.2.1",
                           "192.168.1.1",
                           "198.18.0.1",
                           "198.19.255.255",
                           "198.51.100.7",
                           "203.0.113.9",
                           "224.0.0.1",
                           "239.1.1.1",
                           "240.0.0.1",
                           "255.255.255.255",
                           "::",
                           "::1",
                           "::ffff:127.0.0.1",
                           "::ffff:10.1.1.1",
                           "::127.0.0.1",
                           "64:ff9b::7f00:1",
                           "fe80::1",
                           "fc00::1",
                           "fd12::1",
                           "ff02::1",
                           "2001:db8::1",
                           "2001::1",
                           "2002:7f00:1::",
                           "3fff::1",
                           "100::1",
                           "localhost",
                           "",
                           "1.2.3",
                           "fe80::1%lo"}) {
    EXPECT_FALSE(http::is_public_address(text)) << text;
  }
}

Result<int> posted(http::Client& client, const std::string& url, const std::string& body = "x",
                   const http::Fields& fields = {}) {
  std::promise<Result<int>> said;
  client.post(url, fields, body, [&](Result<int> status) { said.set_value(std::move(status)); });
  return said.get_future().get();
}

std::unique_ptr<http::Client> client(http::ClientOptions options = {}) {
  options.private_addresses = true;
  return http::Client::start(std::move(options)).value();
}

TEST(HttpClient, SaysWithWhichStatusItWasAnswered) {
  Routes routes;
  std::promise<Request> seen;
  routes.handlers["/hook"] = [&](Request request, const Reply& reply) {
    seen.set_value(std::move(request));
    reply({.status = 204});
  };
  routes.handlers["/large"] = [](const Request&, const Reply& reply) {
    reply({.status = 200, .body = std::string(10 << 20, 'x')});
  };
  routes.handlers["/moved"] = [](const Request&, const Reply& reply) {
    http::Response moved{.status = 302};
    moved.fields.add("Location", "/hook");
    reply(std::move(moved));
  };
  const auto server = serve(routes);
  const std::string base = "http://" + server->addresses().front();
  const auto one = client();
  http::Fields fields;
  fields.add("Content-Type", "application/json");
  EXPECT_EQ(posted(*one, base + "/hook?a=b", "{\"n\": 1}", fields).value(), 204);
  const Request request = seen.get_future().get();
  EXPECT_EQ(request.method, http::Method::post);
  EXPECT_EQ(request.body, "{\"n\": 1}");
  EXPECT_EQ(request.query.front().second, "b");
  EXPECT_EQ(request.fields.find("Content-Type"), "application/json");
  EXPECT_EQ(request.fields.find("Host"), server->addresses().front());
  EXPECT_EQ(posted(*one, base + "/large").value(), 200) << "the body is not waited for";
  EXPECT_EQ(posted(*one, base + "/moved").value(), 302) << "and not followed";
  EXPECT_EQ(posted(*one, base + "/nothing").value(), 404);
}

Result<http::Client::Answer> asked(http::Client& client, const std::string& method,
                                   const std::string& url, const std::string& body = "") {
  std::promise<Result<http::Client::Answer>> said;
  client.ask(method, url, {}, body,
             [&](Result<http::Client::Answer> answer) { said.set_value(std::move(answer)); });
  return said.get_future().get();
}

TEST(HttpClient, HasTheWholeAnswer) {
  Routes routes;
  routes.handlers["/large"] = [](const Request& request, const Reply& reply) {
    reply({.status = request.method == http::Method::put ? 201 : 409,
           .body = std::string(1 << 20, 'x') + request.body});
  };
  routes.handlers["/empty"] = [](const Request&, const Reply& reply) { reply({.status = 204}); };
  const auto server = serve(routes);
  const std::string base = "http://" + server->addresses().front();
  const auto one = client({.largest_answer = (1 << 20) + 2});
  const auto put = asked(*one, "PUT", base + "/large", "yz").value();
  EXPECT_EQ(put.status, 201);
  EXPECT_EQ(put.body, std::string(1 << 20, 'x') + "yz");
  EXPECT_EQ(asked(*one, "GET", base + "/large").value().status, 409);
  EXPECT_EQ(asked(*one, "PUT", base + "/large", "xyz").error().message, "the response is too long");
  EXPECT_EQ(asked(*one, "DELETE", base + "/empty").value().status, 204);
  EXPECT_EQ(asked(*one, "GET", base + "/empty").value().body, "");

  const auto told = [&](const std::string& text) {
    const Rude rude(text);
    return asked(*one, "GET", rude.url);
  };
  EXPECT_EQ(told("HTTP/1.1 200 OK\r\n\r\nuntil the end").value().body, "until the end");
  EXPECT_EQ(told("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: "
                 "chunked\r\n\r\n3\r\none\r\n4\r\n two\r\n0\r\n\r\n")
                .value()
                .body,
            "one two");
  EXPECT_FALSE(told("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nless"));
  EXPECT_FALSE(told("HTTP/1.1 200 OK\r\nContent-Le"));
  EXPECT_FALSE(told("nonsense\r\n\r\n"));
}

TEST(HttpClient, ReachesNamesOnlyAtAllowedAddresses) {
  Routes routes;
  std::atomic<int> calls = 0;
  routes.handlers["/"] = [&](const Request&, const Reply& reply) {
    ++calls;
    reply({});
  };
  const auto server = serve(routes);
  const std::string address = server->addresses().front();
  const std::string port = address.substr(address.rfind(':'));
  const auto strict = http::Client::start({}).value();
  for (const std::string host : {"localhost", "127.0.0.1", "127.9.9.9", "0.0.0.0", "[::1]",
                                 "[::ffff:127.0.0.1]", "10.0.0.1", "169.254.169.254"}) {
    const auto refused = posted(*strict, "http://" + host + port + "/");
    ASSERT_FALSE(refused) << host;
    EXPECT_EQ(refused.error().code, ErrorCode::forbidden) << refused.error().message;
  }
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(posted(*client(), "http://localhost" + port + "/").value(), 200);
  EXPECT_EQ(posted(*client(), "http://no-such-host.invalid/").error().message,
            "its host is unknown");
  EXPECT_EQ(posted(*strict, "gopher://a.b/").error().code, ErrorCode::invalid_argument);
}

TEST(HttpClient, GetsOverWhateverIsAnswered) {
  const auto one = client({.largest_head = 4 << 10});
  const auto said = [&](const std::string& text) {
    const Rude rude(text);
    const auto status = posted(*one, rude.url, std::string(1000, 'x'));
    return status ? std::to_string(*status) : status.error().message;
  };
  const std::string closed = "the connection was closed before there was a response";
  EXPECT_EQ(said("HTTP/1.1 200 OK\r\n\r\n"), "200");
  EXPECT_EQ(said("HTTP/1.0 204 No\r\nX: y\r\n\r\n"), "204");
  EXPECT_EQ(said("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nLink: x\r\n\r\n"
                 "HTTP/1.1 201 Created\r\nContent-Length: 5\r\n\r\nabcde"),
            "201");
  EXPECT_EQ(said("HTTP/1.1 101 Switching\r\n\r\n"), "101");
  EXPECT_EQ(said("HTTP/1.1 200 OK\r\nContent-Length: 999999999999999999\r\n\r\nabc"), "200");
  EXPECT_EQ(said("HTTP/1.1 500 Oh\r\nTransfer-Encoding: chunked\r\n\r\nzzz"), "500");
  EXPECT_EQ(said(""), closed);
  EXPECT_EQ(said("HTTP/1.1 200 OK\r\n"), closed);
  EXPECT_EQ(said("SSH-2.0-OpenSSH\r\n\r\n"), "the response is not HTTP");
  EXPECT_EQ(said("HTTP/1.1 200 OK\r\nX: " + std::string(8 << 10, 'x')), "the response is not HTTP");
  const auto gone = [] { return Rude("").url; }();
  EXPECT_NE(posted(*one, gone).error().message.find("no connection"), std::string::npos);
}

TEST(HttpClient, OneThatHangsHoldsUpNobody) {
  const Rude silent("", true), endless("HTTP/1.1 200 OK\r\n\r\n", true);
  Routes routes;
  routes.handlers["/"] = [](const Request&, const Reply& reply) { reply({.status = 202}); };
  const auto server = serve(routes);
  const auto one = client({.answer_time = 10min});
  std::promise<Result<int>> hanging;
  one->post(silent.url, {}, "x", [&](Result<int> status) { hanging.set_value(std::move(status)); });
  EXPECT_EQ(posted(*one, endless.url).value(), 200);
  for (int n = 0; n < 50; ++n) {
    EXPECT_EQ(posted(*one, "http://" + server->addresses().front() + "/").value(), 202);
  }
  one->stop(0ms);
  EXPECT_EQ(hanging.get_future().get().error().message, "the server is about to stop");
  EXPECT_FALSE(posted(*one, endless.url)) << "stopped";
  const auto hasty = client({.answer_time = 20ms});
  EXPECT_EQ(posted(*hasty, silent.url).error().message, "there was no response in time");
}

TEST(HttpClient, StoppingWaitsForWhatIsUnderWay) {
  Routes routes;
  std::promise<Reply> asked;
  routes.handlers["/"] = [&](const Request&, const Reply& reply) { asked.set_value(reply); };
  const auto server = serve(routes);
  const auto one = client();
  std::promise<Result<int>> said;
  one->post("http://" + server->addresses().front() + "/", {}, "x",
            [&](Result<int> status) { said.set_value(std::move(status)); });
  const Reply reply = asked.get_future().get();
  std::thread stopping([&] { one->stop(10min); });
  reply({.status = 200});
  stopping.join();
  EXPECT_EQ(said.get_future().get().value(), 200);
}

}  // namespace
}  // namespace allot::test::client_test
