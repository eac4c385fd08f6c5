#include "http/upload_pipe.hpp"

#include <utility>

namespace allot::http {
namespace {

/// Small pieces are joined up to this size.
constexpr std::size_t kPipePiece = 64 << 10;

}  // namespace

bool UploadPipe::has_room() const {
  const std::lock_guard lock(mutex_);
  return bytes_ < most_;
}

bool UploadPipe::is_left() const {
  const std::lock_guard lock(mutex_);
  return left_;
}

void UploadPipe::put(std::string piece) {
  const std::lock_guard lock(mutex_);
  if (left_ || piece.empty()) return;
  bytes_ += piece.size();
  if (!pieces_.empty() && pieces_.back().size() + piece.size() <= kPipePiece)
    pieces_.back() += piece;
  else
    pieces_.push_back(std::move(piece));
  came_.notify_one();
}

void UploadPipe::end() {
  const std::lock_guard lock(mutex_);
  if (!error_) ended_ = true;
  came_.notify_one();
}

void UploadPipe::fail(Error error) {
  const std::lock_guard lock(mutex_);
  if (!ended_ && !error_) error_ = std::move(error);
  came_.notify_one();
}

Result<std::optional<std::string>> UploadPipe::read() {
  std::unique_lock lock(mutex_);
  came_.wait(lock, [&] { return !pieces_.empty() || ended_ || error_; });
  if (pieces_.empty()) {
    if (error_) return tl::unexpected(*error_);
    return std::optional<std::string>();
  }
  std::optional<std::string> piece(std::move(pieces_.front()));
  pieces_.pop_front();
  const bool was_full = bytes_ >= most_;
  bytes_ -= piece->size();
  lock.unlock();
  if (was_full) taken_();
  return piece;
}

void UploadPipe::leave() {
  {
    const std::lock_guard lock(mutex_);
    left_ = true;
    pieces_.clear();
    bytes_ = 0;
  }
  taken_();
}

}  // namespace allot::http
