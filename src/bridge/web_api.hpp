// A JSON API over HTTP, as programs that work through the night must call it.
//
// A call waits for its response. Lost connections, status 429 and 5xx are repeated with growing
// pauses, or after the time that the server asks for in Retry-After. Calls that must not happen
// twice are repeated only where the server says that they did not happen. Any number of threads may
// call; no secret is part of an error.
#pragma once

#include <boost/json/value.hpp>
#include <memory>
#include <string>

#include "allot/base/result.hpp"
#include "bridge/stop_flag.hpp"
#include "http/client.hpp"

namespace allot::bridge {

struct WebApiOptions {
  /// "https://labels.example.org"; paths of calls follow.
  std::string base;
  /// PEM file with certificates to trust instead of the system's.
  std::string roots = {};
  /// Time for one response.
  std::chrono::milliseconds answer_time{60'000};
  /// Most bytes of one response.
  std::size_t largest_answer = 256 << 20;
  /// Most times that a call is sent.
  int tries = 6;
  /// The first pause; later ones double, up to the longest. A third is random.
  std::chrono::milliseconds first_pause{500}, longest_pause{30'000};
  /// A secret that calls carry; it is struck out of responses, so that nothing made from a response
  /// can show it. Empty for none.
  std::string secret = {};
};

class WebApi {
 public:
  /// Refuses a URL that is none, and roots that cannot be read. The flag ends pauses and must
  /// outlive the object.
  static Result<std::unique_ptr<WebApi>> open(WebApiOptions options, const StopFlag& stop);

  /// Whether a call may happen twice.
  enum class Repeat { safe, unsafe };
  struct Call {
    std::string method = "GET";
    std::string path;
    http::Fields fields = {};
    std::string body = {};
    Repeat repeat = Repeat::safe;
    /// Names the server in errors; empty for method and path.
    std::string subject = {};

    std::string name() const { return subject.empty() ? method + " " + path : subject; }
  };

  /// The response, of whatever status; an error if there was none, or if the server refused for a
  /// while with 429 or 5xx.
  Result<http::Client::Answer> send(const Call& call);

  /// Cancels calls under way and refuses further ones, for a caller that has raised the flag.
  void cancel() { client_->stop(std::chrono::milliseconds(0)); }

  /// Responses with 429 or 5xx, and lost connections, so far.
  std::uint64_t failures() const { return failures_; }

 private:
  WebApi(WebApiOptions options, const StopFlag& stop, std::unique_ptr<http::Client> client)
      : options_(std::move(options)), stop_(stop), client_(std::move(client)) {}
  Result<http::Client::Answer> send_once(const Call& call);
  /// The pause before try number n, from 1.
  std::chrono::milliseconds pause(int n, const std::string& retry_after);

  const WebApiOptions options_;
  const StopFlag& stop_;
  const std::unique_ptr<http::Client> client_;
  std::atomic<std::uint64_t> failures_ = 0, pauses_ = 0;
};

/// The JSON of a response with a status from 200 to 299; else an error with the status and the
/// beginning of the body. 404 is `not_found`, 401 and 403 are `forbidden`.
Result<boost::json::value> json_of(const WebApi::Call& call, const http::Client::Answer& answer);

/// Members of JSON values, empty or 0 if they are missing or of another kind.
const boost::json::value* member(const boost::json::value& value, std::string_view name);
std::string text_member(const boost::json::value& value, std::string_view name);
/// A number or a text as text.
std::string scalar_of(const boost::json::value& value, std::string_view name);
std::uint64_t whole_member(const boost::json::value& value, std::string_view name);
bool flag_member(const boost::json::value& value, std::string_view name);

}  // namespace allot::bridge
