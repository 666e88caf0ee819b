#include "training/peak_memory.h"

#include <sys/resource.h>

#include <fstream>
#include <string>
#include <string_view>

namespace mesita::training {

int64_t peak_resident_bytes() {
  // "VmHWM:      1408 kB". The kernel's other number, ru_maxrss, begins with the peak of the
  // process that started this program; it serves where /proc does not say.
  constexpr std::string_view kField = "VmHWM:";
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(kField)) return 1024 * std::stoll(line.substr(kField.size()));
  }
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return int64_t{1024} * usage.ru_maxrss;
}

}  // namespace mesita::training
