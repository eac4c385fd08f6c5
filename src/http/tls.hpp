// TLS connections: a certificate and its key, and the only place that instantiates Connection for
// them.
#pragma once

#include <memory>
#include <string>

#include "http/shard.hpp"

namespace allot::http {

class Tls {
 public:
  /// PEM files: a certificate with its chain, and its key.
  static Result<std::unique_ptr<Tls>> load(const std::string& certificate, const std::string& key);
  ~Tls();

  void spawn(Shard& shard, asio::ip::tcp::socket socket, std::string peer, bool turned_away);

 private:
  struct Impl;
  explicit Tls(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace allot::http
