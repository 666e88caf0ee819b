#include "training/stop_signal.h"

#include <unistd.h>

#include <csignal>

namespace mesita::training {
namespace {

volatile std::sig_atomic_t signals_seen = 0;

extern "C" void note_signal(int number) {
  if (signals_seen != 0) _exit(128 + number);
  signals_seen = 1;
}

}  // namespace

StopSignal::StopSignal() {
  signals_seen = 0;
  struct sigaction action {};
  action.sa_handler = note_signal;
  action.sa_flags = SA_RESTART;  // writes in progress are not torn
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &interrupt_);
  sigaction(SIGTERM, &action, &terminate_);
}

StopSignal::~StopSignal() {
  sigaction(SIGINT, &interrupt_, nullptr);
  sigaction(SIGTERM, &terminate_, nullptr);
}

bool StopSignal::requested() const {
  return signals_seen != 0;
}

}  // namespace mesita::training
