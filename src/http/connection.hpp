// One connection, as a coroutine of its I/O thread; a template over the kind of socket.
//
// Every wait ends: by what it waits for, by the deadline of what is being done (which cancels what
// the socket does and is kept by one lazy timer: moving it costs nothing), or when `stop` winds
// down or cuts. What other threads have to say comes in through Slots and `notify`.
#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "http/letters.hpp"
#include "http/parser.hpp"
#include "http/shard.hpp"
#include "http/upload_pipe.hpp"

namespace allot::http {

using Tcp = asio::ip::tcp;
constexpr auto kTuple = asio::as_tuple(asio::use_awaitable);

/// Bytes read at once: of heads, of bodies, of uploads; and sent within one time-out.
constexpr std::size_t kHeadRead = 2 << 10, kBodyRead = 16 << 10, kPiece = 64 << 10;
/// A client may send so much ahead while it is being sent a stream.
constexpr std::size_t kMostAhead = 16 << 10;
/// Bodies up to this size go out with their head.
constexpr std::size_t kSmallBody = 16 << 10;

template <typename Socket>
class Connection final : public Live, public std::enable_shared_from_this<Connection<Socket>> {
  using Clock = std::chrono::steady_clock;
  static constexpr bool kPlain = std::is_same_v<Socket, Tcp::socket>;
  static constexpr Clock::time_point kNever = Clock::time_point::max();

 public:
  /// Counted already; `turned_away` if there are too many.
  Connection(Shard& shard, Socket socket, std::string peer, bool turned_away)
      : shard_(shard),
        core_(shard.core),
        socket_(std::move(socket)),
        peer_(std::move(peer)),
        turned_away_(turned_away),
        timer_(shard.context),
        signal_(shard.context, kNever) {}
  ~Connection() override {
    release();
    if (replied_) replied_->leave();
    shard_.live.erase(this);
    core_.left();
  }

  /// The whole life of a connection.
  static asio::awaitable<void> run(std::shared_ptr<Connection> self) {
    self->shard_.live.insert(self.get());
    try {
      const bool open = co_await self->open();
      if (open) {
        bool more = true;
        while (more) more = co_await self->serve();
        co_await self->close();
      }
    } catch (...) {
      // Out of memory: this connection ends, others go on.
    }
    boost::system::error_code ignored;
    self->raw().close(ignored);
    self->timer_.cancel();
  }

  void notify() override {
    signal_.cancel();
    // An answer before the end of the body, or nobody who reads it.
    if (uploading_ && upload_is_over()) cancel();
  }

  void wind_down() override {
    boost::system::error_code wrong;
    if (idle_ && raw().available(wrong) == 0) cancel();
    notify();
  }

  void cut() override {
    cut_ = true;
    if (pipe_) pipe_->fail({ErrorCode::forbidden, "the server is stopping"});
    boost::system::error_code ignored;
    raw().close(ignored);
    notify();
  }

 private:
  enum class Taken { well, refused, gone };

  Tcp::socket& raw() {
    if constexpr (kPlain)
      return socket_;
    else
      return socket_.next_layer();
  }

  void cancel() {
    boost::system::error_code ignored;
    raw().cancel(ignored);
  }

  // --- Deadlines ---

  void within(std::chrono::milliseconds time) {
    timed_out_ = false;
    deadline_ = Clock::now() + time;
    if (deadline_ < armed_) arm();
  }
  void without_deadline() { deadline_ = kNever; }

  void arm() {
    armed_ = deadline_;
    timer_.expires_at(armed_);
    timer_.async_wait([weak = this->weak_from_this()](boost::system::error_code moved) {
      if (moved) return;
      if (const auto self = weak.lock()) self->timer_fired();
    });
  }

  void timer_fired() {
    armed_ = kNever;
    if (deadline_ == kNever) return;
    if (Clock::now() >= deadline_) {
      timed_out_ = true;
      cancel();
      // Again, should the socket have been between two steps of what it does.
      deadline_ = Clock::now() + std::chrono::milliseconds(100);
    }
    arm();
  }

  // --- Bytes ---

  std::string_view unread() const { return std::string_view(in_).substr(at_, end_ - at_); }

  /// Room behind what is unread.
  asio::mutable_buffer room(std::size_t size) {
    in_.erase(0, at_);
    end_ -= at_;
    at_ = 0;
    in_.resize(end_ + size);
    return asio::buffer(in_.data() + end_, size);
  }

