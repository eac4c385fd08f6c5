// How a connection sends an answer that is streamed: see connection.hpp, which includes this.
#pragma once

#include "http/connection.hpp"

namespace allot::http {

template <typename Socket>
void Connection<Socket>::watch() {
  if (watching_ || ended_ || !streaming_ || unread().size() >= kMostAhead) return;
  watching_ = true;
  socket_.async_read_some(room(kHeadRead), [self = this->shared_from_this()](
                                               boost::system::error_code wrong, std::size_t count) {
    self->watching_ = false;
    self->end_ += count;
    if (wrong) self->ended_ = true;
    self->watch();
    self->notify();
  });
}

template <typename Socket>
asio::awaitable<bool> Connection<Socket>::send_stream(const std::string& head, Response& response,
                                                      bool chunked) {
  bool well = co_await write_all(head);
  if (!well) {
    response.stream.reset();
    co_return false;
  }
  const bool endless = is_endless(response);
  const auto pieces = std::make_shared<Pieces>(shard_.gate, *this);
  const Leaving leaving{*pieces};
  streaming_ = true;
  watch();
  bool whole = false;
  while (well && !whole) {
    well = pull(*response.stream, pieces);
    const auto over = [&] { return ended_ || cut_ || (endless && shard_.stopping); };
    while (well && !pieces->has() && !over()) co_await signal();
    if (ended_ || cut_ || !well) break;
    Result<std::optional<std::string>> given;
    if (pieces->has()) given = pieces->take();
    if (!given) break;
    std::optional<std::string>& piece = *given;
    whole = !piece;
    if (piece) {
      sent_ += piece->size();
      if (piece->empty())
        co_await asio::post(shard_.context, asio::use_awaitable);
      else
        well = co_await write_piece(*piece, chunked);
    }
  }
  streaming_ = false;
  response.stream.reset();
  if (whole && chunked) whole = co_await write_all("0\r\n\r\n");
  co_return whole;
}

template <typename Socket>
bool Connection<Socket>::pull(Stream& stream, const std::shared_ptr<Pieces>& pieces) {
  try {
    stream.pull([pieces, number = pieces->next()](Result<std::optional<std::string>> piece) {
      pieces->give(number, std::move(piece));
    });
    return true;
  } catch (...) {
    return false;
  }
}

template <typename Socket>
asio::awaitable<bool> Connection<Socket>::write_piece(std::string& piece, bool chunked) {
  if (chunked) {
    piece.insert(0, chunk_line(piece.size()));
    piece += "\r\n";
  }
  co_return co_await write_all(piece);
}

}  // namespace allot::http
