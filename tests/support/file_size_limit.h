#pragma once

#include <signal.h>
#include <sys/resource.h>

#include <cerrno>
#include <cstdint>
#include <system_error>

namespace mesita::testing {

/// While it lives, no file of this process grows beyond a size: writes fail as they do on a full
/// disk, first short, then with an error. For every thread; print nothing to a file meanwhile.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(uint64_t bytes) {
    handler_ = ::signal(SIGXFSZ, SIG_IGN);
    if (::getrlimit(RLIMIT_FSIZE, &before_) != 0) throw_error();
    const rlimit limit = {bytes, before_.rlim_max};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) throw_error();
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  [[noreturn]] static void throw_error() {
    throw std::system_error(errno, std::generic_category(), "RLIMIT_FSIZE");
  }

  rlimit before_ = {};
  void (*handler_)(int) = nullptr;
};

}  // namespace mesita::testing
