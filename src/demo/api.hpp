// The public API of a running server, one call at a time: what any program of a requester does.
#pragma once

#include <boost/json/fwd.hpp>
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

  /// Of paths behind "/api/v1/". What is refused is an error with the server's words, as is a
  /// server that cannot be reached.
  Result<boost::json::value> get(const std::string& path);
  Result<boost::json::value> post(const std::string& path, const std::string& body = "{}");
  Result<boost::json::value> put(const std::string& path, const std::string& body);

  /// Whose token is sent from now on.
  void use(std::string token) { token_ = std::move(token); }

 private:
  Api(std::string server, std::unique_ptr<http::Client> client);
  Result<boost::json::value> call(const char* method, const std::string& path,
                                  const std::string& body);

  const std::string server_;
  std::string token_;
  std::unique_ptr<http::Client> client_;
};

/// A member that is a text, or nothing.
std::string text_of(const boost::json::value& object, std::string_view member);

}  // namespace allot::demo
