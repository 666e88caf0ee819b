#include "model/kernels/rotary.h"

#include <cmath>

namespace mesita::kernels {

RotaryTable rotary_table(int64_t context, int64_t head_width, double base) {
  const int64_t pairs = head_width / 2;
  RotaryTable table;
  table.cosines.reserve(static_cast<size_t>(context * pairs));
  table.sines.reserve(static_cast<size_t>(context * pairs));
  for (int64_t t = 0; t < context; ++t) {
    for (int64_t i = 0; i < pairs; ++i) {
      const double frequency =
          std::pow(base, -2.0 * static_cast<double>(i) / static_cast<double>(head_width));
      const double angle = static_cast<double>(t) * frequency;
      table.cosines.push_back(std::cos(angle));
      table.sines.push_back(std::sin(angle));
    }
  }
  return table;
}

void rotate(std::span<float> x, std::span<const float> cosines, std::span<const float> sines) {
  const size_t pairs = cosines.size();
  for (size_t head = 0; head < x.size(); head += 2 * pairs) {
    float* first = x.data() + head;
    float* second = first + pairs;
    for (size_t i = 0; i < pairs; ++i) {
      const float a = first[i], b = second[i];
      first[i] = a * cosines[i] - b * sines[i];
      second[i] = b * cosines[i] + a * sines[i];
    }
  }
}

}  // namespace mesita::kernels
