// The same server by TLS, with a certificate made here.
#include <gtest/gtest.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <poll.h>

#include <atomic>
#include <future>
#include <thread>
#include <vector>

#include "http/client.hpp"
#include "support/http_client.hpp"
#include "support/keys.hpp"

namespace allot::test::tls_test {
namespace {

using namespace std::chrono_literals;
using http::Reply;
using http::Request;
using http::Response;
using http::Server;

/// A client by TLS that trusts that one certificate. Its bytes go through memory to the plain wire.
class TlsWire final : public Wire {
 public:
  TlsWire(const std::string& address, const Keys& keys, int newest = 0)
      : plain_(address), context_(SSL_CTX_new(TLS_client_method())) {
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context_.get()), keys.certificate.get());
    SSL_CTX_set_verify(context_.get(), SSL_VERIFY_PEER, nullptr);
    if (newest) SSL_CTX_set_max_proto_version(context_.get(), newest);
    ssl_.reset(SSL_new(context_.get()));
    in_ = BIO_new(BIO_s_mem());
    out_ = BIO_new(BIO_s_mem());
    SSL_set_bio(ssl_.get(), in_, out_);
    SSL_set_connect_state(ssl_.get());
    if (drive([&] { return SSL_do_handshake(ssl_.get()); }) != 1)
      throw std::runtime_error("no handshake");
  }

  std::string receive() override {
    std::string bytes(16 << 10, '\0');
    const int count =
        drive([&] { return SSL_read(ssl_.get(), bytes.data(), static_cast<int>(bytes.size())); });
    bytes.resize(count < 0 ? 0 : static_cast<std::size_t>(count));
    return bytes;
  }
  bool send(std::string_view bytes) override {
    return drive([&] {
             return SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size()));
           }) > 0;
  }
  /// Whether the server said that it ended here.
  bool said_goodbye() const { return SSL_get_shutdown(ssl_.get()) & SSL_RECEIVED_SHUTDOWN; }
  std::string version() const { return SSL_get_version(ssl_.get()); }

 private:
  int drive(const std::function<int()>& step) {
    for (;;) {
      ERR_clear_error();
      const int result = step();
      const int wrong = SSL_get_error(ssl_.get(), result);
      char* text = nullptr;
      const auto size = static_cast<std::size_t>(BIO_get_mem_data(out_, &text));
      const bool sent = plain_.send({text, size});
      BIO_reset(out_);
      if (result > 0) return sent ? result : -1;
      if (wrong != SSL_ERROR_WANT_READ) return result;
      const std::string bytes = plain_.receive();
      if (bytes.empty()) return -1;
      BIO_write(in_, bytes.data(), static_cast<int>(bytes.size()));
    }
  }

  PlainWire plain_;
  std::unique_ptr<SSL_CTX, Freed<SSL_CTX, SSL_CTX_free>> context_;
  std::unique_ptr<SSL, Freed<SSL, SSL_free>> ssl_;
  BIO *in_, *out_;
};

class HttpTls : public testing::Test {
 protected:
  std::unique_ptr<Server> serve_tls(http::ServerOptions options = {}) {
    options.certificate = keys_.certificate_file;
    options.key = keys_.key_file;
    return serve(routes_, std::move(options));
  }
  std::unique_ptr<TlsWire> wire(const Server& server, int newest = 0) {
    return std::make_unique<TlsWire>(server.addresses().front(), keys_, newest);
  }

  Keys keys_;
  Routes routes_;
};

/// The status, or why there is none.
std::string posted(http::Client& client, const std::string& url) {
  std::promise<std::string> said;
  client.post(url, {}, "body", [&](Result<int> status) {
    said.set_value(status ? std::to_string(*status) : status.error().message);
  });
  return said.get_future().get();
}

TEST_F(HttpTls, AClientTrustsTheCertificateOfTheHost) {
  routes_.handlers["/hook"] = [](const Request& request, const Reply& reply) {
    reply({.status = request.body == "body" ? 202 : 400});
  };
  const auto server = serve_tls();
  const std::string address = server->addresses().front();
  const std::string port = address.substr(address.rfind(':'));
  const auto trusting =
      http::Client::start({.private_addresses = true, .roots = keys_.certificate_file}).value();
  EXPECT_EQ(posted(*trusting, "https://localhost" + port + "/hook"), "202");
  EXPECT_NE(posted(*trusting, "https://127.0.0.1" + port + "/hook").find("no TLS"),
            std::string::npos)
      << "the certificate is of another host";
  const auto usual = http::Client::start({.private_addresses = true}).value();
  EXPECT_NE(posted(*usual, "https://localhost" + port + "/hook").find("no TLS"), std::string::npos)
      << "nobody vouches for it";
  EXPECT_NE(posted(*trusting, "http://localhost" + port + "/hook"), "202");
  EXPECT_FALSE(http::Client::start({.roots = keys_.key_file + ".none"}));
}

