#include "model/layers/rotary_positions.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/from_blob.h>

#include "model/kernels/rotary.h"

namespace mesita::layers {

RotaryPositions::RotaryPositions(int64_t context, int64_t head_width, double base)
    : context_(context), head_width_(head_width), base_(base) {}

at::Tensor RotaryPositions::rotate(const at::Tensor& x) {
  // Reduced precision would blur the angles of late positions: those tables stay float32.
  const at::ScalarType type = x.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
  if (!cosines_.defined() || cosines_.scalar_type() != type || cosines_.device() != x.device()) {
    kernels::RotaryTable table = kernels::rotary_table(context_, head_width_, base_);
    const auto tensor = [&](std::vector<double>& values) {
      return at::from_blob(values.data(), {context_, 1, head_width_ / 2}, at::kDouble)
          .to(x.device(), type, /*non_blocking=*/false, /*copy=*/true);
    };
    cosines_ = tensor(table.cosines);
    sines_ = tensor(table.sines);
  }
  const at::Tensor cosines = cosines_.narrow(0, 0, x.size(1));
  const at::Tensor sines = sines_.narrow(0, 0, x.size(1));
  const std::vector<at::Tensor> halves = x.chunk(2, -1);
  const at::Tensor &a = halves[0], &b = halves[1];
  return at::cat({a * cosines - b * sines, b * cosines + a * sines}, -1).to(x.scalar_type());
}

}  // namespace mesita::layers
