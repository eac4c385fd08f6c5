#include "http/server.hpp"

#include <fmt/format.h>

#include <boost/asio/executor_work_guard.hpp>
#include <optional>
#include <random>
#include <thread>

#include "allot/base/check.hpp"
#include "allot/base/text.hpp"
#include "base/scrambled.hpp"
#include "base/signals_blocked.hpp"
#include "base/try.hpp"
#include "http/connection.hpp"
#include "http/shard.hpp"

namespace allot::http {
namespace {

/// Connections beyond the limit that get a response; more are closed without one.
constexpr std::size_t kTurnedAway = 64;

/// A random number from the system.
std::uint64_t random_number() {
  std::random_device device;
  return std::uint64_t{device()} << 32 | device();
}

Result<Tcp::endpoint> endpoint(const std::string& text) {
  const auto refused = [&](const char* why) {
    return fail(ErrorCode::invalid_argument,
                "address " + in_quotes(text) + " " + why +
                    "; expected an address and a port like 127.0.0.1:8080 or [::1]:8080");
  };
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) return refused("has no port");
  std::string host = text.substr(0, colon);
  const bool bracketed = host.starts_with('[') && host.ends_with(']');
  if (bracketed) host = host.substr(1, host.size() - 2);
  const auto port = parse_whole(std::string_view(text).substr(colon + 1));
  if (!port || *port > 65535) return refused("has no port from 0 to 65535");
  boost::system::error_code wrong;
  const auto address = asio::ip::make_address(host, wrong);
  if (wrong || address.is_v6() != bracketed) return refused("is not an IP address");
  return Tcp::endpoint(address, static_cast<std::uint16_t>(*port));
}

std::string text_of(const Tcp::endpoint& point) {
  const std::string host = point.address().to_string();
  return point.address().is_v6() ? fmt::format("[{}]:{}", host, point.port())
                                 : fmt::format("{}:{}", host, point.port());
}

/// The client's address without its port; an IPv4 address also if it came over IPv6.
std::string peer_of(const Tcp::socket& socket) {
  boost::system::error_code gone;
  const auto address = socket.remote_endpoint(gone).address();
  if (gone) return {};
  if (address.is_v6() && address.to_v6().is_v4_mapped())
    return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()).to_string();
  return address.to_string();
}

}  // namespace

Core::Core(ServerOptions given, Service& served)
    : options(std::move(given)),
      service(served),
      uploads(options.most_uploads),
      first_id_(random_number()) {}

std::string Core::new_id() {
  return fmt::format("{:016x}", scrambled(first_id_ + ++ids_ * 0x9e3779b97f4a7c15));
}

struct Server::Impl {
  Impl(ServerOptions options, Service& service) : core(std::move(options), service) {
    for (int k = 0; k < core.options.threads; ++k) {
      shards.push_back(std::make_unique<Shard>(core));
      guards.push_back(asio::make_work_guard(shards.back()->context));
    }
  }

  Result<void> listen() {
    for (const std::string& text : core.options.listen) {
      const auto point = TRY(endpoint(text));
      try {
        acceptors.emplace_back(shards.front()->context, point);
        addresses.push_back(text_of(acceptors.back().local_endpoint()));
      } catch (const boost::system::system_error& wrong) {
        return fail(ErrorCode::conflict,
                    "cannot listen on " + in_quotes(text) + ": " + wrong.code().message());
      }
    }
    return {};
  }

  asio::awaitable<void> accept(Tcp::acceptor& acceptor) {
    while (acceptor.is_open()) {
      Shard& shard = *shards[turn++ % shards.size()];
      auto [wrong, socket] = co_await acceptor.async_accept(shard.context, kTuple);
      if (!wrong) {
        try {
          welcome(shard, std::move(socket));
        } catch (const std::bad_alloc&) {
          // This connection is closed; the server goes on accepting others.
        }
      } else if (acceptor.is_open()) {
        // Most likely the process has too many open files; other connections will close.
        asio::steady_timer pause(shards.front()->context, std::chrono::milliseconds(50));
        co_await pause.async_wait(kTuple);
      }
    }
  }

