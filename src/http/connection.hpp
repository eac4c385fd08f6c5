// One connection, as a coroutine of its I/O thread: reads requests, hands them to the service and
// sends the responses. A template over the kind of socket.
//
//   request = first byte, head, admission, body;  then handler;  then response
// connection_io.hpp has the bytes, the deadlines and the bodies that come in pieces.
#pragma once

#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <functional>
#include <optional>
#include <string>

#include "http/connection_io.hpp"

namespace allot::http {

/// Bodies up to this size go out with their head.
constexpr std::size_t kSmallBody = 16 << 10;

/// Replies with 500 if the handler drops its reply without calling it.
struct Caller {
  explicit Caller(std::shared_ptr<Slot<Response>> where) : slot(std::move(where)) {}
  ~Caller() {
    if (!given) slot->give(0, problem({500, "internal_error", "the server failed"}));
  }
  const std::shared_ptr<Slot<Response>> slot;
  std::atomic<bool> given{false};
};

/// A refusal that asks the client to try again in a second.
inline Refusal busy_refusal(std::string code, std::string detail) {
  Refusal refusal{503, std::move(code), std::move(detail), {}};
  refusal.fields.add("Retry-After", "1");
  return refusal;
}

template <typename Socket>
class Connection final : public Live, public std::enable_shared_from_this<Connection<Socket>> {
  using Io = ConnectionIo<Socket>;
  using Clock = typename Io::Clock;

 public:
  /// The core has counted the connection already; `turned_away` if there are too many.
  Connection(Shard& shard, Socket socket, std::string peer, bool turned_away)
      : shard_(shard),
        core_(shard.core),
        io_(shard, std::move(socket)),
        peer_(std::move(peer)),
        turned_away_(turned_away) {}
  ~Connection() override {
    release();
    if (replied_) replied_->leave();
    shard_.live.erase(this);
    core_.left();
  }

  /// The whole life of a connection.
  static asio::awaitable<void> run(std::shared_ptr<Connection> self) {
    self->shard_.live.insert(self.get());
    self->io_.set_owner(self);
    try {
      const bool open = co_await self->open();
      if (open) {
        bool more = true;
        while (more) more = co_await self->serve();
        co_await self->close();
      }
    } catch (...) {
      // Out of memory: this connection ends, others go on.
      if (self->pipe_) self->pipe_->fail({ErrorCode::internal, "the connection failed"});
    }
    self->io_.close();
    self->io_.cancel_timer();
  }

  void notify() override {
    io_.wake();
    // The response came before the end of the body, or the handler stopped reading.
    if (uploader_ && uploader_->reading() && upload_is_over()) io_.cancel();
  }

  void wind_down() override {
    boost::system::error_code wrong;
    if (idle_ && io_.raw().available(wrong) == 0) io_.cancel();
    notify();
  }

  void cut() override {
    if (pipe_) pipe_->fail({ErrorCode::forbidden, "the server is stopping"});
    io_.cut();
    notify();
  }

 private:
  /// How a step of taking a request ended.
  enum class Step { ok, refused, gone };

  // --- Start and end of a connection ---

  asio::awaitable<bool> open() {
    if (shard_.stopping) co_return false;
    if constexpr (!Io::kPlain) {
      idle_ = true;
      io_.set_deadline(core_.options.head_time);
      const auto [wrong] = co_await io_.socket().async_handshake(kTuple);
      idle_ = false;
      if (io_.socket().met_plain_request() && core_.options.plain_request)
        core_.options.plain_request(peer_);
      if (wrong || io_.timed_out()) co_return false;
    }
    if (!turned_away_) co_return true;
    begin();
    refuse(busy_refusal("too_many_connections", "this server has too many connections; try later"));
    co_await answer_refusal();
    finish();
    co_await close();
    co_return false;
  }

  /// Closes the sending side and gives the client time to read the last response: closing a socket
  /// with unread bytes would destroy it.
  asio::awaitable<void> close() {
    if (io_.is_cut()) co_return;
    io_.set_deadline(core_.options.linger_time);
    if constexpr (!Io::kPlain) {
      if (!io_.watching()) co_await io_.socket().async_shutdown(kTuple);
    }
    boost::system::error_code wrong;
    io_.raw().shutdown(Tcp::socket::shutdown_send, wrong);
    const bool hurried = shard_.stopping && io_.raw().available(wrong) == 0;
    if (lingers_ && !hurried) co_await io_.drain();
  }

  // --- Taking a request ---

  /// Serves one request; true if another can follow.
  asio::awaitable<bool> serve() {
    const bool came = co_await first_byte();
    if (!came) co_return false;
    begin();
    Step step = co_await take_head();
    if (step == Step::ok) step = admit();
    if (step == Step::ok) step = co_await send_continue();
    if (step == Step::ok && !intake_.upload) step = co_await take_body();
    bool keep = false;
    if (step == Step::ok) {
      keep = co_await converse();
    } else if (step == Step::refused) {
      co_await answer_refusal();
    }
    finish();
    co_return keep;
  }

