// A body on its way from an I/O thread to a handler that reads it: at most so many bytes.
//
// The I/O thread puts in while there is room and is told, on its own thread, when there is again.
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
  /// `taken` is called by the reading thread when bytes were taken, or nobody will read any more.
  UploadPipe(std::size_t most, std::function<void()> taken)
      : most_(most), taken_(std::move(taken)) {}

  // By the I/O thread.
  bool has_room() const;
  /// Nobody will read any more.
  bool is_left() const;
  void put(std::string piece);
  void end();
  /// The reader gets this after what was put in. Later ends and failures are ignored.
  void fail(Error error);

  // By the reader.
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

/// What the handler sees of it.
std::unique_ptr<Upload> reading_end(std::shared_ptr<UploadPipe> pipe);

}  // namespace allot::http
