#include "server/evaluation/windows.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace mesita::evaluation {

std::vector<WindowSpan> plan_windows(int64_t length, int64_t context, int64_t stride) {
  if (context < 2) {
    throw std::invalid_argument("context is " + std::to_string(context) +
                                ", but a window needs at least 2 ids: one to predict from");
  }
  if (stride < 1 || stride >= context) {
    throw std::invalid_argument("stride is " + std::to_string(stride) + ", but must be 1 .. " +
                                std::to_string(context - 1) + " (less than context)");
  }
  std::vector<WindowSpan> windows;
  int64_t scored = 1;  // nothing precedes the first id
  for (int64_t begin = 0; scored < length; begin += stride) {
    const int64_t end = std::min(begin + context, length);
    windows.push_back({begin, end, scored});
    scored = end;
  }
  return windows;
}

}  // namespace mesita::evaluation
