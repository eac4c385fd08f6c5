// Connections by TLS: a certificate and its key, and the one place where they are instantiated.
#pragma once

#include <memory>
#include <string>

#include "http/shard.hpp"

namespace allot::http {

class Tls {
 public:
  /// Files in PEM: a certificate with those that vouch for it, and its key.
  static Result<std::unique_ptr<Tls>> load(const std::string& certificate, const std::string& key);
  ~Tls();

  void spawn(Shard& shard, asio::ip::tcp::socket socket, std::string peer, bool turned_away);

 private:
  struct Impl;
  explicit Tls(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace allot::http