TEST_F(HttpTls, ServesAsWithoutIt) {
  routes_.handlers["/large"] = [](Request request, const Reply& reply) {
    reply({.body = std::move(request.body)});
  };
  const auto server = serve_tls();
  Client client(wire(*server));
  const std::string body(1 << 20, 'x');
  const std::string request =
      "POST /large HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(body.size()) +
      "\r\n\r\n" + body;
  for (int k = 0; k < 3; ++k) {
    EXPECT_EQ(client.get("/").status, 404);
    client.send(request);
    EXPECT_TRUE(client.answer().body == body);
  }
  std::string ahead;
  for (int k = 0; k < 100; ++k) ahead += "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
  client.send(ahead);
  for (int k = 0; k < 100; ++k) ASSERT_EQ(client.answer().status, 404);
}

TEST_F(HttpTls, SpeaksVersions12And13AndNoOlder) {
  const auto server = serve_tls();
  EXPECT_EQ(wire(*server)->version(), "TLSv1.3");
  EXPECT_EQ(wire(*server, TLS1_2_VERSION)->version(), "TLSv1.2");
  EXPECT_THROW(wire(*server, TLS1_1_VERSION), std::runtime_error);
}

TEST_F(HttpTls, SaysGoodbye) {
  const auto server = serve_tls();
  auto owned = wire(*server);
  const TlsWire& seen = *owned;
  Client client(std::move(owned));
  client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(client.answer().status, 404);
  EXPECT_TRUE(client.at_end());
  EXPECT_TRUE(seen.said_goodbye());
}

