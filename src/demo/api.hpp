// The public API of a running server, one call at a time, as any client program uses it.
#pragma once

#include <boost/json/value.hpp>
#include <memory>
#include <string>

#include "allot/base/result.hpp"
#include "http/client.hpp"

namespace allot::demo {

class Api {
 public:
  /// `server` such as "http://127.0.0.1:8080".
  static Result<std::unique_ptr<Api>> open(std::string server);

  /// Paths follow "/api/v1/". A refusal becomes an error with the server's words; so does a server
  /// that cannot be reached.
  Result<boost::json::value> get(const std::string& path) { return call("GET", path, ""); }
  Result<boost::json::value> post(const std::string& path, const std::string& body = "{}") {
    return call("POST", path, body);
  }
  Result<boost::json::value> put(const std::string& path, const std::string& body) {
    return call("PUT", path, body);
  }

  /// Sets the token for later calls.
  void use(std::string token) { token_ = std::move(token); }

 private:
  Api(std::string server, std::unique_ptr<http::Client> client)
      : server_(std::move(server)), client_(std::move(client)) {}
  Result<boost::json::value> call(const char* method, const std::string& path,
                                  const std::string& body);

  const std::string server_;
  std::string token_;
  std::unique_ptr<http::Client> client_;
};

/// A text member, or "".
std::string text_of(const boost::json::value& object, std::string_view member);

}  // namespace allot::demo
