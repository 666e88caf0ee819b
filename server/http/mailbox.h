#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace mesita::http {

/// Passes items from the engine's thread to the thread that answers a request. Holds at most what
/// one request can produce, which its max_tokens bounds.
template <typename Item>
class Mailbox {
 public:
  void post(Item item) {
    {
      const std::lock_guard lock(mutex_);
      items_.push_back(std::move(item));
    }
    arrived_.notify_one();
  }

  /// Says without allocating that the last item could not be posted.
  void lose() noexcept {
    {
      const std::lock_guard lock(mutex_);
      lost_ = true;
    }
    arrived_.notify_one();
  }

  /// All that has arrived, in order; waits up to `patience` for a first item. Throws std::bad_alloc
  /// when nothing is left but an item was lost.
  std::vector<Item> take(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    arrived_.wait_for(lock, patience, [this] { return lost_ || !items_.empty(); });
    if (items_.empty() && lost_) throw std::bad_alloc();
    return std::exchange(items_, {});
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<Item> items_;
  bool lost_ = false;
};

}  // namespace mesita::http
