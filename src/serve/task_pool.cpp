#include "serve/task_pool.hpp"

#include "base/signals_blocked.hpp"

namespace allot::serve {

TaskPool::TaskPool(unsigned threads, unsigned blocking_threads, std::size_t most_slow)
    : most_slow_(most_slow) {
  const SignalsBlocked signals_blocked;
  for (unsigned n = 0; n < threads; ++n) threads_.emplace_back([this] { work_on(short_); });
  for (unsigned n = 0; n < blocking_threads; ++n) {
    threads_.emplace_back([this] { work_on(blocking_); });
  }
  threads_.emplace_back([this] { work_on(slow_); });
}

bool TaskPool::add(Queue& queue, Task task, std::size_t most) {
  {
    const std::scoped_lock lock(mutex_);
    if (stopping_ || queue.tasks.size() >= most) return false;
    queue.tasks.push_back(std::move(task));
  }
  queue.arrived.notify_one();
  return true;
}

void TaskPool::push(Task task) {
  const std::scoped_lock lock(mutex_);
  short_.tasks.push_back(std::move(task));
}

void TaskPool::work_on(Queue& queue) {
  std::unique_lock lock(mutex_);
  while (true) {
    // While any task runs, it can push another: only an idle pool is done.
    queue.arrived.wait(lock, [&] { return !queue.tasks.empty() || (stopping_ && busy_ == 0); });
    if (queue.tasks.empty()) return;
    const Task task = std::move(queue.tasks.front());
    queue.tasks.pop_front();
    ++busy_;
    lock.unlock();
    task();
    lock.lock();
    --busy_;
    if (!stopping_) continue;
    for (Queue* other : {&short_, &blocking_, &slow_}) other->arrived.notify_all();
  }
}

void TaskPool::stop() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  for (Queue* queue : {&short_, &blocking_, &slow_}) queue->arrived.notify_all();
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

}  // namespace allot::serve
