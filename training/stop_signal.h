#pragma once

#include <signal.h>

namespace mesita::training {

/// While it lives, the first SIGINT or SIGTERM asks the run to save and end; the second ends the
/// process at once (exit status 128 + signal). One at a time per process.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  bool requested() const;

 private:
  struct sigaction interrupt_ {};  // what was installed before
  struct sigaction terminate_ {};
};

}  // namespace mesita::training
