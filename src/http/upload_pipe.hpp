// A bounded pipe from an I/O thread, which receives a body, to a handler, which reads it.
//
// The I/O thread puts pieces in while there is room, and is woken when there is room again.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "http/message.hpp"

namespace allot::http {

class UploadPipe {
 public:
  /// The reading thread calls `taken` when it took bytes, or when it stops reading.
  UploadPipe(std::size_t most, std::function<void()> taken)
      : most_(most), taken_(std::move(taken)) {}

  // Only the I/O thread may call:
  bool has_room() const;
  /// The handler has stopped reading.
  bool is_left() const;
  void put(std::string piece);
  void end();
  /// The reader gets this error after the pieces. Later ends and errors are ignored.
  void fail(Error error);

  // Only the reader may call:
  Result<std::optional<std::string>> read();
  void leave();

 private:
  const std::size_t most_;
  const std::function<void()> taken_;
  mutable std::mutex mutex_;
  std::condition_variable came_;
  std::deque<std::string> pieces_;
  std::size_t bytes_ = 0;
  bool ended_ = false, left_ = false;
  std::optional<Error> error_;
};

/// The handler's end of the pipe.
class ReadingEnd final : public Upload {
 public:
  explicit ReadingEnd(std::shared_ptr<UploadPipe> pipe) : pipe_(std::move(pipe)) {}
  ~ReadingEnd() override { pipe_->leave(); }
  Result<std::optional<std::string>> read() override { return pipe_->read(); }

 private:
  const std::shared_ptr<UploadPipe> pipe_;
};

}  // namespace allot::http
