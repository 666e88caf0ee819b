#include "training/worker_team.h"

#include <ATen/Parallel.h>

#include <utility>

namespace mesita::training {

WorkerTeam::WorkerTeam(int64_t threads) {
  for (int64_t i = 0; i < threads; ++i) threads_.emplace_back([this] { serve(); });
}

WorkerTeam::~WorkerTeam() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  called_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void WorkerTeam::run(int64_t items, const std::function<void(int64_t)>& work) {
  std::unique_lock lock(mutex_);
  work_ = &work;
  items_ = unfinished_ = items;
  next_ = 0;
  called_.notify_all();
  finished_.wait(lock, [&] { return unfinished_ == 0; });
  work_ = nullptr;
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void WorkerTeam::serve() {
  at::set_num_threads(1);  // of this thread alone
  std::unique_lock lock(mutex_);
  while (true) {
    called_.wait(lock, [&] { return over_ || (work_ != nullptr && next_ < items_); });
    if (over_) return;
    const int64_t item = next_++;
    const auto& work = *work_;
    lock.unlock();
    std::exception_ptr failure;
    try {
      work(item);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    if (failure && !failure_) failure_ = failure;
    if (--unfinished_ == 0) finished_.notify_all();
  }
}

}  // namespace mesita::training