  void welcome(Shard& shard, Tcp::socket socket) {
    const std::size_t others = core.connections++;
    if (others >= core.options.most_connections + kTurnedAway) return core.left();
    const bool turned_away = others >= core.options.most_connections;
    boost::system::error_code ignored;
    socket.set_option(Tcp::no_delay(true), ignored);
    std::string peer = peer_of(socket);
    start(shard, std::move(socket), std::move(peer), turned_away);
  }

  void use(TlsStart given) {
    start = std::move(given.start);
    if (core.options.certificate_used) core.options.certificate_used(given.expires);
  }

  void run() {
    if (tls) use(std::move(*tls));
    for (Tcp::acceptor& acceptor : acceptors)
      asio::co_spawn(shards.front()->context, accept(acceptor), asio::detached);
    const SignalsBlocked signals_blocked;
    for (const auto& shard : shards) threads.emplace_back([&shard] { shard->context.run(); });
  }

  template <typename Work>
  void on_all(Work work) {
    for (const auto& shard : shards) asio::post(shard->context, [&shard, work] { work(*shard); });
  }

  void stop() {
    const std::lock_guard lock(stopping);
    if (threads.empty()) return;
    asio::post(shards.front()->context, [this] {
      boost::system::error_code ignored;
      for (Tcp::acceptor& acceptor : acceptors) acceptor.close(ignored);
    });
    on_all([](Shard& shard) {
      shard.stopping = true;
      for (Live* connection : shard.live) connection->wind_down();
    });
    core.wait_for_the_last();
    on_all([](Shard& shard) {
      for (Live* connection : shard.live) connection->cut();
    });
    for (auto& guard : guards) guard.reset();
    for (std::thread& thread : threads) thread.join();
    threads.clear();
    for (const auto& shard : shards) shard->gate->shut();
  }

  Core core;
  Spawn start = spawn<Tcp::socket>;
  /// Used when the server runs.
  std::optional<TlsStart> tls;
  std::vector<std::unique_ptr<Shard>> shards;
  std::vector<asio::executor_work_guard<asio::io_context::executor_type>> guards;
  std::vector<Tcp::acceptor> acceptors;
  std::vector<std::string> addresses;
  std::size_t turn = 0;
  std::vector<std::thread> threads;
  std::mutex stopping;
};

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Server::~Server() { stop(); }

const std::vector<std::string>& Server::addresses() const { return impl_->addresses; }

Server::Load Server::load() const { return {impl_->core.connections, impl_->core.uploads.taken()}; }

Result<void> Server::reload_certificate() {
  const ServerOptions& options = impl_->core.options;
  if (options.certificate.empty()) return {};
  // Connections are accepted by the first shard's thread, which alone reads `start`.
  asio::post(impl_->shards.front()->context,
             [this, renewed = TRY(tls_start(options.certificate, options.key))]() mutable {
               impl_->use(std::move(renewed));
             });
  return {};
}

void Server::stop() { impl_->stop(); }

Result<std::unique_ptr<Server::Impl>> Server::prepare(ServerOptions options, Service& service) {
  require(options.threads >= 1, "Server::start", "threads", options.threads, "must be positive");
  if (options.certificate.empty() != options.key.empty())
    return fail(ErrorCode::invalid_argument,
                "the certificate or its key is missing; expected both or neither");
  auto impl = std::make_unique<Impl>(std::move(options), service);
  if (!impl->core.options.certificate.empty()) {
    impl->tls = TRY(tls_start(impl->core.options.certificate, impl->core.options.key));
  }
  return impl->listen().map([&] { return std::move(impl); });
}

Result<void> Server::check(const ServerOptions& options) {
  class Nothing final : public Service {
    Intake intake(const Request&) const override { return {}; }
    void handle(Request, Reply) override {}
  } nothing;
  return prepare(options, nothing).map([](const auto&) {});
}

Result<std::unique_ptr<Server>> Server::start(ServerOptions options, Service& service) {
  return prepare(std::move(options), service).map([](std::unique_ptr<Impl> impl) {
    impl->run();
    return std::unique_ptr<Server>(new Server(std::move(impl)));
  });
}

}  // namespace allot::http
