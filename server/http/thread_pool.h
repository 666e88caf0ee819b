#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace mesita::http {

/// Threads for connections: each holds one for as long as it is open, so threads are made when all
/// are busy, up to a bound; further connections wait in a bounded queue.
class ThreadPool {
 public:
  ThreadPool(size_t max_threads, size_t max_waiting);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// False when the queue is full or the pool is shutting down; the task is then dropped.
  bool enqueue(std::function<void()> task);
  /// Tasks for which there is no thread, all of them being made and busy.
  size_t waiting() const;
  /// Runs what is queued, then ends and joins all threads.
  void shutdown();

 private:
  void work();

  const size_t max_threads_;
  const size_t max_waiting_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> tasks_;
  std::vector<std::thread> threads_;
  size_t idle_ = 0;
  bool stopping_ = false;
};

}  // namespace mesita::http
