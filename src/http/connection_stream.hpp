// Sends the body of a response that comes in pieces.
#pragma once

#include <boost/asio/post.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "http/answer.hpp"
#include "http/ascii.hpp"
#include "http/connection_io.hpp"

namespace allot::http {

using Pieces = Slot<Result<std::optional<std::string>>>;

/// Drops pieces that come after the stream has ended.
struct PiecesGuard {
  Pieces& pieces;
  ~PiecesGuard() { pieces.leave(); }
};

/// An event stream has no end; the server may end it at any time.
inline bool is_event_stream(const Response& response) {
  const auto type = response.fields.find("content-type");
  return type && same_word(type->substr(0, 17), "text/event-stream");
}

/// Asks for the next piece; false if the stream throws.
inline bool pull(Stream& stream, const std::shared_ptr<Pieces>& pieces) {
  try {
    stream.pull([pieces, number = pieces->next()](Result<std::optional<std::string>> piece) {
      pieces->give(number, std::move(piece));
    });
    return true;
  } catch (...) {
    return false;
  }
}

inline std::string framed(std::string piece, bool chunked) {
  if (!chunked) return piece;
  piece.insert(0, chunk_line(piece.size()));
  return piece += "\r\n";
}

/// Sends the head, then pulls piece after piece, each once the last was written; adds their bytes
/// to `sent`. A stream that is cut lacks its last chunk, so that the client can tell. True if the
/// whole response was sent.
template <typename Socket>
asio::awaitable<bool> send_stream(ConnectionIo<Socket>& io, Shard& shard, Live& owner,
                                  const std::string& head, Response& response, bool chunked,
                                  std::uint64_t& sent) {
  bool well = co_await io.write_all(head);
  if (!well) {
    response.stream.reset();
    co_return false;
  }
  const bool endless = is_event_stream(response);
  const auto pieces = std::make_shared<Pieces>(shard.gate, owner);
  const PiecesGuard guard{*pieces};
  io.start_watching();
  bool whole = false;
  while (well && !whole) {
    well = pull(*response.stream, pieces);
    const auto over = [&] { return io.ended() || io.is_cut() || (endless && shard.stopping); };
    while (well && !pieces->has() && !over()) co_await io.wait();
    if (io.ended() || io.is_cut() || !well) break;
    // Without a piece the server stops an endless stream here: that is its regular end.
    Result<std::optional<std::string>> given;
    if (pieces->has()) given = pieces->take();
    if (!given) break;
    std::optional<std::string>& piece = *given;
    whole = !piece;
    if (piece) {
      sent += piece->size();
      if (piece->empty()) {
        co_await asio::post(shard.context, asio::use_awaitable);
      } else {
        const std::string text = framed(std::move(*piece), chunked);
        well = co_await io.write_all(text);
      }
    }
  }
  io.stop_watching();
  response.stream.reset();
  if (whole && chunked) whole = co_await io.write_all("0\r\n\r\n");
  co_return whole;
}

}  // namespace allot::http