  /// Whether more came; else the client is gone, or the time is.
  asio::awaitable<bool> read_more(std::size_t most) {
    if (watching_) {
      while (watching_) co_await signal();
      co_return !ended_ && !timed_out_;
    }
    if (ended_) co_return false;
    const auto [wrong, count] = co_await socket_.async_read_some(room(most), kTuple);
    end_ += count;
    if (wrong && wrong != asio::error::operation_aborted) ended_ = true;
    co_return !wrong && !timed_out_ && !cut_;
  }

  /// Whether all were sent.
  asio::awaitable<bool> write_all(std::string_view bytes) {
    while (!bytes.empty()) {
      const std::string_view piece = bytes.substr(0, kPiece);
      within(core_.options.write_time);
      const auto [wrong, count] =
          co_await asio::async_write(socket_, asio::buffer(piece.data(), piece.size()), kTuple);
      if (wrong || timed_out_ || cut_) co_return false;
      bytes.remove_prefix(count);
    }
    without_deadline();
    co_return true;
  }

  /// Looks for the end of the connection, and takes what is sent ahead, while a stream goes out.
  void watch();

  asio::awaitable<void> signal() { co_await signal_.async_wait(kTuple); }

  // --- A connection's start and end ---

  asio::awaitable<bool> open() {
    if (shard_.stopping) co_return false;
    if constexpr (!kPlain) {
      idle_ = true;
      within(core_.options.head_time);
      const auto [wrong] = co_await socket_.async_handshake(kTuple);
      idle_ = false;
      if (wrong || timed_out_) co_return false;
    }
    if (!turned_away_) co_return true;
    begin();
    Refusal refusal{503, "too_many_connections", "this server has too many connections; try later"};
    refusal.fields.add("Retry-After", "1");
    Response response = problem(refusal);
    co_await answer(response, false);
    finish();
    co_await close();
    co_return false;
  }

  /// Says that nothing more comes, and gives the client time to read the last answer: a socket
  /// that is closed with unread bytes would take it away.
  asio::awaitable<void> close() {
    if (cut_) co_return;
    within(core_.options.linger_time);
    if constexpr (!kPlain) {
      if (!watching_) co_await socket_.async_shutdown(kTuple);
    }
    boost::system::error_code wrong;
    raw().shutdown(Tcp::socket::shutdown_send, wrong);
    const bool hurried = shard_.stopping && raw().available(wrong) == 0;
    if (!lingers_ || hurried) co_return;
    while (watching_) co_await signal();
    in_.resize(kHeadRead);
    while (!ended_ && !timed_out_ && !cut_) {
      const auto [end, count] =
          co_await raw().async_read_some(asio::buffer(in_.data(), in_.size()), kTuple);
      if (end) co_return;
    }
  }

  // --- One request ---

  /// Whether another can follow.
  asio::awaitable<bool> serve() {
    const bool came = co_await first_byte();
    if (!came) co_return false;
    begin();
    Taken taken = co_await take_head();
    if (taken == Taken::well) taken = admit();
    if (taken == Taken::well) taken = co_await go_on();
    if (taken == Taken::well && !intake_.upload) taken = co_await take_body();
    bool keep = false;
    if (taken == Taken::well) {
      keep = co_await converse();
    } else if (taken == Taken::refused) {
      Response response = problem(*refusal_);
      co_await answer(response, false);
    }
    finish();
    co_return keep;
  }

  asio::awaitable<bool> first_byte() {
    if (!unread().empty()) co_return true;
    if (shard_.stopping) co_return false;
    if (!watching_) {
      if (in_.capacity() > 2 * kHeadRead) in_ = std::string();
      at_ = end_ = 0;
    }
    lingers_ = false;
    idle_ = true;
    within(served_ ? core_.options.idle_time : core_.options.head_time);
    const bool came = co_await read_more(kHeadRead);
    idle_ = false;
    co_return came;
  }

  void begin() {
    served_ = true;
    started_ = Clock::now();
    parser_.emplace(core_.options.largest_head);
    asked_.reset();
    refusal_.reset();
    body_.clear();
    id_.clear();
    received_ = sent_ = 0;
    status_ = 0;
    whole_ = false;
  }

  /// Gives back what the request took of what all share.
  void release() {
    if (holds_upload_) --core_.uploads;
    holds_upload_ = false;
    core_.body_memory -= held_;
    held_ = 0;
  }

  void finish() {
    release();
    pipe_.reset();
    if (core_.options.finished) {
      const auto took = Clock::now() - started_;
      core_.options.finished({.method = parser_->head().method,
                              .path = path_,
                              .peer = peer_,
                              .id = id(),
                              .status = status_,
                              .received = received_,
                              .sent = sent_,
                              .duration = took,
                              .whole = whole_});
    }
    parser_.reset();
    path_.clear();
    body_ = std::string();
  }