  asio::awaitable<bool> first_byte() {
    if (!io_.unread().empty()) co_return true;
    if (shard_.stopping) co_return false;
    io_.shrink();
    lingers_ = false;
    idle_ = true;
    io_.set_deadline(served_ ? core_.options.idle_time : core_.options.head_time);
    const bool came = co_await io_.read_more(kHeadRead);
    idle_ = false;
    co_return came;
  }

  void begin() {
    served_ = true;
    started_ = Clock::now();
    parser_.emplace(core_.options.largest_head);
    request_ = {};
    waits_ = false;
    refusal_.reset();
    body_.clear();
    id_.clear();
    received_ = sent_ = 0;
    status_ = 0;
    whole_ = false;
  }

  /// Gives back the request's share of common resources.
  void release() {
    if (holds_upload_) core_.uploads.give_back(intake_.caller);
    holds_upload_ = false;
    if (held_ > 0) hold(0);
  }

  void finish() {
    release();
    uploader_.reset();
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
    request_ = {};
    body_ = std::string();
  }

  Step refuse(Refusal refusal) {
    refusal_ = std::move(refusal);
    return Step::refused;
  }

  /// After expected bytes did not come.
  Step missed(const char* what) {
    if (!io_.timed_out() || io_.is_cut()) return Step::gone;
    return refuse({408, "request_timeout", std::string("the ") + what + " took too long"});
  }

  asio::awaitable<Step> take_head() {
    bool timed = false;
    for (;;) {
      // HTTP allows empty lines before a request.
      while (!parser_->started() && io_.unread().starts_with("\r\n")) io_.consume(2);
      const bool half_line = !parser_->started() && io_.unread() == "\r";
      if (!io_.unread().empty() && !half_line) {
        const auto taken = parser_->take(io_.unread(), body_);
        if (!taken) co_return refuse(taken.error());
        io_.consume(*taken);
        if (parser_->has_head()) co_return Step::ok;
      }
      if (!timed) io_.set_deadline(core_.options.head_time);
      timed = true;
      const bool came = co_await io_.read_more(kHeadRead);
      if (!came) co_return missed("head of the request");
    }
  }

  /// Decides by the head alone.
  Step admit() {
    Head& head = parser_->head();
    if (const auto id = head.fields.find("x-request-id"); id && is_sane_id(*id)) id_ = *id;
    auto valid = validate(head);
    if (!valid) return refuse(std::move(valid.error()));
    waits_ = valid->waits;
    path_ = valid->target.path;
    request_ = {.method = valid->method,
                .path = path_,
                .query = std::move(valid->target.query),
                .query_problem = std::move(valid->target.query_problem),
                .fields = std::move(head.fields),
                .body = {},
                .upload = {},
                .peer = peer_,
                .id = id()};
    try {
      intake_ = core_.service.intake(request_);
    } catch (...) {
      return refuse({500, "internal_error", "the server failed"});
    }
    const auto length = parser_->length();
    if (length && *length > intake_.largest_body)
      return refuse(body_too_large(intake_.largest_body));
    parser_->limit_body(intake_.largest_body);
    return intake_.upload ? admit_upload() : Step::ok;
  }

  Step admit_upload() {
    holds_upload_ = core_.uploads.take(intake_.caller);
    if (holds_upload_) return Step::ok;
    return refuse(
        busy_refusal("too_many_uploads", "too many uploads at once; try again in a moment"));
  }

  /// Answers a client that waits for permission to send its body.
  asio::awaitable<Step> send_continue() {
    if (!waits_ || parser_->done() || !io_.unread().empty()) co_return Step::ok;
    const bool sent = co_await io_.write_all("HTTP/1.1 100 Continue\r\n\r\n");
    co_return sent ? Step::ok : Step::gone;
  }

  asio::awaitable<Step> take_body() {
    if (parser_->done()) co_return Step::ok;
    std::uint64_t mark = 0;
    bool timed = false;
    for (;;) {
      const auto taken = parser_->take(io_.unread(), body_);
      if (!taken) co_return refuse(taken.error());
      io_.consume(*taken);
      received_ = body_.size();
      if (!hold(body_.size() + io_.capacity()))
        co_return refuse(
            busy_refusal("too_busy", "too many large requests at once; try again shortly"));
      if (parser_->done()) co_return Step::ok;
      if (!timed || received_ - mark >= kPiece) {
        timed = true;
        mark = received_;
        io_.set_deadline(core_.options.body_time);
      }
      const bool came = co_await io_.read_more(kBodyRead);
      if (!came) co_return missed("body of the request");
    }
  }

  /// Counts the memory of this request; false if all requests together take too much, or all of
  /// unknown callers.
  bool hold(std::size_t bytes) {
    const std::size_t most = core_.options.body_memory;
    const std::size_t more = bytes - held_;  // modulo 2^64 if it is less
    held_ = bytes;
    const bool fits = core_.body_memory.fetch_add(more) + more <= most;
    if (!intake_.caller.empty()) return fits;
    return core_.unknown_memory.fetch_add(more) + more <= most / 4 && fits;
  }

