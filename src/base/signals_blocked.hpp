// Threads that leave signals to the program's own threads.
#pragma once

#include <pthread.h>
#include <signal.h>

namespace allot {

/// Blocks all signals in the calling thread for its lifetime; threads made meanwhile keep them
/// blocked.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace allot
