// Sends HTTP requests: `post` returns the status only, which is all that webhooks need; `ask`
// returns the whole response.
//
// The client looks up a name, checks the addresses, and connects to one that passed, so a name
// cannot change its meaning in between. With TLS, the certificate must be valid for the host and
// trusted by the system's roots. Redirects are not followed. The body of a response to `post` is
// read and dropped.
//
// One thread serves all requests, and no request waits for another. Each lookup of a name has its
// own thread, since it blocks.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "allot/base/result.hpp"
#include "http/message.hpp"

namespace allot::http {

struct ClientOptions {
  /// From the call to the head of the response, including lookup, connection and sending.
  std::chrono::milliseconds answer_time{20'000};
  /// Time and bytes for which the rest of a response to `post` is read.
  std::chrono::milliseconds rest_time{2'000};
  std::size_t largest_rest = 64 << 10;
  /// Most bytes of a response to `ask`; all of them must come within `answer_time`.
  std::size_t largest_answer = 16 << 20;
  /// Most bytes of the head of a response.
  std::size_t largest_head = 16 << 10;
  /// Allows loopback, private and other special addresses.
  bool private_addresses = false;
  /// Most lookups of names at the same time; beyond that a request fails.
  std::size_t most_lookups = 256;
  /// PEM file with certificates to trust instead of the system's.
  std::string roots = {};
};

class Client {
 public:
  /// Fails if the roots cannot be read.
  static Result<std::unique_ptr<Client>> start(ClientOptions options);
  /// Checks whether `start` would succeed now.
  static Result<void> check(ClientOptions options);
  /// Calls stop(0).
  ~Client();

  /// Gets the status, or the error: `forbidden` for an address that must not be reached.
  using StatusCallback = std::function<void(Result<int>)>;
  /// Returns at once. The client's thread calls `done` once, which must return quickly; if the URL
  /// is invalid or the client is stopped, `done` is called before this returns. The client adds the
  /// fields Host and Content-Length.
  void post(const std::string& url, const Fields& fields, const std::string& body,
            const StatusCallback& done);

  struct Answer {
    int status;
    std::string body;
    /// Value of the field Retry-After; empty if there is none.
    std::string retry_after = {};
  };
  using AnswerCallback = std::function<void(Result<Answer>)>;
  /// Sends a request with any method, such as "GET"; the callback gets status and body.
  void ask(const std::string& method, const std::string& url, const Fields& fields,
           const std::string& body, const AnswerCallback& told);

  /// Waits up to `grace` for requests under way, then cancels the rest. All callbacks have been
  /// called when it returns. The client's thread must not call it.
  void stop(std::chrono::milliseconds grace);

 private:
  struct Impl;
  explicit Client(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace allot::http