TEST_F(HttpTls, RefusesLargeBodiesWhileTheyAreSent) {
  const auto server = serve_tls();
  Client client(wire(*server));
  client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10000000\r\n\r\n" +
              std::string(300'000, 'a'));
  EXPECT_EQ(client.answer().status, 413);
}

TEST_F(HttpTls, ClosesOnClientsThatDoNotSpeakIt) {
  const auto server = serve_tls({.head_time = 200ms, .linger_time = 100ms});
  Client plain(*server);
  plain.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  plain.read_past("nothing that TLS would say");
  Client silent(*server);
  EXPECT_TRUE(silent.at_end());
  EXPECT_TRUE(eventually([&] { return server->load().connections == 0; }));
  // The handshake must come to its end within the same time.
  const auto patient = serve_tls({.head_time = 2s});
  Client slow(wire(*patient));
  slow.send("GET / HT");
  EXPECT_EQ(slow.answer().status, 408);
}

/// Waits for somebody to give it a piece.
class IdleStream final : public http::Stream {
 public:
  IdleStream(std::atomic<int>& pulls, std::atomic<int>& gone) : pulls_(pulls), gone_(gone) {}
  ~IdleStream() override { ++gone_; }
  void pull(Ready ready) override {
    if (pulls_++ == 0) ready("data: 1\n\n");
  }

 private:
  std::atomic<int>&pulls_, &gone_;
};

TEST_F(HttpTls, NoticesPlainHttp) {
  std::atomic<int> noticed = 0;
  http::ServerOptions options;
  options.plain_request = [&](const std::string& peer) { noticed += peer == "127.0.0.1" ? 1 : 9; };
  const auto server = serve_tls(std::move(options));
  {
    Client garbage(*server);
    garbage.send("neither TLS nor HTTP");
    garbage.read_past("nothing");
  }
  EXPECT_EQ(noticed, 0);
  Client plain(*server);
  plain.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  plain.read_past("nothing");
  EXPECT_EQ(noticed, 1);
}

TEST_F(HttpTls, StreamsAndEndsThemWithTheClientOrTheServer) {
  std::atomic<int> pulls = 0, gone = 0;
  routes_.handlers["/events"] = [&](Request, const Reply& reply) {
    Response response;
    response.fields.add("Content-Type", "text/event-stream");
    response.stream = std::make_unique<IdleStream>(pulls, gone);
    reply(std::move(response));
  };
  const auto server = serve_tls({.stop_time = 60s});
  const auto listen = [&](Client& client) {
    pulls = 0;
    client.send("GET /events HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_TRUE(client.read_past("\r\n\r\n").starts_with("HTTP/1.1 200"));
    EXPECT_EQ(client.chunk(), "data: 1\n\n");
    EXPECT_TRUE(eventually([&] { return pulls == 2; }));
  };
  {
    Client client(wire(*server));
    listen(client);
    EXPECT_EQ(gone, 0);
  }
  EXPECT_TRUE(eventually([&] { return gone == 1; }));
  Client client(wire(*server));
  listen(client);
  std::thread stopping([&] { server->stop(); });
  EXPECT_EQ(client.chunk(), "");
  EXPECT_TRUE(client.at_end());
  stopping.join();
  EXPECT_EQ(gone, 2);
}

TEST_F(HttpTls, TakesUploads) {
  std::vector<std::thread> threads;
  routes_.handlers["/upload"] = [&](Request request, const Reply& reply) {
    auto upload = std::make_shared<std::unique_ptr<http::Upload>>(std::move(request.upload));
    threads.emplace_back([upload, reply] {
      std::size_t bytes = 0;
      while (const auto piece = (*upload)->read().value()) bytes += piece->size();
      reply({.body = std::to_string(bytes)});
    });
  };
  const auto server = serve_tls();
  Client client(wire(*server));
  client.send("POST /upload HTTP/1.1\r\nHost: a\r\nContent-Length: 5000000\r\n\r\n" +
              std::string(5'000'000, 'a'));
  EXPECT_EQ(client.answer().body, "5000000");
  for (std::thread& thread : threads) thread.join();
}

TEST_F(HttpTls, TakesANewCertificateForNewConnections) {
  routes_.handlers["/"] = [](const Request&, const Reply& reply) { reply({.body = "here"}); };
  const auto server = serve_tls();
  const auto get = [](Client& client) {
    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    return client.answer().body;
  };
  Client before(wire(*server));
  EXPECT_EQ(get(before), "here");
  const Keys renewed;
  keys_.folder.file("cert.pem", read_file(renewed.certificate_file));
  EXPECT_FALSE(server->reload_certificate()) << "the key is that of the old certificate";
  Client meanwhile(wire(*server));
  EXPECT_EQ(get(meanwhile), "here") << "with the old certificate";
  keys_.folder.file("key.pem", read_file(renewed.key_file));
  ASSERT_TRUE(server->reload_certificate());
  EXPECT_EQ(get(before), "here");
  Client after(std::make_unique<TlsWire>(server->addresses().front(), renewed));
  EXPECT_EQ(get(after), "here");
  EXPECT_THROW(wire(*server), std::runtime_error) << "the old certificate is gone";
}

TEST_F(HttpTls, TellsWhenTheCertificateInUseExpires) {
  using std::chrono::sys_seconds;
  std::atomic<sys_seconds::rep> expires = 0;
  const auto hours_left = [&] {
    const auto left = sys_seconds(std::chrono::seconds(expires)) - std::chrono::system_clock::now();
    return std::chrono::round<std::chrono::hours>(left).count();
  };
  const auto server =
      Server::start({.listen = {"127.0.0.1:0"},
                     .certificate = keys_.certificate_file,
                     .key = keys_.key_file,
                     .certificate_used =
                         [&](sys_seconds until) { expires = until.time_since_epoch().count(); }},
                    routes_)
          .value();
  EXPECT_EQ(hours_left(), 1);
  const Keys renewed;
  X509_gmtime_adj(X509_getm_notAfter(renewed.certificate.get()), 5 * 3600);
  X509_sign(renewed.certificate.get(), renewed.key.get(), EVP_sha256());
  keys_.folder.file("cert.pem",
                    pem([&](BIO* out) { PEM_write_bio_X509(out, renewed.certificate.get()); }));
  EXPECT_FALSE(server->reload_certificate()) << "the key is that of the old certificate";
  EXPECT_EQ(hours_left(), 1);
  keys_.folder.file("key.pem", read_file(renewed.key_file));
  ASSERT_TRUE(server->reload_certificate());
  for (int n = 0; n < 2000 && hours_left() == 1; ++n) std::this_thread::sleep_for(10ms);
  EXPECT_EQ(hours_left(), 5);
}

TEST_F(HttpTls, RefusesFilesThatAreNoKeys) {
  const Keys others;
  const std::string text = keys_.folder.file("text", "no key");
  const auto refusal = [&](const std::string& certificate, const std::string& key) {
    const auto server =
        Server::start({.listen = {"127.0.0.1:0"}, .certificate = certificate, .key = key}, routes_);
    EXPECT_FALSE(server);
    return server ? "" : server.error().message;
  };
  EXPECT_NE(refusal(text, keys_.key_file).find("certificate"), std::string::npos);
  EXPECT_NE(refusal("/nowhere", keys_.key_file).find("'/nowhere'"), std::string::npos);
  EXPECT_NE(refusal(keys_.certificate_file, text).find("key '"), std::string::npos);
  EXPECT_NE(refusal(keys_.certificate_file, "/nowhere").find("'/nowhere'"), std::string::npos);
  EXPECT_NE(refusal(keys_.certificate_file, others.key_file).find("belongs"), std::string::npos);
  EXPECT_NE(refusal(keys_.certificate_file, "").find("both or neither"), std::string::npos);
}

}  // namespace
}  // namespace allot::test::tls_test