  Taken refuse(Refusal refusal) {
    refusal_ = std::move(refusal);
    return Taken::refused;
  }

  /// After bytes that should have come did not.
  Taken missed(const char* what) {
    if (!timed_out_ || cut_) return Taken::gone;
    return refuse({408, "request_timeout", std::string("the ") + what + " took too long"});
  }

  asio::awaitable<Taken> take_head() {
    bool timed = false;
    for (;;) {
      // Empty lines before a request are allowed for.
      while (!parser_->started() && unread().starts_with("\r\n")) at_ += 2;
      const bool half = !parser_->started() && unread() == "\r";
      if (!unread().empty() && !half) {
        const auto taken = parser_->take(unread(), body_);
        if (!taken) co_return refuse(taken.error());
        at_ += *taken;
        if (parser_->has_head()) co_return Taken::well;
      }
      if (!timed) within(core_.options.head_time);
      timed = true;
      const bool came = co_await read_more(kHeadRead);
      if (!came) co_return missed("head of the request");
    }
  }

  /// Decides by the head alone.
  Taken admit() {
    const Head& head = parser_->head();
    if (const auto id = head.fields.find("x-request-id"); id && is_sane_id(*id)) id_ = *id;
    auto asked = ask(head);
    if (!asked) return refuse(std::move(asked.error()));
    asked_ = std::move(*asked);
    path_ = asked_->target.path;
    try {
      intake_ = core_.service.intake(asked_->method, path_);
    } catch (...) {
      return refuse({500, "internal_error", "the server failed"});
    }
    const auto length = parser_->length();
    if (length && *length > intake_.largest_body)
      return refuse(body_too_large(intake_.largest_body));
    parser_->limit_body(intake_.largest_body);
    return intake_.upload ? admit_upload() : Taken::well;
  }

  Taken admit_upload() {
    holds_upload_ = true;
    if (++core_.uploads <= core_.options.most_uploads) return Taken::well;
    return refuse(busy("too_many_uploads", "too many uploads at once; try again in a moment"));
  }

  static Refusal busy(std::string code, std::string detail) {
    Refusal refusal{503, std::move(code), std::move(detail), {}};
    refusal.fields.add("Retry-After", "1");
    return refusal;
  }

  /// Tells a client that waits to send its body.
  asio::awaitable<Taken> go_on() {
    if (!asked_->waits || parser_->done() || !unread().empty()) co_return Taken::well;
    const bool sent = co_await write_all("HTTP/1.1 100 Continue\r\n\r\n");
    co_return sent ? Taken::well : Taken::gone;
  }

  asio::awaitable<Taken> take_body() {
    if (parser_->done()) co_return Taken::well;
    std::uint64_t mark = 0;
    bool timed = false;
    for (;;) {
      const auto taken = parser_->take(unread(), body_);
      if (!taken) co_return refuse(taken.error());
      at_ += *taken;
      received_ = body_.size();
      if (!hold(body_.size() + in_.capacity()))
        co_return refuse(busy("too_busy", "too many large requests at once; try again shortly"));
      if (parser_->done()) co_return Taken::well;
      if (!timed || received_ - mark >= kPiece) {
        timed = true;
        mark = received_;
        within(core_.options.body_time);
      }
      const bool came = co_await read_more(kBodyRead);
      if (!came) co_return missed("body of the request");
    }
  }

  /// Counts what this request keeps in memory; false if all together is too much.
  bool hold(std::size_t bytes) {
    const std::size_t others = core_.body_memory.fetch_add(bytes - held_) - held_;
    held_ = bytes;
    return others + bytes <= core_.options.body_memory;
  }

  // --- The handler ---

  /// Answers when the handler, or whoever it gave its reply to, has dropped that without a word.
  struct Caller {
    explicit Caller(std::shared_ptr<Slot<Response>> where) : slot(std::move(where)) {}
    ~Caller() {
      if (!given) slot->give(0, problem({500, "internal_error", "the server failed"}));
    }
    const std::shared_ptr<Slot<Response>> slot;
    std::atomic<bool> given{false};
  };

  asio::awaitable<bool> converse() {
    replied_ = std::make_shared<Slot<Response>>(shard_.gate, *this);
    hand_over();
    if (pipe_) co_await feed();
    without_deadline();
    while (!replied_->has() && !cut_) co_await signal();
    const auto replied = std::move(replied_);
    replied->leave();
    if (cut_) co_return false;
    Response response = replied->take();
    const bool keep = parser_->done() && parser_->keep_alive() && !shard_.stopping;
    co_return co_await answer(response, keep);
  }

