#include "store/checkpointer.hpp"

namespace allot::store {
namespace {

/// Pages in the log that start a checkpoint by the writer.
constexpr int kPages = 1000;
/// Pages that start one in the background. More, since no commit waits for it and pages that many
/// commits wrote are then moved once.
constexpr int kBackgroundPages = 4000;
/// From this many pages on the background is too slow, and the writer helps.
constexpr int kTooManyPages = 50'000;

}  // namespace

Checkpointer::Checkpointer(Connection& writer, std::unique_ptr<Connection> background)
    : writer_(writer), background_(std::move(background)) {
  writer_.on_commit([this](int pages) { after_commit(pages); });
}

void Checkpointer::after_commit(int pages) {
  if (!background_) {
    if (pages >= kPages) writer_.checkpoint();
  } else if (nearly_done_.exchange(false) || pages >= kTooManyPages) {
    writer_.checkpoint();
  } else if (pages >= kBackgroundPages && !running_.exchange(true)) {
    task_ = std::async(std::launch::async, [this] {
      background_->checkpoint();
      background_->checkpoint();  // pages that came during the first one
      nearly_done_ = true;
      running_ = false;
    });
  }
}

}  // namespace allot::store
