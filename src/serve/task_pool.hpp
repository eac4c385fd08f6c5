// The threads that do a server's work, with a queue for each kind of task.
//
//   run           short tasks, on as many threads as there are cores to keep busy
//   run_blocking  tasks that wait for a client, such as uploads, on a few threads of their own
//   run_slow      tasks that take seconds, one after the other, and only so many in the queue
//
// Any thread can add tasks. A task must not throw.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace allot::serve {

class TaskPool {
 public:
  using Task = std::function<void()>;

  TaskPool(unsigned threads, unsigned blocking_threads, std::size_t most_slow);
  ~TaskPool() { stop(); }

  // False if the pool stops, or too many slow tasks wait.
  bool run(Task task) { return add(short_, std::move(task), SIZE_MAX); }
  bool run_blocking(Task task) { return add(blocking_, std::move(task), SIZE_MAX); }
  bool run_slow(Task task) { return add(slow_, std::move(task), most_slow_); }

  /// Adds a short task even while the pool stops, for work that must be finished; only from a task,
  /// or before `stop`. Wakes no thread: call `wake` for that, unless this thread takes a task next.
  void push(Task task);
  void wake() { short_.arrived.notify_one(); }

  /// Takes no more tasks and finishes those that wait, with the tasks that they push.
  void stop();

 private:
  struct Queue {
    std::deque<Task> tasks;
    std::condition_variable arrived;
  };
  void work_on(Queue& queue);
  bool add(Queue& queue, Task task, std::size_t most);

  std::mutex mutex_;
  Queue short_, blocking_, slow_;
  std::size_t busy_ = 0;  // threads with a task
  bool stopping_ = false;
  const std::size_t most_slow_;
  std::vector<std::thread> threads_;
};

}  // namespace allot::serve