  // --- The handler ---

  /// Calls the handler, feeds it an upload, and sends its response.
  asio::awaitable<bool> converse() {
    replied_ = std::make_shared<Slot<Response>>(shard_.gate, *this);
    hand_over();
    if (uploader_) {
      const auto is_over = [this] { return upload_is_over(); };
      co_await uploader_->run(is_over, received_);
    }
    io_.clear_deadline();
    while (!replied_->has() && !io_.is_cut()) co_await io_.wait();
    const auto replied = std::move(replied_);
    replied->leave();
    if (io_.is_cut()) co_return false;
    Response response = replied->take();
    const bool keep = parser_->done() && parser_->keep_alive() && !shard_.stopping;
    co_return co_await answer(response, keep);
  }

  void hand_over() {
    request_.body = std::move(body_);
    if (intake_.upload) {
      pipe_ = std::make_shared<UploadPipe>(core_.options.upload_buffer,
                                           [slot = replied_] { slot->wake(); });
      uploader_.emplace(io_, *parser_, *pipe_, core_.options.body_time);
      request_.upload = std::make_unique<ReadingEnd>(pipe_);
    }
    try {
      core_.service.handle(std::move(request_),
                           [caller = std::make_shared<Caller>(replied_)](Response response) {
                             if (caller->given.exchange(true)) return;
                             caller->slot->give(0, std::move(response));
                           });
    } catch (...) {
      // The reply was dropped with the exception, which makes Caller answer.
    }
  }

  bool upload_is_over() const { return replied_->has() || pipe_->is_left() || io_.is_cut(); }

  // --- The response ---

  asio::awaitable<void> answer_refusal() {
    Response response = problem(*refusal_);
    co_await answer(response, false);
    if (!core_.options.refused) co_return;
    core_.options.refused({.method = parser_->head().method,
                           .path = path_,
                           .peer = peer_,
                           .id = id(),
                           .fields = path_.empty() ? parser_->head().fields : request_.fields,
                           .status = status_,
                           .code = refusal_->code,
                           .duration = Clock::now() - started_});
  }

  const std::string& id() {
    if (id_.empty()) id_ = core_.new_id();
    return id_;
  }

  /// True if the response was sent and another request can follow. The response's `cause` stays
  /// here: head_text writes status and fields only.
  asio::awaitable<bool> answer(Response& response, bool keep) {
    if (!can_be_sent(response))
      response = problem({500, "internal_error", "the server made a response that cannot be sent"});
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
      whole_ = co_await send_stream(io_, shard_, *this, text, response, head.version >= 11, sent_);
    } else {
      response.stream.reset();
      if (!silent) sent_ = response.body.size();
      const bool small = response.body.size() <= kSmallBody;
      if (!silent && small) text += response.body;
      whole_ = co_await io_.write_all(text);
      if (whole_ && !silent && !small) whole_ = co_await io_.write_all(response.body);
    }
    if (!whole_) lingers_ = false;
    co_return whole_&& frame.keep_alive;
  }

  Shard& shard_;
  Core& core_;
  Io io_;
  const std::string peer_;
  const bool turned_away_;
  bool idle_ = false, served_ = false, lingers_ = false;

  // The current request.
  Clock::time_point started_{};
  std::optional<Parser> parser_;
  /// Has the fields of a valid head.
  Request request_;
  std::optional<Refusal> refusal_;
  Service::Intake intake_;
  std::string path_, body_, id_;
  bool waits_ = false, holds_upload_ = false, whole_ = false;
  std::size_t held_ = 0;
  std::uint64_t received_ = 0, sent_ = 0;
  int status_ = 0;
  std::shared_ptr<Slot<Response>> replied_;
  std::shared_ptr<UploadPipe> pipe_;
  std::optional<Uploader<Socket>> uploader_;
};

/// Starts a connection on the thread of that shard.
template <typename Socket>
void spawn(Shard& shard, Socket socket, std::string peer, bool turned_away) {
  std::shared_ptr<Connection<Socket>> connection;
  try {
    connection = std::make_shared<Connection<Socket>>(shard, std::move(socket), std::move(peer),
                                                      turned_away);
  } catch (const std::bad_alloc&) {
    return shard.core.left();
  }
  asio::co_spawn(shard.context, Connection<Socket>::run(std::move(connection)), asio::detached);
}

using Spawn = std::function<void(Shard&, Tcp::socket, std::string peer, bool turned_away)>;
/// Starts connections with TLS.
struct TlsStart {
  Spawn start;
  /// When the certificate expires.
  std::chrono::sys_seconds expires;
};
/// The PEM files hold a certificate with its chain, and its key.
Result<TlsStart> tls_start(const std::string& certificate, const std::string& key);

}  // namespace allot::http
