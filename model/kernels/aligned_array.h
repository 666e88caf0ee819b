#pragma once

#include <cstdint>
#include <memory>
#include <new>

namespace mesita::kernels {

/// Floats that start at a cache line, zero at first. Movable, not copyable.
class AlignedArray {
 public:
  AlignedArray() = default;
  explicit AlignedArray(int64_t size)
      : values_(new (std::align_val_t{kAlignment}) float[static_cast<size_t>(size)]()),
        size_(size) {}

  float* data() { return values_.get(); }
  const float* data() const { return values_.get(); }
  int64_t size() const { return size_; }

 private:
  static constexpr size_t kAlignment = 64;
  struct Free {
    void operator()(float* values) const {
      ::operator delete[](values, std::align_val_t{kAlignment});
    }
  };
  std::unique_ptr<float[], Free> values_;
  int64_t size_ = 0;
};

}  // namespace mesita::kernels
