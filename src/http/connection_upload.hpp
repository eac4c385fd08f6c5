// Hands the body of a request to its handler piece by piece, while the handler reads it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "http/connection_io.hpp"
#include "http/parser.hpp"
#include "http/upload_pipe.hpp"

namespace allot::http {

template <typename Socket>
class Uploader {
 public:
  Uploader(ConnectionIo<Socket>& io, Parser& parser, UploadPipe& pipe,
           std::chrono::milliseconds body_time)
      : io_(io), parser_(parser), pipe_(pipe), body_time_(body_time) {}

  /// Reads the body until its end, or until is_over() says that nobody reads it any more; counts
  /// its bytes in `received`. The pipe then has an end or an error.
  template <typename IsOver>
  asio::awaitable<void> run(IsOver is_over, std::uint64_t& received) {
    while (!is_over()) {
      std::string piece;
      const auto taken = parser_.take(io_.unread(), piece);
      if (!taken) {
        const bool large = taken.error().status == 413;
        pipe_.fail(
            {large ? ErrorCode::too_large : ErrorCode::invalid_argument, taken.error().detail});
        co_return;
      }
      io_.consume(*taken);
      received += piece.size();
      pipe_.put(std::move(piece));
      if (parser_.done()) {
        pipe_.end();
        co_return;
      }
      // A slow handler must not cost the client its time.
      io_.clear_deadline();
      bool waited = false;
      while (!pipe_.has_room() && !is_over()) {
        waited = true;
        co_await io_.wait();
      }
      if (is_over()) break;
      move_deadline(waited, received);
      reading_ = true;
      const bool came = co_await io_.read_more(kPiece);
      reading_ = false;
      if (!came && !is_over()) {
        pipe_.fail({ErrorCode::invalid_argument,
                    io_.timed_out() ? "the body of the request took too long"
                                    : "the client was gone before the end of the body"});
        co_return;
      }
    }
    pipe_.fail({ErrorCode::forbidden, "the request was answered already"});
  }

  /// A read is under way, which must be cancelled if the upload is over.
  bool reading() const { return reading_; }

 private:
  using Clock = typename ConnectionIo<Socket>::Clock;

  /// The client has `body_time` per 64 KiB, and again after a wait for the handler.
  void move_deadline(bool waited, std::uint64_t received) {
    if (!timed_ || waited || received - mark_ >= kPiece) {
      timed_ = true;
      mark_ = received;
      deadline_ = Clock::now() + body_time_;
    }
    io_.set_deadline(std::chrono::ceil<std::chrono::milliseconds>(deadline_ - Clock::now()));
  }

  ConnectionIo<Socket>& io_;
  Parser& parser_;
  UploadPipe& pipe_;
  const std::chrono::milliseconds body_time_;
  Clock::time_point deadline_{};
  std::uint64_t mark_ = 0;
  bool timed_ = false, reading_ = false;
};

}  // namespace allot::http