  void hand_over() {
    Request request{.method = asked_->method,
                    .path = path_,
                    .query = std::move(asked_->target.query),
                    .fields = std::move(parser_->head().fields),
                    .body = std::move(body_),
                    .upload = {},
                    .peer = peer_,
                    .id = id()};
    if (intake_.upload) {
      pipe_ = std::make_shared<UploadPipe>(core_.options.upload_buffer,
                                           [slot = replied_] { slot->wake(); });
      request.upload = reading_end(pipe_);
    }
    try {
      core_.service.handle(std::move(request),
                           [caller = std::make_shared<Caller>(replied_)](Response response) {
                             if (caller->given.exchange(true)) return;
                             caller->slot->give(0, std::move(response));
                           });
    } catch (...) {
      // The reply was dropped with it, which is an answer.
    }
  }

  bool upload_is_over() const { return replied_->has() || pipe_->is_left() || cut_; }

  /// Hands the body over while the handler reads it.
  asio::awaitable<void> feed();

  // --- The answer ---

  const std::string& id() {
    if (id_.empty()) id_ = core_.new_id();
    return id_;
  }

  /// Whether it was sent and another request can follow.
  asio::awaitable<bool> answer(Response& response, bool keep) {
    if (!can_be_sent(response))
      response = problem({500, "internal_error", "the server made an answer that cannot be sent"});
    const Head& head = parser_->head();
    const bool silent = head.method == "HEAD" || is_bodiless(response.status);
    Frame frame{.version = head.version,
                .keep_alive = keep,
                .length = response.body.size(),
                .id = id(),
                .date = shard_.date()};
    if (response.stream) {
      frame.length.reset();
      if (head.version < 11) frame.keep_alive = false;
    }
    status_ = response.status;
    lingers_ = true;
    std::string text = head_text(response, frame);
    if (response.stream && !silent) {
      whole_ = co_await send_stream(text, response, head.version >= 11);
    } else {
      response.stream.reset();
      if (!silent) sent_ = response.body.size();
      const bool small = response.body.size() <= kSmallBody;
      if (!silent && small) text += response.body;
      whole_ = co_await write_all(text);
      if (whole_ && !silent && !small) whole_ = co_await write_all(response.body);
    }
    if (!whole_) lingers_ = false;
    co_return whole_&& frame.keep_alive;
  }

  using Pieces = Slot<Result<std::optional<std::string>>>;
  struct Leaving {
    Pieces& pieces;
    ~Leaving() { pieces.leave(); }
  };

  static bool is_endless(const Response& response) {
    const auto type = response.fields.find("content-type");
    return type && same_word(type->substr(0, 17), "text/event-stream");
  }

  /// Pulls piece after piece, each when the last was written. A stream that has to be cut lacks its
  /// last chunk, so that a client can tell; one of events has no end and gets one.
  asio::awaitable<bool> send_stream(const std::string& head, Response& response, bool chunked);
  /// False if the stream throws.
  static bool pull(Stream& stream, const std::shared_ptr<Pieces>& pieces);
  asio::awaitable<bool> write_piece(std::string& piece, bool chunked);

  Shard& shard_;
  Core& core_;
  Socket socket_;
  const std::string peer_;
  const bool turned_away_;

  asio::steady_timer timer_;
  Clock::time_point deadline_ = kNever, armed_ = kNever, body_deadline_{};
  /// Never fires: waiting for it is waiting for `notify`.
  asio::steady_timer signal_;

  /// What came: unread from at_ to end_, and room behind.
  std::string in_;
  std::size_t at_ = 0, end_ = 0;
  bool idle_ = false, served_ = false, lingers_ = false;
  bool timed_out_ = false, ended_ = false, cut_ = false;
  bool watching_ = false, streaming_ = false, uploading_ = false;

  // Of the request at hand.
  Clock::time_point started_{};
  std::optional<Parser> parser_;
  std::optional<Asked> asked_;
  std::optional<Refusal> refusal_;
  Service::Intake intake_;
  std::string path_, body_, id_;
  bool holds_upload_ = false, whole_ = false;
  std::size_t held_ = 0;
  std::uint64_t received_ = 0, sent_ = 0;
  int status_ = 0;
  std::shared_ptr<Slot<Response>> replied_;
  std::shared_ptr<UploadPipe> pipe_;
};

/// Starts a connection on the thread of that shard.
template <typename Socket>
void spawn(Shard& shard, Socket socket, std::string peer, bool turned_away) {
  auto connection =
      std::make_shared<Connection<Socket>>(shard, std::move(socket), std::move(peer), turned_away);
  asio::co_spawn(shard.context, Connection<Socket>::run(std::move(connection)), asio::detached);
}

}  // namespace allot::http

#include "http/connection_stream.hpp"
#include "http/connection_upload.hpp"
