// Sends requests: `post` says with which status one was answered, which is what webhooks need, and
// `ask` has the whole answer.
//
// A name is looked up first, the addresses found are checked, and the connection goes to one of
// those that passed, so a name cannot come to mean something else in between. By TLS the
// certificate must be vouched for by the system's roots and be of that host. Redirects are answers
// like others. What stands behind the head of an answer to `post` is read and forgotten.
//
// One thread serves all requests, which wait for nothing but their own receiver; a name is
// looked up by a thread of its own, since that blocks.
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
  /// From the call to the head of the answer: looking up, connecting, sending.
  std::chrono::milliseconds answer_time{20'000};
  /// How long, and for how many bytes, the rest of an answer is read.
  std::chrono::milliseconds rest_time{2'000};
  std::size_t largest_rest = 64 << 10;
  /// Bytes of an answer to `ask`; beyond them it fails. All of it must come within `answer_time`.
  std::size_t largest_answer = 16 << 20;
  /// Bytes of the head of an answer.
  std::size_t largest_head = 16 << 10;
  /// Whether loopback, private and other special addresses may be connected to.
  bool private_addresses = false;
  /// Names that may be looked up at the same time; beyond it a request fails.
  std::size_t most_lookups = 256;
  /// A file in PEM whose certificates are trusted instead of the system's.
  std::string roots = {};
};

class Client {
 public:
  /// Refuses roots that cannot be read.
  static Result<std::unique_ptr<Client>> start(ClientOptions options);
  /// As stop(0).
  ~Client();

  /// The status, or why there is none: forbidden for an address that must not be reached.
  using Done = std::function<void(Result<int>)>;
  /// Returns at once; `done` is called once and must be quick: by the client's thread, or before
  /// this returns if the URL makes no sense or the client was stopped. The length of the body and
  /// the host are sent along with the fields.
  void post(const std::string& url, const Fields& fields, const std::string& body,
            const Done& done);

  struct Answer {
    int status;
    std::string body;
  };
  using Told = std::function<void(Result<Answer>)>;
  /// The same with any method, such as "GET", for the status and the body.
  void ask(const std::string& method, const std::string& url, const Fields& fields,
           const std::string& body, const Told& told);

  /// Waits so long for what is under way and gives up on the rest. All `done` were called when it
  /// returns. Not to be called by the client's thread.
  void stop(std::chrono::milliseconds grace);

 private:
  struct Impl;
  explicit Client(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace allot::http
