#include "http/client.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "allot/base/text.hpp"
#include "http/client_exchange.hpp"
#include "http/web_url.hpp"

namespace allot::http {

namespace asio = boost::asio;

namespace {

std::string request_text(const std::string& method, const WebUrl& url, const Fields& fields,
                         const std::string& body) {
  std::string text =
      fmt::format("{} {} HTTP/1.1\r\nHost: {}\r\nContent-Length: {}\r\nConnection: close\r\n",
                  method, url.target, url.authority, body.size());
  for (const auto& [name, value] : fields.list()) text += fmt::format("{}: {}\r\n", name, value);
  return text + "\r\n" + body;
}

}  // namespace

struct Client::Impl {
  explicit Impl(ClientOptions options) : guard(asio::make_work_guard(shared.context)) {
    shared.options = std::move(options);
    shared.door->context = &shared.context;
  }

  Result<void> trust() {
    SSL_CTX_set_min_proto_version(shared.tls.native_handle(), TLS1_2_VERSION);
    SSL_CTX_set_mode(shared.tls.native_handle(), SSL_MODE_RELEASE_BUFFERS);
    shared.tls.set_verify_mode(asio::ssl::verify_peer);
    boost::system::error_code wrong;
    const std::string& roots = shared.options.roots;
    if (roots.empty()) {
      shared.tls.set_default_verify_paths(wrong);
    } else {
      shared.tls.load_verify_file(roots, wrong);
    }
    if (!wrong) return {};
    return fail(ErrorCode::invalid_argument,
                fmt::format("the trusted certificates {} cannot be read ({}); expected a PEM file",
                            roots.empty() ? "of the system" : in_quotes(roots), wrong.message()));
  }

  void run() {
    // The program handles signals on its own threads.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread = std::thread([this] { shared.context.run(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  void begin(WebUrl url, std::string request, bool whole, AnswerCallback callback) {
    std::erase_if(live, [](const auto& exchange) { return exchange->is_over(); });
    live.push_back(
        std::make_shared<Exchange>(shared, std::move(url), std::move(request), whole,
                                   [this, callback = std::move(callback)](Result<Answer> result) {
                                     callback(std::move(result));
                                     const std::scoped_lock lock(mutex);
                                     if (--waiting == 0) none_wait.notify_all();
                                   }));
    live.back()->start();
  }

  /// False once the client is being stopped.
  bool send(WebUrl url, std::string request, bool whole, const AnswerCallback& callback) {
    const std::scoped_lock lock(mutex);
    if (stopped) return false;
    ++waiting;
    asio::post(shared.context, [this, url = std::move(url), request = std::move(request), whole,
                                callback] { begin(url, request, whole, callback); });
    return true;
  }

  void send(const std::string& method, const std::string& to, const Fields& fields,
            const std::string& body, bool whole, const AnswerCallback& callback) {
    auto url = parse_web_url(to);
    if (!url) return callback(tl::unexpected(url.error()));
    std::string request = request_text(method, *url, fields, body);
    if (!send(*std::move(url), std::move(request), whole, callback)) {
      callback(fail(ErrorCode::conflict, "the server is about to stop"));
    }
  }

  void stop(std::chrono::milliseconds grace) {
    {
      std::unique_lock lock(mutex);
      stopped = true;
      none_wait.wait_for(lock, grace, [&] { return waiting == 0; });
    }
    if (!thread.joinable()) return;
    asio::post(shared.context, [this] {
      for (const auto& exchange : live) exchange->give_up("the server is about to stop");
      live.clear();
    });
    guard.reset();
    thread.join();
    const std::scoped_lock lock(shared.door->mutex);
    shared.door->context = nullptr;
  }

  ClientContext shared;
  asio::executor_work_guard<asio::io_context::executor_type> guard;
  std::vector<std::shared_ptr<Exchange>> live;
  std::mutex mutex;
  std::condition_variable none_wait;
  std::size_t waiting = 0;
  bool stopped = false;
  std::thread thread;
};

Client::Client(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Client::~Client() { stop(std::chrono::milliseconds(0)); }

Result<std::unique_ptr<Client>> Client::start(ClientOptions options) {
  auto impl = std::make_unique<Impl>(std::move(options));
  return impl->trust().map([&] {
    impl->run();
    return std::unique_ptr<Client>(new Client(std::move(impl)));
  });
}

void Client::post(const std::string& url, const Fields& fields, const std::string& body,
                  const StatusCallback& done) {
  impl_->send("POST", url, fields, body, false, [done](const Result<Answer>& answer) {
    done(answer.map([](const Answer& whole) { return whole.status; }));
  });
}

void Client::ask(const std::string& method, const std::string& url, const Fields& fields,
                 const std::string& body, const AnswerCallback& callback) {
  impl_->send(method, url, fields, body, true, callback);
}

void Client::stop(std::chrono::milliseconds grace) { impl_->stop(grace); }

}  // namespace allot::http
