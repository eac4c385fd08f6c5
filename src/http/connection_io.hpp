// Bytes of one connection: reads, writes, deadlines, and bodies that come in pieces; templates over
// the kind of socket.
//
// Every wait ends: with what it waits for, at the deadline, or when the server stops. A deadline
// cancels the operation of the socket. One lazy timer keeps it: moving the deadline costs nothing,
// since the timer only finds out when it fires that the deadline has moved. Other threads wake a
// waiting coroutine through Slots and `wake`.
//
// Used on the I/O thread of the shard only.
#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "http/answer.hpp"
#include "http/ascii.hpp"
#include "http/parser.hpp"
#include "http/shard.hpp"
#include "http/upload_pipe.hpp"

namespace allot::http {

using Tcp = asio::ip::tcp;
constexpr auto kTuple = asio::as_tuple(asio::use_awaitable);

/// Bytes per read: of heads, of bodies, of uploads. kPiece also is the size that the timeouts for
/// bodies and writes refer to.
constexpr std::size_t kHeadRead = 2 << 10, kBodyRead = 16 << 10, kPiece = 64 << 10;
/// Bytes that a client may send ahead while it receives a stream.
constexpr std::size_t kMostEarly = 16 << 10;

template <typename Socket>
class ConnectionIo {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr bool kPlain = std::is_same_v<Socket, Tcp::socket>;

  ConnectionIo(Shard& shard, Socket socket)
      : shard_(shard),
        socket_(std::move(socket)),
        timer_(shard.context),
        signal_(shard.context, kNever) {}

  /// The connection that this belongs to. It must stay alive while the socket works for it.
  void set_owner(std::weak_ptr<Live> owner) { owner_ = std::move(owner); }

  Socket& socket() { return socket_; }
  Tcp::socket& raw() {
    if constexpr (kPlain)
      return socket_;
    else
      return socket_.next_layer();
  }
  /// Cancels what the socket does.
  void cancel() {
    boost::system::error_code ignored;
    raw().cancel(ignored);
  }
  void close() {
    boost::system::error_code ignored;
    raw().close(ignored);
  }
  /// Ends the connection: all reads and writes fail from now on.
  void cut() {
    cut_ = true;
    close();
  }
  void cancel_timer() { timer_.cancel(); }

  // --- State ---

  /// The last wait ended at its deadline.
  bool timed_out() const { return timed_out_; }
  /// The client closed its side, or the connection broke.
  bool ended() const { return ended_; }
  bool is_cut() const { return cut_; }
  /// A read is under way beside a stream.
  bool watching() const { return watching_; }

  // --- Deadlines and signals ---

  void set_deadline(std::chrono::milliseconds time) {
    timed_out_ = false;
    deadline_ = Clock::now() + time;
    if (deadline_ < armed_) arm();
  }
  void clear_deadline() { deadline_ = kNever; }

  /// Waits for `wake`.
  asio::awaitable<void> wait() { co_await signal_.async_wait(kTuple); }
  void wake() { signal_.cancel(); }

  // --- Bytes ---

  std::string_view unread() const { return std::string_view(in_).substr(at_, end_ - at_); }
  void consume(std::size_t count) { at_ += count; }
  /// Memory of the buffer.
  std::size_t capacity() const { return in_.capacity(); }
  /// Gives a large buffer back between requests.
  void shrink() {
    if (watching_) return;
    if (in_.capacity() > 2 * kHeadRead) in_ = std::string();
    at_ = end_ = 0;
  }

  /// True if more came; false if the client is gone or the time is up.
  asio::awaitable<bool> read_more(std::size_t most) {
    if (watching_) {
      while (watching_) co_await wait();
      co_return !ended_ && !timed_out_;
    }
    if (ended_) co_return false;
    const auto [wrong, count] = co_await socket_.async_read_some(free_space(most), kTuple);
    end_ += count;
    if (wrong && wrong != asio::error::operation_aborted) ended_ = true;
    co_return !wrong && !timed_out_ && !cut_;
  }

  /// True if all bytes were sent.
  asio::awaitable<bool> write_all(std::string_view bytes) {
    while (!bytes.empty()) {
      const std::string_view piece = bytes.substr(0, kPiece);
      set_deadline(shard_.core.options.write_time);
      const auto [wrong, count] =
          co_await asio::async_write(socket_, asio::buffer(piece.data(), piece.size()), kTuple);
      if (wrong || timed_out_ || cut_) co_return false;
      bytes.remove_prefix(count);
    }
    clear_deadline();
    co_return true;
  }

  /// While a stream goes out: reads what the client sends early, and notices when it goes away.
  void start_watching() {
    streaming_ = true;
    watch();
  }
  /// A read that is under way goes on; `read_more` then waits for it.
  void stop_watching() { streaming_ = false; }

  /// Reads and drops bytes until the client closes its side or the deadline comes.
  asio::awaitable<void> drain() {
    while (watching_) co_await wait();
    in_.resize(kHeadRead);
    while (!ended_ && !timed_out_ && !cut_) {
      const auto [end, count] =
          co_await raw().async_read_some(asio::buffer(in_.data(), in_.size()), kTuple);
      if (end) co_return;
    }
  }

 private:
  static constexpr Clock::time_point kNever = Clock::time_point::max();

  void arm() {
    armed_ = deadline_;
    timer_.expires_at(armed_);
    timer_.async_wait([this, owner = owner_](boost::system::error_code moved) {
      if (moved) return;
      if (const auto alive = owner.lock()) timer_fired();
    });
  }

  void timer_fired() {
    armed_ = kNever;
    if (deadline_ == kNever) return;
    if (Clock::now() >= deadline_) {
      timed_out_ = true;
      cancel();
      // The socket may have been between two steps of its operation, so cancel again soon.
      deadline_ = Clock::now() + std::chrono::milliseconds(100);
    }
    arm();
  }

  void watch() {
    if (watching_ || ended_ || !streaming_ || unread().size() >= kMostEarly) return;
    watching_ = true;
    socket_.async_read_some(
        free_space(kHeadRead),
        [this, alive = owner_.lock()](boost::system::error_code wrong, std::size_t count) {
          watching_ = false;
          end_ += count;
          if (wrong) ended_ = true;
          watch();
          wake();
        });
  }

  /// Space after the unread bytes.
  asio::mutable_buffer free_space(std::size_t size) {
    in_.erase(0, at_);
    end_ -= at_;
    at_ = 0;
    in_.resize(end_ + size);
    return asio::buffer(in_.data() + end_, size);
  }

  Shard& shard_;
  Socket socket_;
  std::weak_ptr<Live> owner_;
  asio::steady_timer timer_;
  Clock::time_point deadline_ = kNever, armed_ = kNever;
  /// Never fires: waiting for it is waiting for `wake`, which cancels it.
  asio::steady_timer signal_;
  /// Received bytes: unread from at_ to end_, then free space.
  std::string in_;
  std::size_t at_ = 0, end_ = 0;
  bool timed_out_ = false, ended_ = false, cut_ = false;
  bool watching_ = false, streaming_ = false;
};

// --- Bodies of responses that come in pieces ---

using Pieces = Slot<Result<std::optional<std::string>>>;

/// Drops pieces that come after the stream has ended.
struct PiecesGuard {
  Pieces& pieces;
  ~PiecesGuard() { pieces.leave(); }
};

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

// --- Bodies of requests that are handed on in pieces ---

/// Hands the body of a request to its handler piece by piece, while the handler reads it.
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
