#include "server/http/thread_pool.h"

#include <system_error>
#include <utility>

namespace mesita::http {

ThreadPool::ThreadPool(size_t max_threads, size_t max_waiting)
    : max_threads_(max_threads), max_waiting_(max_waiting) {}

ThreadPool::~ThreadPool() {
  shutdown();
}

bool ThreadPool::enqueue(std::function<void()> task) {
  const std::lock_guard lock(mutex_);
  if (stopping_) return false;
  const bool need_thread = idle_ <= tasks_.size();
  if (need_thread && threads_.size() < max_threads_) {
    try {
      threads_.emplace_back([this] { work(); });
    } catch (const std::system_error&) {  // the machine has no more: make do with those there are
      if (threads_.empty()) return false;
    }
  } else if (tasks_.size() >= idle_ + max_waiting_) {
    return false;
  }
  tasks_.push_back(std::move(task));
  wake_.notify_one();
  return true;
}

size_t ThreadPool::waiting() const {
  const std::lock_guard lock(mutex_);
  if (threads_.size() < max_threads_ || tasks_.size() <= idle_) return 0;
  return tasks_.size() - idle_;
}

void ThreadPool::shutdown() {
  std::vector<std::thread> threads;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    threads.swap(threads_);
  }
  wake_.notify_all();
  for (std::thread& thread : threads) thread.join();
}

void ThreadPool::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    wake_.wait(lock, [this] { return stopping_ || !tasks_.empty(); });
    --idle_;
    if (tasks_.empty()) return;
    const std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    lock.lock();
  }
}

}  // namespace mesita::http
