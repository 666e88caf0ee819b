#pragma once

#include <cstdint>
#include <vector>

namespace mesita::evaluation {

/// Ids begin .. end-1 of a sequence, shown to a model as one; those from first_scored on are scored
/// by it, the ones before are context.
struct WindowSpan {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t first_scored = 0;  // begin < first_scored < end
};

/// Windows of at most `context` ids whose beginnings advance by `stride`. Every id but the first is
/// scored exactly once, by the first window that holds it, which is the one where most ids precede
/// it; from the second window on that is at least context - stride. A sequence of fewer than two
/// ids has no window. Throws std::invalid_argument unless context >= 2 and 1 <= stride < context.
std::vector<WindowSpan> plan_windows(int64_t length, int64_t context, int64_t stride);

}  // namespace mesita::evaluation
