#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace mesita::training {

/// Threads that each do whole pieces of work, LibTorch's operations included, without the threads
/// inside an operation: for many small models at once. (In an OpenMP region every operation would
/// still open and close a team of its own, which costs a small model a fifth of its time.)
class WorkerTeam {
 public:
  explicit WorkerTeam(int64_t threads);
  ~WorkerTeam();
  WorkerTeam(const WorkerTeam&) = delete;
  WorkerTeam& operator=(const WorkerTeam&) = delete;

  /// Calls work(0), ..., work(items - 1), each once, in any order and on any thread; returns when
  /// all are done. Throws the first exception that one of them threw.
  void run(int64_t items, const std::function<void(int64_t)>& work);

 private:
  void serve();

  std::mutex mutex_;
  std::condition_variable called_, finished_;
  const std::function<void(int64_t)>* work_ = nullptr;
  int64_t items_ = 0, next_ = 0, unfinished_ = 0;
  std::exception_ptr failure_;
  bool over_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace mesita::training
