// How a connection hands over a body that is uploaded: see connection.hpp, which includes this.
#pragma once

#include "http/connection.hpp"

namespace allot::http {

template <typename Socket>
asio::awaitable<void> Connection<Socket>::feed() {
  std::uint64_t mark = 0;
  bool timed = false;
  while (!upload_is_over()) {
    std::string piece;
    const auto taken = parser_->take(unread(), piece);
    if (!taken) {
      const bool large = taken.error().status == 413;
      pipe_->fail(
          {large ? ErrorCode::too_large : ErrorCode::invalid_argument, taken.error().detail});
      co_return;
    }
    at_ += *taken;
    received_ += piece.size();
    pipe_->put(std::move(piece));
    if (parser_->done()) {
      pipe_->end();
      co_return;
    }
    without_deadline();
    bool waited = false;
    while (!pipe_->has_room() && !upload_is_over()) {
      waited = true;
      co_await signal();
    }
    if (upload_is_over()) break;
    if (!timed || waited || received_ - mark >= kPiece) {
      timed = true;
      mark = received_;
      body_deadline_ = Clock::now() + core_.options.body_time;
    }
    within(std::chrono::ceil<std::chrono::milliseconds>(body_deadline_ - Clock::now()));
    uploading_ = true;
    const bool came = co_await read_more(kPiece);
    uploading_ = false;
    if (!came && !upload_is_over()) {
      pipe_->fail({ErrorCode::invalid_argument,
                   timed_out_ ? "the body of the request took too long"
                              : "the client was gone before the end of the body"});
      co_return;
    }
  }
  pipe_->fail({ErrorCode::forbidden, "the request was answered already"});
}

}  // namespace allot::http
