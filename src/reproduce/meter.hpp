// Progress of all studies together, in microseconds of expected work.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "allot/base/progress.hpp"

namespace allot::reproduce {

/// One part's share of the whole. A part of several steps tells the size of each.
class Meter {
 public:
  /// `whole` must outlive it.
  Meter(Progress& whole, double milliseconds)
      : whole_(whole), begun_(whole.done), size_(milliseconds * 1000) {}
  /// Counts the rest of the part as done.
  ~Meter() { whole_.done = begun_ + static_cast<std::uint64_t>(size_); }
  Meter(const Meter&) = delete;
  Meter& operator=(const Meter&) = delete;

  /// Calls work(&progress), which counts in its own units, as this share of the part.
  template <typename Work>
  auto step(double share, Work work) {
    const Watch watch(*this, share);
    return work(watch.progress());
  }

 private:
  /// Reads a step's progress ten times per second.
  class Watch {
   public:
    Watch(Meter& meter, double share);
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;
    Progress* progress() const { return &progress_; }

   private:
    void look();

    Meter& meter_;
    const double share_;
    mutable Progress progress_;
    std::mutex mutex_;
    std::condition_variable wake_;
    bool over_ = false;
    std::thread watcher_;
  };

  Progress& whole_;
  const std::uint64_t begun_;
  const double size_;
  double done_ = 0;  // share of the part
};

}  // namespace allot::reproduce
